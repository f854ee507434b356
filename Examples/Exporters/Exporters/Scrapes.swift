// Scrapes.swift: serves a text over HTTP to whoever asks on this machine: as much of a server as Prometheus needs.
import Glibc
import Signalbox

/// A port of the loopback interface that answers every request with a text. Ends with the process.
public final class Scrapes: Sendable {
  /// Its number.
  public let port: UInt16
  private let source: any DispatchSourceRead

  /// Begins to listen, on a port that is free; nil if there is none.
  public init?(_ text: @escaping @Sendable () -> String) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian  // 127.0.0.1
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isListening else { return nil }
    port = UInt16(bigEndian: address.sin_port)
    source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: DispatchQueue(label: "scrapes", qos: .utility))
    source.setEventHandler { Self.answer(accept(listener, nil, nil), text) }
    source.activate()
  }

  /// Reads the request, whatever it asks for, and answers it. Who says nothing is not waited for longer than a second.
  private static func answer(_ connection: Int32, _ text: () -> String) {
    guard connection >= 0 else { return }
    defer { close(connection) }
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var request = [UInt8](repeating: 0, count: 4096)
    guard read(connection, &request, request.count) > 0 else { return }
    let body = Array(text().utf8)
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    var rest = (Array(head.utf8) + body)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
