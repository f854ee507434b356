// LoopbackServer.swift: the smallest HTTP server: answers each request on its port with the same words, a thread for each caller.
import Glibc
import SignalboxFoundation

/// Accepts until it is stopped; callers' threads end with their connections.
final class LoopbackServer: Sendable {
  static let text = "as you asked"
  let port: UInt16
  private let listener: Int32
  private let threads = DispatchGroup()

  init?() {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = self.listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { return nil }
    threads.enter()
    Thread.detachNewThread { [self] in
      while case let connection = accept(listener, nil, nil), connection >= 0 { serve(connection) }
      threads.leave()
    }
  }

  /// Waits until all its threads have ended.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    threads.wait()
    close(listener)
  }

  private func serve(_ connection: Int32) {
    threads.enter()
    Thread.detachNewThread { [self] in
      var head: [UInt8] = [], byte: UInt8 = 0
      while !head.reversed().starts(with: [10, 13, 10, 13]), recv(connection, &byte, 1, 0) == 1 { head.append(byte) }
      let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.text.utf8.count)\r\nConnection: close\r\n\r\n\(Self.text)"
      if !head.isEmpty { _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) }
      close(connection)
      threads.leave()
    }
  }
}
