// SignalboxPort.swift: what stands in for Mach ports: a one-way connection with a receiving end and a sending end, within a
// process or between two. Sources that monitor the ends are PortSource.swift.
import SignalboxSystem

/// One end of a port: the right to receive its messages, or the right to send them.
///
/// Linux has no Mach ports. A `SignalboxPort` offers what sources report about them: that a message waits, and that the
/// receiver is gone. The name of an end is a file descriptor: a child process may inherit it, or another process may receive
/// it, and take it over with `init(adopting:right:)`. The end is closed when the last `SignalboxPort` for it, in any process,
/// is gone.
///
/// Thread safety: any thread. Each message goes to one receiver.
public final class SignalboxPort: Sendable {
  /// What an end of a port may do.
  public enum Right: Sendable {
    /// Receive messages.
    case receive
    /// Send messages.
    case send
  }
  /// The result of sending.
  public typealias Sending = MessageSocket.Sending
  /// The result of receiving.
  public typealias Receiving = MessageSocket.Receiving

  /// What this end may do.
  public let right: Right
  private let socket: MessageSocket

  private init(_ socket: MessageSocket, _ right: Right) {
    self.socket = socket
    self.right = right
  }

  /// Makes a port and returns both of its ends.
  ///
  /// - Throws: `SystemError` if there is no descriptor or no memory left: EMFILE, ENFILE, ENOMEM.
  public static func makePair() throws(SystemError) -> (receive: SignalboxPort, send: SignalboxPort) {
    let pair = try MessageSocket.pair()
    return (SignalboxPort(pair.receiving, .receive), SignalboxPort(pair.sending, .send))
  }

  /// Takes over an end that this process inherited or received. Returns nil, and takes nothing over, if `name` is not an end of
  /// a port.
  ///
  /// - Parameter name: the number of the descriptor.
  /// - Parameter right: which of the two ends it is; this cannot be found out from its name.
  public init?(adopting name: mach_port_t, right: Right) {
    let descriptor = Int32(truncatingIfNeeded: name)
    guard MessageSocket.state(of: descriptor) != .notAPort else { return nil }
    socket = MessageSocket(adopting: descriptor)
    self.right = right
  }

  /// The name of the end, for sources and for processes that get the descriptor with this number. Valid while this object
  /// lives.
  public var name: mach_port_t { mach_port_t(truncatingIfNeeded: socket.descriptor) }

  /// Sets whether programs started by this process inherit the end. At first they do not.
  public func setInherited(_ inherited: Bool) { socket.setInherited(inherited) }

  /// Makes another object for the same end, with a name of its own. The receiver is gone when all receiving ends are closed.
  ///
  /// - Throws: `SystemError` if there is no descriptor left: EMFILE.
  public func duplicate() throws(SystemError) -> SignalboxPort { SignalboxPort(try socket.duplicate(), right) }

  /// Sends one message, which may be empty. Never blocks.
  ///
  /// - Returns: `.full` if too many messages wait, `.receiverGone` if nobody can receive it any more; in both cases it is not
  ///   sent.
  /// - Throws: `SystemError`: EMSGSIZE for a message of more than about 200,000 bytes, ENOMEM.
  /// - Precondition: this end has the right to send.
  @discardableResult
  public func send(_ message: some Sequence<UInt8>) throws(SystemError) -> Sending {
    require(.send, "sends")
    return try socket.send(message)
  }

  /// Receives the message that has waited longest. Never blocks.
  ///
  /// - Returns: `.empty` if no message waits, `.sendersGone` if none can arrive any more.
  /// - Throws: `SystemError`: ENOMEM.
  /// - Precondition: this end has the right to receive.
  public func receive() throws(SystemError) -> Receiving {
    require(.receive, "receives")
    return try socket.receive()
  }

  private func require(_ needed: Right, _ deed: String) {
    if right == needed { return }
    Misuse.stop("port \(name) \(deed), but has the right to \(right) only: use the other end of the pair")
  }
}
