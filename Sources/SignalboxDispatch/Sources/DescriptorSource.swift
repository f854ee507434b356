// DescriptorSource.swift: sources for bytes to read and room to write. How descriptors are monitored is DescriptorTable's.
//
// One event of the table is one check; the table is asked anew when the handler has returned, so that a descriptor that stays
// ready calls again and again, but never beside itself, and not while the source is suspended.
//   started -> armed      armed, event -> check: data, handler -> armed      end seen, no bytes -> handler, never armed again
import SignalboxLocks
import SignalboxSystem

final class DescriptorCore: SourceCore, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; `watch` is written by start() and read by what comes after it; `isLast` belongs to
  // the source's queue; the rest is atomic.

  private enum Seen {
    static let event: UInt64 = 1 << 32, always: UInt64 = 1 << 33, closed: UInt64 = 1 << 34
  }

  private let direction: DescriptorDirection
  private var watch: DescriptorSubscription?
  /// The kernel's events in the low half, and Seen: what has been reported since the last check.
  private let seen = Atomic64(0)
  private var isLast = false
  private let rests = Atomic32(0)
  /// Whether the program made it: for others nothing is reported when their descriptors are closed too early.
  private let isPrograms: Bool

  init(_ direction: DescriptorDirection, _ descriptor: Int32, target: DispatchQueue) {
    self.direction = direction
    isPrograms = !CallerOrigin.isToolchain()
    super.init(
      kind: direction == .readable ? "read" : "write", target: target, handle: UInt(bitPattern: Int(descriptor)))
  }

  override func start() {
    let watch = DescriptorTable.shared.watch(Int32(truncatingIfNeeded: handle), direction, label: isPrograms ? sourceName : nil)
    {
      self.told($0)
    }
    self.watch = watch
    watch.rearm()
  }

  override func stop() { if let watch { watch.cancel { self.stopped() } } else { stopped() } }

  private func told(_ event: DescriptorEvent) {
    switch event {
    // seq_cst, as M1 (DataSource): before signalEvent()'s step; pairs with the exchange in takeData()
    case .ready(let events): _ = seen.orSeqCst(UInt64(events.rawValue) | Seen.event)
    case .always: _ = seen.orSeqCst(Seen.always)
    case .closed: _ = seen.orSeqCst(Seen.closed)
    case .failed(let error): return retrySoon("monitor descriptor \(handle)", error) { self.watch?.rearm() }
    }
    signalEvent()
  }

  override func takeData() -> UInt? {
    let seen = seen.exchangeSeqCst(0)  // seq_cst, as M2 (DataSource): after the turn's step
    if seen & Seen.closed != 0 {
      isLast = true
      return 0
    }
    // nil: the table has found out that the descriptor is not ours any more, and tells us.
    guard seen != 0, let watch, let status = watch.status() else { return nil }
    let events = Poller.Events(rawValue: UInt32(truncatingIfNeeded: seen))
    if direction == .readable { return readable(watch, status, events) }
    isLast = events.contains(.hangUp) || (events.contains(.error) && status.kind == .pipe)
    return isLast ? 0 : status.writableBytes(of: watch.descriptor)
  }

  private func readable(_ watch: DescriptorSubscription, _ status: DescriptorStatus, _ events: Poller.Events) -> UInt {
    let count = status.readableBytes(of: watch.descriptor)
    isLast = count == 0 && (status.kind == .null || !events.isDisjoint(with: [.hangUp, .readHangUp]))
    return count
  }

  override func handled() { if !isLast { watch?.rearm() } }

  /// Nobody would read or write, so the descriptor would stay ready: it rests until there is a handler.
  // A handler that comes while we note this is seen by the second check; exactly one side takes the note back.
  override func unheard() {
    if isLast { return }
    // acquire-release: the handlers' lock orders this and the check that follows with handlerCame()
    _ = rests.exchangeAcqRel(1)
    if hasEventHandler { handlerCame() }
  }

  // acquire-release: the handler was set before, under the lock that unheard() takes to check for one
  override func handlerCame() { if rests.exchangeAcqRel(0) == 1 { watch?.rearm() } }
}

extension DispatchSource {
  /// Makes a source that reports bytes to read from `fileDescriptor`. The descriptor must stay open until the cancel handler
  /// runs. A nil `queue` means the default global queue. The source is inactive.
  ///
  /// The handler is called repeatedly while there are bytes; `data` estimates their number. At the end of a stream it is called
  /// once more, with 0. A file on a disk is always ready.
  public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceRead {
    made(.readable, fileDescriptor, queue, "makeReadSource(fileDescriptor:queue:)")
  }

  /// Makes a source that reports room to write to `fileDescriptor`. The descriptor must stay open until the cancel handler
  /// runs. A nil `queue` means the default global queue. The source is inactive.
  ///
  /// The handler is called repeatedly while there is room; `data` estimates the number of bytes. When the other side has
  /// closed, it is called once more, with 0. A file on a disk is always ready.
  public class func makeWriteSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceWrite {
    made(.writable, fileDescriptor, queue, "makeWriteSource(fileDescriptor:queue:)")
  }

  private static func made(
    _ direction: DescriptorDirection, _ descriptor: Int32, _ queue: DispatchQueue?, _ call: StaticString
  ) -> DispatchSource {
    guard descriptor >= 0 else {
      Misuse.stop("\(call) is given \(descriptor), which is no descriptor: check the call that should have opened it")
    }
    return DispatchSource(DescriptorCore(direction, descriptor, target: target(queue)))
  }
}
