// SignalboxPort.swift: what stands in for Mach ports: a one-way connection with a receiving end and a sending end, within a
// process or between two. Sources that watch the ends are PortSource.swift.
import SignalboxSystem

/// One end of a port: the right to receive its messages, or to send them.
///
/// Linux has no Mach ports. What programs watch of them, that a message waits and that the receiver is gone, is the same here.
/// An end's name is a number like that of a descriptor, and is one: a child may inherit it, or another process be sent it, and
/// take it over by `init(adopting:right:)`. The end is closed with its last `SignalboxPort` in every process that has it.
///
/// Thread safety: any thread. Each message goes to one receiver.
public final class SignalboxPort: Sendable {
  /// What an end may do.
  public enum Right: Sendable {
    /// Take messages.
    case receive
    /// Send messages.
    case send
  }
  /// What came of sending.
  public typealias Sending = MessageSocket.Sending
  /// What came of receiving.
  public typealias Receiving = MessageSocket.Receiving

  /// What this end may do.
  public let right: Right
  private let socket: MessageSocket

  private init(_ socket: MessageSocket, _ right: Right) {
    self.socket = socket
    self.right = right
  }

  /// Makes a port, and gives both of its ends.
  ///
  /// - Throws: `SystemError` when there is no descriptor or no memory: EMFILE, ENFILE, ENOMEM.
  public static func makePair() throws(SystemError) -> (receive: SignalboxPort, send: SignalboxPort) {
    let pair = try MessageSocket.pair()
    return (SignalboxPort(pair.receiving, .receive), SignalboxPort(pair.sending, .send))
  }

  /// Takes over an end that this process has inherited or been sent; nil, and nothing is taken over, if `name` is none.
  ///
  /// - Parameter right: What the end may do: which of the two it is cannot be seen from its name.
  public init?(adopting name: mach_port_t, right: Right) {
    let descriptor = Int32(truncatingIfNeeded: name)
    guard MessageSocket.state(of: descriptor) != .notAPort else { return nil }
    socket = MessageSocket(adopting: descriptor)
    self.right = right
  }

  /// The end's name: for sources, and for other processes that get the descriptor of that number. Valid while this object lives.
  public var name: mach_port_t { mach_port_t(truncatingIfNeeded: socket.descriptor) }

  /// Whether programs that are started inherit this end. Not at first.
  public func setInherited(_ inherited: Bool) { socket.setInherited(inherited) }

  /// Another object for the same end, with a name of its own. The receiver is gone when all receiving ends are closed.
  ///
  /// - Throws: `SystemError` without a descriptor: EMFILE.
  public func duplicate() throws(SystemError) -> SignalboxPort { SignalboxPort(try socket.duplicate(), right) }

  /// Sends one message, which may be empty. Never waits.
  ///
  /// - Returns: `.full` while too many wait, `.receiverGone` when nobody can take it any more; it is not sent then.
  /// - Throws: `SystemError`: EMSGSIZE for one larger than about 200,000 bytes, ENOMEM.
  /// - Precondition: the right is to send.
  @discardableResult
  public func send(_ message: some Sequence<UInt8>) throws(SystemError) -> Sending {
    require(.send, "sends")
    return try socket.send(message)
  }

  /// Takes the message that waits longest. Never waits.
  ///
  /// - Returns: `.empty` if none waits, `.sendersGone` if none can come any more.
  /// - Throws: `SystemError`: ENOMEM.
  /// - Precondition: the right is to receive.
  public func receive() throws(SystemError) -> Receiving {
    require(.receive, "receives")
    return try socket.receive()
  }

  private func require(_ needed: Right, _ deed: String) {
    if right == needed { return }
    Misuse.stop("port \(name) \(deed), but has the right to \(right) only: use the other end of the pair")
  }
}
