// GroupState.swift: how many are inside a group, in one word. Pure: no atomics, no locks.
//
//   63        32 31          2   1    0
//  ┌────────────┬─────────────┬────┬────┐
//  │ generation │    count    │ NT │ WT │
//  └────────────┴─────────────┴────┴────┘
//  count  members inside   generation  how often the group has become empty with somebody asking
//  NT  notifications wait for this generation's end   WT  threads do
//
//  INV-1  count = 0 ⇒ neither NT nor WT: who empties the group takes both off in the same swap
import SignalboxSystem

struct GroupState: PackedWord {
  var rawValue: UInt64
  static let waiters = Field(0..<1), notifies = Field(1..<2), count = Field(2..<32), generation = Field(32..<64)
  static var layout: [Field] { [waiters, notifies, count, generation] }

  private static let flags = waiters.inPlace | notifies.inPlace

  var isEmpty: Bool { self[Self.count] == 0 }

  /// Whether one member more would overflow: entering is one addition of `count.one`, and stops the program then.
  var isFull: Bool { self[Self.count] == Self.count.mask }

  enum LeaveAction { case nothing, lastOut, lastOutWithAudience }
  /// One member less; nil when there was none.
  func afterLeave() -> (next: Self, action: LeaveAction)? {
    guard self[Self.count] > 0 else { return nil }
    var next = Self(rawValue: rawValue - Self.count.one)
    guard next.isEmpty else { return (next, .nothing) }
    guard rawValue & Self.flags != 0 else { return (next, .lastOut) }
    next.rawValue &= ~Self.flags
    next[Self.generation] = (self[Self.generation] + 1) & Self.generation.mask
    return (next, .lastOutWithAudience)
  }

  /// Somebody asks for the end of this generation; nil when the group is empty, so that it has come already.
  func afterAsk(_ flag: Field) -> Self? {
    guard !isEmpty else { return nil }
    var next = self
    next[flag] = 1
    return next
  }

  var brokenInvariant: String? { isEmpty && rawValue & Self.flags != 0 ? "INV-1" : nil }
}
