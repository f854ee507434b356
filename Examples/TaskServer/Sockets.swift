// Sockets.swift: a port and its clients as streams that tasks await: read sources yield what comes.
import Glibc
import Signalbox

/// A port of the loopback interface.
struct Listener: Sendable {
  let port: UInt16
  /// Those that connect to it, one after another.
  let clients: AsyncStream<Client>

  /// Begins to listen, on a port that is free; nil if there is none.
  init?() {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian  // 127.0.0.1
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isListening else { return nil }
    port = UInt16(bigEndian: address.sin_port)
    let (clients, feed) = AsyncStream<Client>.makeStream()
    self.clients = clients
    let source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: DispatchQueue(label: "listener"))
    source.setEventHandler {
      let descriptor = accept(listener, nil, nil)
      if descriptor >= 0 { feed.yield(Client(descriptor)) }
    }
    // The stream has the source, which would end without an owner.
    feed.onTermination = { _ in source.cancel() }
    source.activate()
  }
}

/// A client's connection.
struct Client: Sendable {
  /// What it writes, line by line, until it closes its side.
  let lines: AsyncStream<String>
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    let (lines, feed) = AsyncStream<String>.makeStream()
    self.lines = lines
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "client"))
    let rest = Rest()
    source.setEventHandler {
      var part = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &part, part.count)
      guard count > 0 else { return source.cancel() }
      for line in rest.lines(with: part[..<count]) { feed.yield(line) }
    }
    // The descriptor may be closed only once the source has let go of it.
    source.setCancelHandler { feed.finish() }
    source.activate()
  }

  /// Writes a line.
  func send(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// To be called once the lines have ended.
  func close() { Glibc.close(descriptor) }
}

/// The part of a line that has come without its end.
// SAFETY of @unchecked: the bytes belong to the queue of the client's source.
private final class Rest: @unchecked Sendable {
  private var bytes: [UInt8] = []

  /// The lines that are whole with these bytes.
  func lines(with more: ArraySlice<UInt8>) -> [String] {
    bytes += more
    guard let last = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    defer { bytes.removeSubrange(...last) }
    return bytes[..<last].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}
