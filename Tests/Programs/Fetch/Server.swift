// Server.swift: the smallest HTTP server: one thread for each connection, plain system calls.
import Glibc

/// Answers until the process ends: `/NUMBER` with that many bytes, `/echo` with what was posted, `/slow` after a while.
final class Server: Sendable {
  let port: UInt16
  private let listener: Int32

  init() {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = self.listener
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    precondition(isBound, "no port for the server")
    port = UInt16(bigEndian: address.sin_port)
    Self.thread { [listener] in
      while true {
        let connection = accept(listener, nil, nil)
        if connection >= 0 { Self.thread { Self.serve(connection) } }
      }
    }
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  private static func thread(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let body = Unmanaged.passRetained(Body(run)).toOpaque()
    let result = pthread_create(
      &thread, nil,
      {
        Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run()
        return nil
      }, body)
    precondition(result == 0)
    pthread_detach(thread)
  }

  private static func serve(_ connection: Int32) {
    defer { close(connection) }
    var pending: [UInt8] = []
    while true {
      guard let head = read(connection, &pending, until: [13, 10, 13, 10]) else { return }
      let lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
      let path = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
      let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
        .flatMap { Int($0.split(separator: ":")[1].filter(\.isNumber)) }
      var body: [UInt8] = []
      if let length {
        while pending.count < length { if !more(connection, &pending) { return } }
        body = Array(pending.prefix(length))
        pending.removeFirst(length)
      }
      if path == "/slow" { usleep(50_000) }
      if let number = Int(path.dropFirst()) { body = (0..<number).map { UInt8(truncatingIfNeeded: $0 &* 31) } }
      let status = path == "/missing" ? "404 Not Found" : "200 OK"
      guard send(connection, Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body) else { return }
    }
  }

  private static func more(_ connection: Int32, _ pending: inout [UInt8]) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(connection, &bytes, bytes.count, 0)
    if count > 0 { pending += bytes.prefix(count) }
    return count > 0
  }

  private static func read(_ connection: Int32, _ pending: inout [UInt8], until mark: [UInt8]) -> [UInt8]? {
    while true {
      if let end = pending.indices.first(where: { pending[$0...].starts(with: mark) }) {
        defer { pending.removeFirst(end + mark.count) }
        return Array(pending[..<end])
      }
      if !more(connection, &pending) { return nil }
    }
  }

  private static func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { rest in
        Glibc.send(connection, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }
}
