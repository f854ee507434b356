// TimerStock.swift: entries of past timers, kept for the next ones. What an entry is, is TimerEntry.swift.

/// Guarded by the lock of its clock.
struct TimerStock {
  /// More than that many go back to the allocator: what a crowd of timers took is returned when it has fired.
  static let limit = 1024
  private var entries: [TimerEntryPointer] = []

  mutating func take() -> TimerEntryPointer? { entries.popLast() }

  /// Takes over entries that have come due, as many as it keeps; the rest is for the caller to free outside of the lock.
  mutating func give(_ spent: inout [TimerEntryPointer]) {
    let count = min(spent.count, Self.limit - entries.count)
    entries.append(contentsOf: spent.suffix(count))
    spent.removeLast(count)
  }
}
