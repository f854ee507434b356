// Listener.swift: a socket on the loopback that others connect to.
import Glibc

/// Listens from the beginning; the port is the system's choice.
struct Listener: Sendable {
  let descriptor: Int32
  let port: UInt16

  init?() {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.address(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = self.descriptor
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { return nil }
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Connects to it from outside; the connection stays open.
  func connect() {
    var address = Self.address(port: port)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        if Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) != 0 { say("no connection") }
      }
    }
  }

  /// Answers one request over HTTP with these words.
  func answer(_ words: String) {
    let connection = accept(descriptor, nil, nil)
    var head: [UInt8] = [], byte: UInt8 = 0
    while !head.reversed().starts(with: [10, 13, 10, 13]), recv(connection, &byte, 1, 0) == 1 { head.append(byte) }
    let text = "HTTP/1.1 200 OK\r\nContent-Length: \(words.utf8.count)\r\nConnection: close\r\n\r\n\(words)"
    _ = send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    close(connection)
  }
}
