// Sockets.swift: the few socket calls that neither Foundation nor Dispatch has.

/// A system call that failed, in words.
struct SocketFailure: Error, CustomStringConvertible {
  let call: String
  let code: Int32
  init(_ call: String) {
    self.call = call
    code = errno
  }
  var description: String { "\(call): \(String(cString: strerror(code)))" }
}

enum Sockets {
  /// A socket of the loopback interface that listens on a free port, and its port.
  static func listener() throws(SocketFailure) -> (descriptor: Int32, port: UInt16) {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { throw SocketFailure("socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 128) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isListening else {
      let failure = SocketFailure("listen")
      close(descriptor)
      throw failure
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// The next caller's connection; nil if nobody calls any more.
  static func nextCaller(of listener: Int32) -> Int32? {
    while true {
      let connection = accept(listener, nil, nil)
      if connection >= 0 {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return connection
      }
      if errno != EINTR && errno != ECONNABORTED { return nil }
    }
  }
}
