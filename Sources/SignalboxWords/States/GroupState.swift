// GroupState.swift: how many are inside a group, in one word. Pure: no atomics, no locks.
//
//   63        33  32  31          2   1    0
//  ┌────────────┬────┬─────────────┬────┬────┐
//  │ generation │ KP │    count    │ NT │ WT │
//  └────────────┴────┴─────────────┴────┴────┘
//  count  members inside   generation  how often the group has become empty with somebody asking
//  NT  notifications wait for this generation's end   WT  threads do
//  KP  the members hold one reference of the group between them
//
//  INV-1  count = 0 ⇒ neither NT, WT nor KP: who empties the group takes them off in the same swap
//  INV-2  of a group that holds itself (C's): NT ∨ WT ⇒ KP: who has somebody to tell after that swap still finds the group

@usableFromInline package struct GroupState: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
  @inlinable package static var waiters: Field { Field(0..<1) }
  @inlinable package static var notifies: Field { Field(1..<2) }
  @inlinable package static var count: Field { Field(2..<32) }
  @inlinable package static var kept: Field { Field(32..<33) }
  @inlinable package static var generation: Field { Field(33..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [("waiters", waiters), ("notifies", notifies), ("count", count), ("kept", kept), ("generation", generation)]
  }

  @inlinable package static var flags: UInt64 { waiters.inPlace | notifies.inPlace }

  @inlinable package var isEmpty: Bool { self[Self.count] == 0 }

  /// Whether one member more would overflow: entering is one addition of `count.one`, and stops the program then.
  @inlinable package var isFull: Bool { self[Self.count] == Self.count.mask }

  /// One member more, which needs the group kept alive; `keep`: the one that comes must bring the reference.
  @inlinable package func afterEnterKeeping() -> (next: Self, keep: Bool) {
    var next = Self(rawValue: rawValue + Self.count.one)
    guard self[Self.kept] == 0 else { return (next, false) }
    next[Self.kept] = 1
    return (next, true)
  }

  /// The members hold a reference from now on; nil when there are none, or when they have one already.
  @inlinable package func afterKeep() -> Self? {
    guard !isEmpty, self[Self.kept] == 0 else { return nil }
    var next = self
    next[Self.kept] = 1
    return next
  }

  @usableFromInline package enum LeaveAction { case nothing, lastOut, lastOutWithAudience }
  /// `members` less; nil when there are fewer. Whoever takes `kept` off has the members' reference to give back.
  @inlinable package func afterLeave(_ members: UInt64 = 1) -> (next: Self, action: LeaveAction)? {
    guard self[Self.count] >= members else { return nil }
    var next = Self(rawValue: rawValue - members * Self.count.one)
    guard next.isEmpty else { return (next, .nothing) }
    next[Self.kept] = 0
    guard rawValue & Self.flags != 0 else { return (next, .lastOut) }
    next.rawValue &= ~Self.flags
    next[Self.generation] = (self[Self.generation] + 1) & Self.generation.mask
    return (next, .lastOutWithAudience)
  }

  /// Somebody asks for the end of this generation; nil when the group is empty, so that it has come already. `keeping`: the members
  /// hold the group from now on; `keep`: the one who asks must bring the reference.
  @inlinable package func afterAsk(_ flag: Field, keeping: Bool) -> (next: Self, keep: Bool)? {
    guard !isEmpty else { return nil }
    var next = self
    next[flag] = 1
    guard keeping, self[Self.kept] == 0 else { return (next, false) }
    next[Self.kept] = 1
    return (next, true)
  }

  @usableFromInline package var brokenInvariant: String? {
    isEmpty && rawValue & (Self.flags | Self.kept.inPlace) != 0 ? "INV-1" : nil
  }
}
