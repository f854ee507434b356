// PortSource.swift: sources for ports: a message waits, the receiver is gone. The ports are SignalboxPort.swift.
//
// A source monitors a descriptor of its own for the same end, so that any number of sources may monitor one port. The event thread
// calls once for each time it is asked to (`arm`); a receiving source asks again when its handler has returned, so that it is
// called as long as messages wait, and no thread spins on a handler that leaves them.
import SignalboxLocks
import SignalboxSystem

package class PortCore: EventFlagsCore, @unchecked Sendable {
  // SAFETY of @unchecked: the variables are guarded by `lock`; the descriptor is opened by the initialiser.
  private final let lock = UnfairLock()
  private final var watch: EventSubscription?
  private final var isStopping = false
  private final let socket: Result<MessageSocket, SystemError>

  fileprivate init(_ kind: StaticString, _ name: Int32, mask: UInt, target: DispatchQueue) {
    do { socket = .success(try MessageSocket.duplicate(of: name)) } catch { socket = .failure(error) }
    super.init(kind: kind, target: target, handle: UInt(UInt32(bitPattern: name)), mask: mask)
  }

  /// What the end says now.
  fileprivate final var current: MessageSocket.State {
    if case .success(let socket) = socket { MessageSocket.state(of: socket.descriptor) } else { .notAPort }
  }

  /// What the event thread is asked for; the end of the other side is always reported.
  fileprivate var interest: Poller.Events { [] }
  /// The event thread calls, once for each `arm`.
  fileprivate func isReady() {}

  override func start() { arm() }

  /// Asks the event thread for one call; not after the end.
  fileprivate final func arm() {
    do { try armOrThrow() } catch { refuse(SourceRefusal("the events of port \(handle)", error), .isCancelled) }
  }

  private final func armOrThrow() throws(SystemError) {
    let socket = try socket.get()
    try lock.withLock { () throws(SystemError) in
      if isStopping { return }
      watch?.cancel()
      watch = nil
      watch = try EventThread.shared.watch(socket.descriptor, for: interest.union(.oneShot)) { [weak self] _ in self?.isReady()
      }
    }
  }

  override func stop() {
    let last = lock.withLock { () -> EventSubscription? in
      isStopping = true
      defer { watch = nil }
      return watch
    }
    guard let last else { return stopped() }
    last.cancel { self.stopped() }
  }
}

/// Tells when a port's receiver is gone.
package final class PortSendCore: PortCore, @unchecked Sendable {
  // SAFETY of @unchecked: no variables of its own.
  package init(_ name: Int32, _ mask: DispatchSource.MachSendEvent, target: DispatchQueue) {
    super.init("port send", name, mask: mask.rawValue, target: target)
  }

  fileprivate override func isReady() { deliver(DispatchSource.MachSendEvent.dead.rawValue) }
}

/// Tells while messages wait.
package final class PortReceiveCore: PortCore, @unchecked Sendable {
  // SAFETY of @unchecked: no variables of its own.
  package init(_ name: Int32, target: DispatchQueue) { super.init("port receive", name, mask: 0, target: target) }

  fileprivate override var interest: Poller.Events { .readable }
  fileprivate override func isReady() { signalEvent() }

  override func takeData() -> UInt? {
    switch current {
    case .waiting: return 0
    case .quiet: arm()  // somebody else has taken the message
    case .cut, .notAPort: break  // nothing can come any more
    }
    return nil
  }

  override func handled() { if current == .waiting { signalEvent() } else { arm() } }
}

extension DispatchSource {
  /// Makes a source that calls its event handler while messages wait at a port; `data` has no meaning.
  ///
  /// - Parameters:
  ///   - port: the name of a `SignalboxPort` with the right to receive. The source keeps the end open until it is cancelled.
  ///   - queue: where handlers run; nil means the default global queue.
  /// - Note: When the last sender is gone and no message waits, there are no more events.
  public class func makeMachReceiveSource(port: mach_port_t, queue: DispatchQueue? = nil) -> any DispatchSourceMachReceive {
    ObjectKinds.makeOrStop(.machReceive, UInt(port), 0, queue)
  }

  /// Makes a source that reports that the receiver of a port is gone; at once if it already is.
  ///
  /// - Parameters:
  ///   - port: the name of a `SignalboxPort` with the right to send.
  ///   - eventMask: the events to report.
  ///   - queue: where handlers run; nil means the default global queue.
  public class func makeMachSendSource(
    port: mach_port_t, eventMask: DispatchSource.MachSendEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceMachSend {
    ObjectKinds.makeOrStop(.machSend, UInt(port), eventMask.rawValue, queue)
  }
}
