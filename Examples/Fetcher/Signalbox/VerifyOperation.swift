// VerifyOperation.swift: compares a file that was delivered with what the catalogue says of it. Runs once its delivery has ended.

/// A plain operation: all of it happens in `main`.
// SAFETY of @unchecked: `storedVerdict` is guarded by `lock`.
final class VerifyOperation: Operation, @unchecked Sendable {
  enum Verdict: Sendable, Equatable {
    case sound
    case unsound(String)
  }

  /// Files may lie on a disk that does not like many readers.
  private static let readers = DispatchSemaphore(value: 2)

  private let document: Document
  private let queue = DispatchQueue(label: "fetcher.verify", qos: .utility)
  private let lock = NSLock()
  private var storedVerdict = Verdict.unsound("not checked")

  init(_ document: Document) {
    self.document = document
    super.init()
    name = "verify \(document.name)"
  }

  var verdict: Verdict { lock.withLock { storedVerdict } }

  override func main() {
    let result = judge(dependencies.lazy.compactMap { $0 as? Delivery }.first)
    lock.withLock { storedVerdict = result }
  }

  private func judge(_ delivery: Delivery?) -> Verdict {
    guard !isCancelled else { return .unsound("cancelled") }
    guard let delivery else { return .unsound("nobody delivers \(document.name)") }
    if case .failed(let reason) = delivery.outcome { return .unsound("\(document.name): \(reason)") }
    let (size, checksum) = read(delivery.destination)
    guard size == document.size else { return .unsound("\(document.name): \(size) bytes, not \(document.size)") }
    return checksum == document.checksum ? .sound : .unsound("\(document.name): wrong checksum")
  }

  /// Reads the file in two halves, each checked in order.
  private func read(_ file: URL) -> (size: Int, checksum: UInt32) {
    Self.readers.wait()
    defer { Self.readers.signal() }
    guard
      let channel = DispatchIO(
        type: .random, path: file.path, oflag: O_RDONLY, mode: 0, queue: queue, cleanupHandler: { _ in })
    else { return (0, 0) }
    defer { channel.close() }
    let half = document.size / 2
    let pieces = Gathered<(Int, Data)>()
    let halves = DispatchGroup()
    for range in [0..<half, half..<document.size] where !range.isEmpty {
      halves.enter()
      read(range, of: channel) {
        pieces.add((range.lowerBound, Data($0)))
      } end: {
        halves.leave()
      }
    }
    halves.wait()
    var checksum = Checksum()
    for (_, piece) in pieces.values.sorted(by: { $0.0 < $1.0 }) { checksum.add(piece) }
    return (pieces.values.reduce(0) { $0 + $1.1.count }, checksum.value)
  }

  private func read(
    _ range: Range<Int>, of channel: DispatchIO, piece: @escaping @Sendable (DispatchData) -> Void,
    end: @escaping @Sendable () -> Void
  ) {
    // The whole half at once: a low mark as high as the half.
    channel.setLimit(lowWater: document.size)
    channel.read(offset: off_t(range.lowerBound), length: range.count, queue: queue) { done, data, _ in
      if let data, !data.isEmpty { piece(data) }
      if done { end() }
    }
  }
}
