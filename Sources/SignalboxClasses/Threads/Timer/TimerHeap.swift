// TimerHeap.swift: the timers of one mode, the next one on top. Pure: no clock, no lock; the loop's lock guards it.

/// What a heap says of a timer. A timer that has changed since lies in it a second time; its older entry is stale.
struct HeapTimer {
  let core: LoopTimerCore
  let due: UInt64
  /// The last moment at which it should fire: due and tolerance.
  let latest: UInt64
  let generation: UInt64

  var isStale: Bool { core.generation != generation }
}

/// A binary heap, ordered by the latest moment to fire; of two with the same one, whichever came first.
struct TimerHeap {
  private var entries: [(entry: HeapTimer, number: UInt64)] = []
  private var nextNumber: UInt64 = 0
  private var staleCount = 0

  /// Entries, stale ones included.
  var count: Int { entries.count }

  /// The next one to fire. Complexity: O(log n) for each stale one that lay above it.
  mutating func top() -> HeapTimer? {
    while let first = entries.first {
      if !first.entry.isStale { return first.entry }
      _ = pop()
      staleCount = max(0, staleCount - 1)
    }
    return nil
  }

  /// Adds an entry. Complexity: O(log n).
  mutating func push(_ entry: HeapTimer) {
    entries.append((entry, nextNumber))
    nextNumber += 1
    siftUp(entries.count - 1)
  }

  /// Takes the top off. Complexity: O(log n).
  mutating func pop() -> HeapTimer? {
    guard let first = entries.first else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      siftDown(0)
    }
    return first.entry
  }

  /// One entry has become stale. When they are more than the others, all go: O(1) each in the long run.
  mutating func noteStale() {
    staleCount += 1
    guard staleCount * 2 > entries.count else { return }
    entries.removeAll { $0.entry.isStale }
    staleCount = 0
    for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
  }

  /// All that are not stale.
  var live: [HeapTimer] { entries.map(\.entry).filter { !$0.isStale } }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    (entries[left].entry.latest, entries[left].number) < (entries[right].entry.latest, entries[right].number)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0, isBefore(child, (child - 1) / 2) {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && isBefore(child, least) { least = child }
      if least == parent { return }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
