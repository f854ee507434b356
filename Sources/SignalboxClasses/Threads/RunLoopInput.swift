// RunLoopInput.swift: descriptors as inputs of a loop. Ports are Foundation's own; callbacks at its phases are
// RunLoopObserver.swift.
//
// The engine's event thread monitors the descriptor, and leaves a block with the loop: Core Foundation's own way, a source of
// version 1, reads from the descriptor itself, and misses what arrives while it polls.
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

// SAFETY of @unchecked: everything mutable is guarded by `lock`.
/// A descriptor monitored by a run loop: the handler is called on the loop's thread as long as the descriptor is ready.
///
/// It corresponds to `CFFileDescriptor` on Apple's systems, but stays enabled after a call. The caller owns the descriptor and
/// may close it after `invalidate()`. Thread safety: any thread; the handler runs on the loop's.
///
/// ```swift
/// func writeWhenThereIsRoom() {
///   let output = RunLoopInput(descriptor: 1, for: .writable) { print("standard output has room") }
///   print(output.descriptor, output.isValid)  // 1 true
///   RunLoop.current.add(output, forMode: .common)
///   _ = RunLoop.current.run(mode: .default, before: Date() + 5)  // until the handler was called
///   output.invalidate()
/// }
/// writeWhenThereIsRoom()
/// ```
public final class RunLoopInput: @unchecked Sendable {
  /// The event to monitor.
  ///
  /// ```swift
  /// let input = RunLoopInput(descriptor: 0, for: .readable) { print("bytes to read") }
  /// let output = RunLoopInput(descriptor: 1, for: .writable) { print("room to write") }
  /// for end in [input, output] {
  ///   RunLoop.main.add(end, forMode: .common)
  ///   end.invalidate()
  /// }
  /// ```
  public enum Event: Sendable, Hashable {
    /// Bytes to read, the end of the stream, or an error that reading returns.
    case readable
    /// Room to write, or an error that writing returns.
    case writable
  }

  /// The descriptor.
  public let descriptor: Int32
  private let source: any SignalboxDispatch.DispatchSourceProtocol
  private let event: Event
  private let handler: @Sendable () -> Void
  private let lock = UnfairLock()
  private var loop: RunLoop?
  private var modes: UInt64 = 0
  private var isOver = false
  /// From the moment an event is reported until the handler has returned: no second block meanwhile.
  private var isPaused = false

  /// Creates an input that is not on a loop yet.
  ///
  /// ```swift
  /// let input = RunLoopInput(descriptor: 0, for: .readable) { print("bytes to read") }
  /// print(input.descriptor, input.isValid)  // 0 true
  /// input.invalidate()
  /// ```
  ///
  /// - Parameters:
  ///   - descriptor: an open descriptor, which stays open until `invalidate()`.
  ///   - event: when to call the handler.
  ///   - handler: called on the loop's thread, again and again while the descriptor is ready.
  public init(descriptor: Int32, for event: Event, handler: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.event = event
    self.handler = handler
    let queue = DispatchQueue(label: "signalbox.runloop.input")
    source =
      switch event {
      case .readable: SignalboxDispatch.DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      case .writable: SignalboxDispatch.DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
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
    // What was reported before the last call of the handler may be gone.
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

  /// Whether the handler may still be called.
  public var isValid: Bool { lock.withLock { !isOver } }

  /// Removes the input from its loop for good; the descriptor is no longer monitored.
  ///
  /// ```swift
  /// let input = RunLoopInput(descriptor: 0, for: .readable) { print("bytes to read") }
  /// RunLoop.main.add(input, forMode: .common)
  /// input.invalidate()
  /// print(input.isValid)  // false
  /// ```
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
  /// Adds the input: its descriptor is monitored while the loop runs in `mode`, whatever runs it. An input belongs to
  /// one loop. Adding it twice has the same effect as once.
  ///
  /// ```swift
  /// let input = RunLoopInput(descriptor: 0, for: .readable) { print("bytes to read") }
  /// RunLoop.main.add(input, forMode: .common)
  /// input.invalidate()
  /// ```
  public final func add(_ input: RunLoopInput, forMode mode: Mode) { input.join(self, record(of: mode).bit) }

  /// Removes the input from `mode`; if that was its last mode, invalidate the input.
  ///
  /// ```swift
  /// let input = RunLoopInput(descriptor: 0, for: .readable) { print("bytes to read") }
  /// RunLoop.main.add(input, forMode: .default)
  /// RunLoop.main.remove(input, forMode: .default)
  /// input.invalidate()
  /// ```
  public final func remove(_ input: RunLoopInput, forMode mode: Mode) { input.leave(self, record(of: mode).bit) }

  /// A loop has something to wait for in a mode as long as it has an input there.
  fileprivate final func countInputs(_ mask: UInt64, _ change: Int) {
    lock.withLock { for mode in modes where mode.bit & mask != 0 { mode.inputs += change } }
    timersHaveChanged(mask)
  }
}
