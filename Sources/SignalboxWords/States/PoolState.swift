// PoolState.swift: how many workers there are and what they do, in one word. Pure: no atomics, no threads.
//
//   63      48 47      32 31       16 15       0
//  ┌──────────┬──────────┬───────────┬──────────┐
//  │  total   │   idle   │ searching │ running  │
//  └──────────┴──────────┴───────────┴──────────┘
//  running    awake and not known to be blocked; searching ones included
//  searching  of those, searching for work or being woken to check
//  idle       parked, or about to park and bound to check once more
//  total      threads that exist or are being made
//
//  INV-1  searching ≤ running      INV-2  running + idle ≤ total
// Searching and idle share the word: who publishes work and sees a searcher leaves it to that searcher, whose leaving the
// search is a swap of this word after which it checks again.

@usableFromInline package struct PoolState: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
  @inlinable package static var running: Field { Field(0..<16) }
  @inlinable package static var searching: Field { Field(16..<32) }
  @inlinable package static var idle: Field { Field(32..<48) }
  @inlinable package static var total: Field { Field(48..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [("running", running), ("searching", searching), ("idle", idle), ("total", total)]
  }

  /// How many run and do not search.
  @inlinable @inline(__always) package var busy: UInt64 { self[Self.running] - self[Self.searching] }

  @inlinable package func adding(_ field: Field, _ change: Int) -> Self {
    var next = self
    next[field] = UInt64(Int(self[field]) + change)
    return next
  }

  @usableFromInline package enum WorkAction: Equatable { case nothing, wake, spawn, saturated, atBound }
  /// Work was published: who is to check it? `searchers`: the number that may search at once, at least one. `force`: one more than the processors.
  @inlinable package func afterWorkArrived(
    processors: UInt64, bound: UInt64, searchers: UInt64 = 1, force: Bool = false
  ) -> (next: Self, action: WorkAction) {
    if self[Self.searching] >= searchers { return (self, .nothing) }
    if self[Self.running] >= processors, !force { return (self, .saturated) }
    if self[Self.idle] > 0 {
      return (adding(Self.idle, -1).adding(Self.running, 1).adding(Self.searching, 1), .wake)
    }
    if self[Self.total] >= bound { return (self, .atBound) }
    return (adding(Self.total, 1).adding(Self.running, 1).adding(Self.searching, 1), .spawn)
  }

  /// A worker out of work: it searches if not enough others do, else it parks.
  @inlinable package func afterOutOfWork(searchers: UInt64 = 1) -> (next: Self, search: Bool) {
    if self[Self.searching] < searchers { return (adding(Self.searching, 1), true) }
    return (adding(Self.running, -1).adding(Self.idle, 1), false)
  }
  /// The searcher has found something.
  @inlinable package func afterFound() -> Self { adding(Self.searching, -1) }
  /// The searcher parks.
  @inlinable package func afterSearchEnded() -> Self {
    adding(Self.searching, -1).adding(Self.running, -1).adding(Self.idle, 1)
  }

  @inlinable package func afterBlocked() -> Self { adding(Self.running, -1) }
  @inlinable package func afterUnblocked() -> Self { adding(Self.running, 1) }
  /// The thread could not be made.
  @inlinable package func afterSpawnFailed() -> Self {
    adding(Self.total, -1).adding(Self.running, -1).adding(Self.searching, -1)
  }
  /// An idle worker ends, unless a waker has claimed every idle one.
  @inlinable package func afterIdleEnd() -> Self? {
    self[Self.idle] > 0 ? adding(Self.idle, -1).adding(Self.total, -1) : nil
  }
  /// A worker's thread ends inside an item.
  @inlinable package func afterThreadLost(wasRunning: Bool) -> Self {
    adding(Self.total, -1).adding(Self.running, wasRunning ? -1 : 0)
  }

  @usableFromInline package var brokenInvariant: String? {
    if self[Self.searching] > self[Self.running] { return "INV-1" }
    if self[Self.running] + self[Self.idle] > self[Self.total] { return "INV-2" }
    return nil
  }
}
