// RunLoopInput.swift: descriptors as inputs of a loop. Ports are Foundation's own; being told of phases is
// RunLoopObserver.swift.
//
// The engine's event thread watches the descriptor, and leaves a block with the loop: Core Foundation's own way, a source of
// version 1, reads from the descriptor itself, and misses what arrives while it polls.
import Signalbox
import SignalboxLocks
import SignalboxSystem

// SAFETY of @unchecked: everything mutable is guarded by `lock`.
/// A descriptor that a loop watches: its handler is called on the loop's thread as long as the descriptor is ready.
///
/// What `CFFileDescriptor` is on Apple's systems; it stays armed. The descriptor stays the caller's, who closes it after
/// `invalidate()`. Thread safety: any thread; the handler runs on the loop's.
public final class RunLoopInput: @unchecked Sendable {
  /// What a descriptor is watched for.
  public enum Event: Sendable, Hashable {
    /// Bytes to read, or the end of the stream, or an error to be read.
    case readable
    /// Room to write, or an error to be met by writing.
    case writable
  }

  /// The descriptor.
  public let descriptor: Int32
  private let source: any Signalbox.DispatchSourceProtocol
  private let event: Event
  private let handler: @Sendable () -> Void
  private let lock = UnfairLock()
  private var loop: RunLoop?
  private var modes: UInt64 = 0
  private var isOver = false
  /// From the moment it is told of until the handler has returned: no second block meanwhile.
  private var isPaused = false

  /// Creates an input that is on no loop yet.
  public init(descriptor: Int32, for event: Event, handler: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.event = event
    self.handler = handler
    let queue = DispatchQueue(label: "signalbox.runloop.input")
    source =
      switch event {
      case .readable: Signalbox.DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      case .writable: Signalbox.DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
      }
    source.setEventHandler { [weak self] in self?.isReady() }
  }

  deinit { invalidate() }

  /// The event thread's news: a block for the loop.
  private func isReady() {
    let place = lock.withLock { () -> (RunLoop, UInt64)? in
      guard !isOver, !isPaused, modes != 0, let loop else { return nil }
      isPaused = true
      source.suspend()
      return (loop, modes)
    }
    place?.0.push(place?.1 ?? 0) { [weak self] in self?.serve() }
  }

  private func serve() {
    // What was told of before the last call of the handler may be gone.
    if lock.withLock({ !isOver }), isStillReady { handler() }
    proceed()
  }

  private var isStillReady: Bool {
    switch event {
    case .readable: DescriptorReadiness.isReadable(descriptor)
    case .writable: DescriptorReadiness.isWritable(descriptor)
    }
  }

  private func proceed() {
    lock.withLock {
      guard isPaused else { return }
      isPaused = false
      source.resume()
    }
  }

  /// Whether it may still be called.
  public var isValid: Bool { lock.withLock { !isOver } }

  /// Takes it off its loop, for ever; the descriptor is watched no more.
  public func invalidate() {
    let place = lock.withLock { () -> (RunLoop?, UInt64)? in
      guard !isOver else { return nil }
      isOver = true
      defer { (loop, modes) = (nil, 0) }
      return (loop, modes)
    }
    guard let place else { return }
    place.0?.countInputs(place.1, -1)
    source.cancel()
    // A source that was never activated may not be let go of.
    if place.0 == nil { source.activate() }
    proceed()
  }

  fileprivate func join(_ loop: RunLoop, _ mode: UInt64) {
    let isNew = lock.withLock { () -> (first: Bool, mode: Bool) in
      guard !isOver, self.loop == nil || self.loop === loop, modes & mode == 0 else { return (false, false) }
      let isFirst = self.loop == nil
      self.loop = loop
      modes |= mode
      return (isFirst, true)
    }
    if isNew.mode { loop.countInputs(mode, 1) }
    if isNew.first { source.activate() }
  }

  fileprivate func leave(_ loop: RunLoop, _ mode: UInt64) {
    let isGone = lock.withLock { () -> Bool in
      guard self.loop === loop, modes & mode != 0 else { return false }
      modes &= ~mode
      return true
    }
    if isGone { loop.countInputs(mode, -1) }
  }
}

extension RunLoop {
  /// Watches the input's descriptor while the loop runs in `mode`, whoever runs it. An input belongs to one loop. Twice is as
  /// once.
  public final func add(_ input: RunLoopInput, forMode mode: Mode) { input.join(self, record(of: mode).bit) }

  /// Watches it no more in `mode`; when that was its last one, it is best invalidated.
  public final func remove(_ input: RunLoopInput, forMode mode: Mode) { input.leave(self, record(of: mode).bit) }

  /// A loop has something to wait for in a mode as long as it has an input there.
  fileprivate final func countInputs(_ mask: UInt64, _ change: Int) {
    lock.withLock { for mode in modes where mode.bit & mask != 0 { mode.inputs += change } }
    timersHaveChanged(mask)
  }
}
