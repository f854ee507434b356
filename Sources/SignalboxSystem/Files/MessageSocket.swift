// MessageSocket.swift: one end of a connection that keeps messages apart, within a process or between two. Ports are made of it.
import CSignalbox
import Glibc

/// One end of a pair of connected sockets. Messages go one way by agreement: from the senders' end to the receiver's.
///
/// Thread safety: any thread; each message goes to one reader. Closes on exec, unless inherited, and with the object.
public final class MessageSocket: Sendable {
  /// The descriptor: to be monitored, inherited or sent to another process; not to be closed.
  public let descriptor: Int32

  /// Takes an open descriptor over, and closes it with the object.
  public init(adopting descriptor: Int32) { self.descriptor = descriptor }
  deinit { close(descriptor) }

  /// Opens both ends. Throws `SystemError`: EMFILE, ENFILE, ENOMEM.
  public static func pair() throws(SystemError) -> (receiving: MessageSocket, sending: MessageSocket) {
    var ends: [Int32] = [-1, -1]
    try checked("socketpair", sb_message_pair(&ends))
    return (MessageSocket(adopting: ends[0]), MessageSocket(adopting: ends[1]))
  }

  /// What came of sending.
  public enum Sending: Equatable, Sendable {
    /// It waits at the other end.
    case sent
    /// There is no room until something is received.
    case full
    /// Nobody can receive it any more.
    case receiverGone
  }

  /// Sends one message, which may be empty. Never waits, raises no signal.
  ///
  /// - Throws: `SystemError`: EMSGSIZE when it is larger than the socket takes (about 200,000 bytes), ENOMEM.
  public func send(_ message: some Sequence<UInt8>) throws(SystemError) -> Sending {
    // A byte in front: a message of none would look like the end.
    let bytes = [0] + message
    while true {
      let sent = bytes.withUnsafeBytes { sb_message_send(descriptor, $0.start, $0.count) }
      switch Int32(-sent) {
      case ...0: return .sent
      case EINTR: continue
      case EAGAIN, ENOBUFS: return .full
      case EPIPE, ECONNRESET, ENOTCONN, ECONNREFUSED: return .receiverGone
      default: throw SystemError(call: "send", code: Int32(-sent))
      }
    }
  }

  /// What came of receiving.
  public enum Receiving: Equatable, Sendable {
    /// This message.
    case message([UInt8])
    /// None waits.
    case empty
    /// None waits, and none can come any more.
    case sendersGone
  }

  /// Takes the first message that waits. Never waits itself. Throws `SystemError`: ENOMEM, EBADF for an adopted descriptor that
  /// was not open.
  public func receive() throws(SystemError) -> Receiving {
    while true {
      let waiting = sb_message_peek(descriptor)
      if waiting == Int64(-EINTR) { continue }
      guard waiting > 0 else { return try Self.nothing(waiting) }
      var size: Int64 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: Int(waiting)) { buffer, filled in
        size = sb_message_receive(descriptor, buffer.start, buffer.count)
        filled = max(0, min(Int(size), buffer.count))
      }
      // Another reader was faster, and what was taken is cut: only possible when two read one end at once.
      if size == Int64(-EINTR) || size == Int64(-EAGAIN) { continue }
      guard size > 0 else { return try Self.nothing(size) }
      guard size <= waiting else { throw SystemError(call: "recv", code: EMSGSIZE) }
      return .message(Array(bytes.dropFirst()))
    }
  }

  private static func nothing(_ result: Int64) throws(SystemError) -> Receiving {
    switch Int32(-result) {
    case 0, ECONNRESET: return .sendersGone
    case EAGAIN: return .empty
    default: throw SystemError(call: "recv", code: Int32(-result))
    }
  }

  /// What a descriptor that others gave us says of messages.
  public enum State: Equatable, Sendable {
    /// A message waits.
    case waiting
    /// None does.
    case quiet
    /// None does and the other end is gone.
    case cut
    /// It is not the end of such a connection.
    case notAPort
  }

  /// Polls a descriptor without receiving anything.
  public static func state(of descriptor: Int32) -> State {
    guard sb_socket_kind(descriptor) == sb_message_socket_kind() else { return .notAPort }
    let size = sb_message_peek(descriptor)
    switch Int32(-size) {
    case ..<0: return .waiting
    case 0, ECONNRESET: return .cut
    case EAGAIN, EINTR: return sb_poll_now(descriptor, 0) & Int32(POLLHUP) != 0 ? .cut : .quiet
    default: return .notAPort  // EBADF, ENOTSOCK, a socket of another kind
    }
  }

  /// The same end under a number of its own.
  public func duplicate() throws(SystemError) -> MessageSocket { try Self.duplicate(of: descriptor) }

  /// The end that a descriptor of others' belongs to, under a number of its own. Throws `SystemError`: EMFILE, EBADF.
  public static func duplicate(of descriptor: Int32) throws(SystemError) -> MessageSocket {
    MessageSocket(adopting: try checked("fcntl", sb_duplicate(descriptor)))
  }

  /// Whether programs that are started inherit the descriptor. Not at first.
  public func setInherited(_ inherited: Bool) { _ = sb_set_inherited(descriptor, inherited ? 1 : 0) }
}
