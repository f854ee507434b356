// LocalSocket.swift: a connection between two processes of one machine, by a name in the file system, and which process is at its other
// end. Messages that are kept apart are MessageSocket.swift.
import CSignalbox
import Glibc

/// One end of a connection. For one thread at a time; closes on exec, and with the object.
public final class LocalConnection {
  /// The process at the other end, as the kernel noted it when the connection was made.
  public struct Peer: Equatable, Sendable {
    /// The process: of the one that listens, the one that began to.
    public let process: Int32
    /// The user whose rights it had.
    public let user: UInt32
  }

  private let descriptor: Int32

  fileprivate init(adopting descriptor: Int32) { self.descriptor = descriptor }
  deinit { close(descriptor) }

  /// Connects to whoever listens under the name `path`. Waits for nobody: who does not take connections is found out by reading.
  ///
  /// - Throws: `SystemError`: ENOENT for no such name, ECONNREFUSED where nobody listens, EAGAIN where too many wait already,
  ///   ENAMETOOLONG, EACCES.
  public convenience init(to path: RawString) throws(SystemError) {
    let descriptor = try LocalAddress.makeSocket()
    self.init(adopting: descriptor)
    guard let address = LocalAddress(path) else { throw SystemError(call: "connect", code: ENAMETOOLONG) }
    _ = sb_set_status_flags(descriptor, O_NONBLOCK)
    try checkedErrno("connect", address.call { connect(descriptor, $0, $1) })
  }

  /// The other end; nil where the kernel does not tell.
  public var peer: Peer? {
    // The kernel's `struct ucred`: process, user, group.
    var words: [UInt32] = [0, 0, 0]
    var size = socklen_t(12)
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &words, &size) == 0, size == 12 else { return nil }
    return Peer(process: Int32(bitPattern: words[0]), user: words[1])
  }

  /// Takes what has come, waiting for it until `deadline` of uptime. Empty: the other end sends no more. nil: nothing has come.
  public func read(until deadline: UInt64) throws(SystemError) -> [UInt8]? {
    while true {
      guard waits(for: POLLIN, until: deadline) else { return nil }
      var result: Int64 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        result = sb_read(descriptor, buffer.start, buffer.count)
        count = max(0, Int(result))
      }
      if result >= 0 { return bytes }
      guard result == Int64(-EINTR) || result == Int64(-EAGAIN) else { throw SystemError(call: "read", code: Int32(-result)) }
    }
  }

  /// Sends all of `bytes`; false if they are not all taken by `deadline`, or the other end is gone.
  public func write(_ bytes: [UInt8], until deadline: UInt64) -> Bool {
    var written = 0
    while written < bytes.count {
      guard waits(for: POLLOUT, until: deadline) else { return false }
      let result = bytes.withUnsafeBytes { sb_write_quiet(descriptor, $0.start + written, $0.count - written) }
      if result == Int64(-EINTR) || result == Int64(-EAGAIN) { continue }
      guard result > 0 else { return false }
      written += Int(result)
    }
    return true
  }

  private func waits(for event: Int32, until deadline: UInt64) -> Bool {
    LocalWait.isOver(descriptor, for: event, until: deadline)
  }
}

/// Bytes to and from another process.
package protocol ByteChannel: AnyObject {
  /// See `LocalConnection`.
  func read(until deadline: UInt64) throws(SystemError) -> [UInt8]?
  /// See `LocalConnection`.
  func write(_ bytes: [UInt8], until deadline: UInt64) -> Bool
}

extension LocalConnection: ByteChannel {}

/// Waiting for a descriptor.
private enum LocalWait {
  /// Whether the event, or an error, has come by `deadline` of uptime.
  static func isOver(_ descriptor: Int32, for event: Int32, until deadline: UInt64) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    while true {
      let now = Clock.uptime()
      let left = deadline > now ? Int32(clamping: (deadline - now) / 1_000_000 + 1) : 0
      let ready = poll(&wanted, 1, left)
      if ready > 0 { return true }
      if ready == 0 || errno != EINTR { return false }
    }
  }
}

/// A name under which connections are taken. Closes on exec; who makes one removes the name.
public final class LocalListener: Sendable {
  /// The descriptor, for the child of a fork to close.
  public let descriptor: Int32
  private let identity: DescriptorStatus?

  /// Takes connections under the name `path`, which must be nobody's yet, for this user alone.
  ///
  /// - Throws: `SystemError`: EADDRINUSE for a name that is taken, ENAMETOOLONG for more than 107 bytes, EMFILE, ENOENT, EACCES.
  public init(at path: RawString) throws(SystemError) {
    let socket = try LocalAddress.makeSocket()
    do throws(SystemError) {
      guard let address = LocalAddress(path) else { throw SystemError(call: "bind", code: ENAMETOOLONG) }
      try checkedErrno("bind", address.call { bind(socket, $0, $1) })
      // Nobody can connect before `listen`. The folder keeps others out in any case.
      try checkedErrno("chmod", path.withCString { chmod($0, 0o600) })
      try checkedErrno("listen", listen(socket, 8))
    } catch {
      close(socket)
      throw error
    }
    (descriptor, identity) = (socket, DescriptorStatus(of: socket))
  }

  deinit { close(descriptor) }

  /// What came of waiting for a connection.
  public enum Acceptance {
    case connection(LocalConnection)
    /// Nobody has connected by the deadline.
    case none
    /// None now, for want of descriptors or memory: to be tried again.
    case later
    /// The program has closed the descriptor, which was not its own.
    case closed
  }

  private var isOurs: Bool { identity.map { DescriptorStatus(of: descriptor).map($0.isSameFile) == true } == true }

  /// Waits for a connection until `deadline` of uptime.
  public func accept(until deadline: UInt64) -> Acceptance {
    // A program may close whatever it finds open, and open something of its own under the number.
    guard isOurs else { return .closed }
    guard LocalWait.isOver(descriptor, for: POLLIN, until: deadline) else { return .none }
    guard isOurs else { return .closed }
    let made = Glibc.accept(descriptor, nil, nil)
    guard made >= 0 else {
      switch errno {
      case EBADF, ENOTSOCK, EINVAL, EOPNOTSUPP: return .closed
      default: return .later  // EINTR, ECONNABORTED, EMFILE, ENFILE, ENOMEM, and what the network layer passes on
      }
    }
    _ = fcntl(made, F_SETFD, FD_CLOEXEC)
    _ = sb_set_status_flags(made, O_NONBLOCK)
    return .connection(LocalConnection(adopting: made))
  }
}

/// A name as the socket calls take it.
private struct LocalAddress {
  private var address = sockaddr_un()

  /// nil: the name is too long.
  init?(_ path: RawString) {
    address.sun_family = sa_family_t(AF_UNIX)
    let isFit = withUnsafeMutableBytes(of: &address.sun_path) { place -> Bool in
      guard path.bytes.count < place.count else { return false }
      place.copyBytes(from: path.bytes)
      return true
    }
    if !isFit { return nil }
  }

  func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    // SAFETY: the calls take each kind of address by the pointer to its head, with its size.
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  static func makeSocket() throws(SystemError) -> Int32 {
    let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard made >= 0 else { throw SystemError(call: "socket", code: errno) }
    return made
  }
}
