// Connection.swift: a client's connection: bytes come by a read source, and the connection's task awaits them by a
// continuation. Requests are served one after another, as HTTP/1.1 has it.
import Dispatch
import Glibc
import Synchronization

/// One connection. Its task alone calls it.
struct Connection: Sendable {
  private let descriptor: Int32
  private let inbox = Inbox()

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var isOn: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    source.setEventHandler { [inbox] in
      var part = [UInt8](repeating: 0, count: 4_096)
      let count = read(descriptor, &part, part.count)
      if count > 0 { return inbox.add(part[..<count]) }
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      source.cancel()
    }
    // The descriptor may be closed only once the source has let go of it.
    source.setCancelHandler { [inbox] in inbox.end() }
    source.activate()
  }

  /// Answers each request with the text that `answer` makes of its path, until the client closes its side.
  func serve(_ answer: (Substring) async -> String) async {
    while let request = await inbox.nextRequest() {
      let words = request.split(separator: " ", maxSplits: 2)
      guard words.count == 3, words[0] == "GET" else {
        send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        continue
      }
      let text = await answer(words[1])
      send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }
    close(descriptor)
  }

  /// Answers fit into the socket's buffer, as a client has one request at a time.
  private func send(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
  }
}

/// Bytes that have come, and the task that waits for more of them.
final class Inbox: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var hasEnded = false
    var waiter: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  func add(_ bytes: ArraySlice<UInt8>) { resume { $0.bytes += bytes } }
  func end() { resume { $0.hasEnded = true } }

  private func resume(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      return state.waiter.take()
    }?.resume()
  }

  /// The head of the next request; nil: the client has closed its side.
  func nextRequest() async -> String? {
    while true {
      let (request, hasEnded) = state.withLock { state in (Self.takeRequest(&state.bytes), state.hasEnded) }
      if request != nil || hasEnded { return request }
      await withCheckedContinuation { continuation in
        let comesTooLate = state.withLock { state in
          if state.hasEnded || Self.hasRequest(state.bytes) { return true }
          state.waiter = continuation
          return false
        }
        if comesTooLate { continuation.resume() }
      }
    }
  }

  /// Where the empty line ends that ends a request.
  private static func end(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (4...bytes.count).first { end in
      bytes[end - 1] == 10 && bytes[end - 2] == 13 && bytes[end - 3] == 10 && bytes[end - 4] == 13
    }
  }

  private static func hasRequest(_ bytes: [UInt8]) -> Bool { end(bytes) != nil }

  private static func takeRequest(_ bytes: inout [UInt8]) -> String? {
    guard let end = end(bytes) else { return nil }
    defer { bytes.removeSubrange(..<end) }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}
