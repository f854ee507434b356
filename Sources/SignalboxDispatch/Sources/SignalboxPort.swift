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
///
/// ```swift
/// let (receiver, sender) = try SignalboxPort.makePair()
/// try sender.send("hello".utf8)
/// if case .message(let bytes) = try receiver.receive() { print(String(decoding: bytes, as: UTF8.self)) }  // hello
/// print(receiver.right == .receive, sender.name != receiver.name)  // true true
/// ```
public final class SignalboxPort: Sendable {
  /// What an end of a port may do.
  ///
  /// ```swift
  /// let port = try SignalboxPort.makePair()
  /// print(port.receive.right == .receive, port.send.right == .send)  // true true
  /// ```
  public enum Right: Sendable {
    /// Receive messages.
    case receive
    /// Send messages.
    case send
  }
  /// The result of sending.
  ///
  /// ```swift
  /// let port = try SignalboxPort.makePair()
  /// let outcome: SignalboxPort.Sending = try port.send.send("hello".utf8)
  /// switch outcome {
  /// case .sent: print("it waits at the other end")
  /// case .full: print("there is no room until a message is received")
  /// case .receiverGone: print("all receiving ends are closed")
  /// }
  /// ```
  public typealias Sending = MessageSocket.Sending
  /// The result of receiving.
  ///
  /// ```swift
  /// let port = try SignalboxPort.makePair()
  /// let arrival: SignalboxPort.Receiving = try port.receive.receive()
  /// switch arrival {
  /// case .message(let bytes): print(bytes.count, "bytes")
  /// case .empty: print("no message waits")
  /// case .sendersGone: print("all sending ends are closed")
  /// }
  /// ```
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
  /// ```swift
  /// let port = try SignalboxPort.makePair()
  /// try port.send.send([1, 2, 3])
  /// print(try port.receive.receive())  // message([1, 2, 3])
  /// ```
  ///
  /// - Throws: `SystemError` if there is no descriptor or no memory left: EMFILE, ENFILE, ENOMEM.
  public static func makePair() throws(SystemError) -> (receive: SignalboxPort, send: SignalboxPort) {
    let pair = try MessageSocket.pair()
    return (SignalboxPort(pair.receiving, .receive), SignalboxPort(pair.sending, .send))
  }

  /// Takes over an end that this process inherited or received. Returns nil, and takes nothing over, if `name` is not an end of
  /// a port.
  ///
  /// ```swift
  /// // In a child process, which has inherited the end and gets its number as the first argument:
  /// if let name = CommandLine.arguments.dropFirst().first.flatMap({ mach_port_t($0) }),
  ///   let parent = SignalboxPort(adopting: name, right: .send)
  /// {
  ///   try parent.send("ready".utf8)
  /// }
  /// ```
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
  ///
  /// ```swift
  /// let port = try SignalboxPort.makePair()
  /// port.send.setInherited(true)
  /// print("start the child with the argument", port.send.name)  // it calls SignalboxPort(adopting:right:)
  /// ```
  public func setInherited(_ inherited: Bool) { socket.setInherited(inherited) }

  /// Makes another object for the same end, with a name of its own. The receiver is gone when all receiving ends are closed.
  ///
  /// ```swift
  /// let port = try SignalboxPort.makePair()
  /// let second = try port.send.duplicate()
  /// print(second.name == port.send.name)  // false
  /// try second.send("hello".utf8)
  /// ```
  ///
  /// - Throws: `SystemError` if there is no descriptor left: EMFILE.
  public func duplicate() throws(SystemError) -> SignalboxPort { SignalboxPort(try socket.duplicate(), right) }

  /// Sends one message, which may be empty. Never blocks.
  ///
  /// ```swift
  /// let port = try SignalboxPort.makePair()
  /// let outcome = try port.send.send("hello".utf8)
  /// print(outcome == .sent)  // true
  /// ```
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
  /// ```swift
  /// let port = try SignalboxPort.makePair()
  /// print(try port.receive.receive())  // empty
  /// try port.send.send([7])
  /// print(try port.receive.receive())  // message([7])
  /// ```
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
