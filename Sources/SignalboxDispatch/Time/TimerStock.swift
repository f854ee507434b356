// TimerStock.swift: entries of past timers, kept for the next ones. What an entry is, is TimerEntry.swift.

/// Guarded by the lock of its clock.
struct TimerStock {
  /// More than that many go back to the allocator: what a crowd of timers took is returned when it has fired.
  static let limit = 1024
  private var chain = TimerChain()

  mutating func take() -> TimerEntryPointer? { chain.popFirst() }

  /// Takes over entries that have fired; returns those too many, for `free` outside the lock.
  mutating func give(_ used: inout TimerChain) -> TimerChain {
    while chain.count < Self.limit, let entry = used.popFirst() { chain.append(entry) }
    defer { used = TimerChain() }
    return used
  }

  static func free(_ entries: TimerChain) {
    var entries = entries
    while let entry = entries.popFirst() { entry.deallocate() }
  }
}
