// Connection.swift: one request and its response, read and written by a channel.

/// Belongs to its server's queue: all handlers run there. It lives as long as an operation of its channel does.
// SAFETY of @unchecked: what changes is used on `queue` only.
final class Connection: @unchecked Sendable {
  private static let endOfHead = Data("\r\n\r\n".utf8)
  private static let longestHead = 8_192

  private let channel: DispatchIO
  private let queue: DispatchQueue
  private var head = Data()
  private var isAnswered = false
  private var isComplete = false
  private var unsent = 0

  init(_ descriptor: Int32, queue: DispatchQueue) {
    self.queue = queue
    channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) { _ in close(descriptor) }
    channel.setLimit(lowWater: 1)
  }

  /// Calls `answer` with the name of the file that is asked for; hangs up on everybody else.
  func readRequest(_ answer: @escaping @Sendable (Connection, String) -> Void) {
    channel.read(offset: 0, length: Self.longestHead, queue: queue) { [self] done, data, _ in
      guard !isAnswered else { return }
      head.append(contentsOf: data ?? .empty)
      if head.range(of: Self.endOfHead) != nil {
        isAnswered = true
        if let file = requestedFile { answer(self, file) } else { respond(status: "400 Bad Request") }
      } else if done {
        hangUp()
      }
    }
  }

  /// Sends the file piece by piece as it is read.
  func respond(with file: URL) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    guard let size = attributes?[.size] as? NSNumber,
      let source = DispatchIO(type: .stream, path: file.path, oflag: O_RDONLY, mode: 0, queue: queue, cleanupHandler: { _ in })
    else { return respond(status: "404 Not Found") }
    send(head("200 OK", length: size.intValue))
    source.setLimit(highWater: 16_384)
    source.read(offset: 0, length: .max, queue: queue) { [self] done, data, _ in
      if let data, !data.isEmpty { send(data) }
      if done {
        source.close()
        finish()
      }
    }
  }

  func respond(status: String) {
    send(head(status, length: 0))
    finish()
  }

  /// Ends the conversation at once.
  func hangUp() { channel.close(flags: .stop) }

  private var requestedFile: String? {
    let words = String(decoding: head, as: UTF8.self).prefix { $0 != "\r\n" }.split(separator: " ")
    guard words.count == 3, words[0] == "GET", words[1].hasPrefix("/"), !words[1].contains("..") else { return nil }
    return String(words[1].dropFirst())
  }

  private func head(_ status: String, length: Int) -> DispatchData {
    let text = "HTTP/1.1 \(status)\r\nContent-Type: text/plain\r\nContent-Length: \(length)\r\nConnection: close\r\n\r\n"
    return Data(text.utf8).withUnsafeBytes { DispatchData(bytes: $0) }
  }

  private func send(_ data: DispatchData) {
    unsent += 1
    channel.write(offset: 0, data: data, queue: queue) { [self] done, _, _ in
      guard done else { return }
      unsent -= 1
      hangUpIfSent()
    }
  }

  /// Hangs up behind the last piece. A barrier would not do: it waits for the reading too, which goes on while the caller
  /// listens.
  private func finish() {
    isComplete = true
    hangUpIfSent()
  }

  private func hangUpIfSent() {
    if isComplete, unsent == 0 { hangUp() }
  }
}
