// Journal.swift: what was done to the accounts, in order. Written to a disk that is slow today.

// SAFETY of @unchecked: the amounts belong to `queue`.
final class Journal: @unchecked Sendable {
  private let queue = DispatchQueue(label: "journal")
  private let writing = DispatchSemaphore(value: 0)
  private let stage: Stage
  private var amounts: [Int] = [], written = 0

  init(_ stage: Stage) { self.stage = stage }

  func add(_ amount: Int) { queue.async { self.amounts.append(amount) } }

  /// All amounts together. Waits for the queue's turn, and so for the disk.
  func total() -> Int { queue.sync { amounts.reduce(0, +) } }

  func flush(_ group: DispatchGroup) { queue.async(group: group) { self.write() } }

  /// Returns once a flush is under way.
  func awaitFlush() { writing.wait() }

  private func write() {
    writing.signal()
    stage.keep(.mainQueue, milliseconds: 250)
    written = amounts.count
  }
}
