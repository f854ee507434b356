// Ledger.swift: what was promised and what was kept: one entry for each thing that must happen exactly once.
//
// All words are relaxed on purpose: the ledger must not order anything for the engine under test, so that the thread sanitizer
// sees only the order that the engine itself makes.
import Synchronization

/// What an entry stands for, as reports name it.
enum Promise: UInt64 {
  case item = 1, sync, workItem, notification, timer, applyBody, leave

  var name: String {
    switch self {
    case .item: "async item"
    case .sync: "sync"
    case .workItem: "work item"
    case .notification: "notification"
    case .timer: "delayed item"
    case .applyBody: "apply body"
    case .leave: "group leave"
    }
  }
}

/// Entries: runs in bits 0..<16, the number that is expected in 16..<32, kind in 32..<40, place in 40..<56, lenient in 56.
final class Ledger: @unchecked Sendable {
  // SAFETY of @unchecked: the words are atomic and live as long as the ledger.
  private let entries: UnsafeMutablePointer<Atomic<UInt64>>
  private let capacity: Int
  private let used = Atomic<Int>(0)
  private let closed = Atomic<Int>(0)

  init(capacity: Int) {
    self.capacity = capacity
    entries = .allocate(capacity: capacity)
    for index in 0..<capacity { (entries + index).initialize(to: Atomic(0)) }
  }
  deinit {
    entries.deinitialize(count: capacity)
    entries.deallocate()
  }

  /// How many entries are still to be closed; a moment's view.
  var outstanding: Int { used.load(ordering: .relaxed) - closed.load(ordering: .relaxed) }
  var count: Int { min(used.load(ordering: .relaxed), capacity) }
  var isFull: Bool { used.load(ordering: .relaxed) > capacity - capacity / 8 }

  /// A new entry, to be kept `times` times: at most that often when `lenient` (something that may be cancelled).
  func open(_ kind: Promise, at place: Int, times: Int = 1, lenient: Bool = false) -> Int {
    let index = used.add(1, ordering: .relaxed).oldValue
    precondition(index < capacity, "the ledger is too small for this world")
    let word =
      UInt64(times) << 16 | kind.rawValue << 32 | UInt64(truncatingIfNeeded: place & 0xFFFF) << 40 | (lenient ? 1 << 56 : 0)
    entries[index].store(word, ordering: .relaxed)
    return index
  }

  /// It has happened, once more. Of a lenient entry this is not the end; `settle` is.
  func keep(_ index: Int) {
    let word = entries[index].add(1, ordering: .relaxed).newValue
    if word & 0xFFFF == word >> 16 & 0xFFFF, word >> 56 & 1 == 0 { closed.add(1, ordering: .relaxed) }
  }

  /// Whether it has happened as often as promised.
  func isKept(_ index: Int) -> Bool {
    let word = entries[index].load(ordering: .relaxed)
    return word & 0xFFFF == word >> 16 & 0xFFFF
  }

  /// A lenient entry is over: it was kept, or cancelled.
  func settle(_ index: Int) { closed.add(1, ordering: .relaxed) }

  /// Entries that were not kept as often as promised; for the end of a round, or for a report of a round that hangs.
  func broken(limit: Int = 40) -> [String] {
    var lines: [String] = []
    for index in 0..<count {
      let word = entries[index].load(ordering: .relaxed)
      let (runs, times) = (word & 0xFFFF, word >> 16 & 0xFFFF)
      if runs == times || (word >> 56 & 1 == 1 && runs < times) { continue }
      let kind = Promise(rawValue: word >> 32 & 0xFF)?.name ?? "unwritten entry"
      lines.append("\(kind) \(index) at \(Int16(truncatingIfNeeded: word >> 40)): ran \(runs) of \(times) times")
      if lines.count == limit { break }
    }
    return lines
  }
}

/// How many counted objects of a world are alive.
final class Census: Sendable {
  private let living = Atomic<Int>(0)
  var count: Int { living.load(ordering: .relaxed) }
  fileprivate func add(_ change: Int) { living.add(change, ordering: .relaxed) }
}

/// An object that everything in a world captures, so that a closure or queue that is never freed shows.
final class Token: Sendable {
  private let census: Census
  init(_ census: Census) {
    self.census = census
    census.add(1)
  }
  deinit { census.add(-1) }
}
