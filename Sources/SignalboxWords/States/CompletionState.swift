// CompletionState.swift: whether a work item has run, and who asks, in one word. Pure: no atomics, no locks.
//
//   63      19 18        3  2    1    0
//  ┌──────────┬───────────┬────┬────┬────┐
//  │  unused  │  finders  │ NT │ WT │ DN │
//  └──────────┴───────────┴────┴────┴────┘
//  DN the first run has ended   WT threads wait for that   NT notifications do
//  finders  threads that are just taking a reference to the queue in which the item lies: until they have it no run of the item returns to
//           its drain, which has one
//
//  INV-1  DN ⇒ neither WT nor NT: the run that sets it takes them off in the same swap

@usableFromInline package struct CompletionState: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
  @inlinable package static var done: Field { Field(0..<1) }
  @inlinable package static var waiters: Field { Field(1..<2) }
  @inlinable package static var notifies: Field { Field(2..<3) }
  @inlinable package static var finders: Field { Field(3..<19) }
  @inlinable package static var unused: Field { Field(19..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [("done", done), ("waiters", waiters), ("notifies", notifies), ("finders", finders), ("unused", unused)]
  }

  @inlinable package var isDone: Bool { self[Self.done] == 1 }

  /// The first run has ended; nil when one had before.
  @inlinable package func afterRun() -> Self? {
    isDone ? nil : Self(rawValue: Self.done.inPlace | rawValue & Self.finders.inPlace)
  }

  /// Somebody searches for where the item lies; nil when that is too late, or too many do.
  @inlinable package func afterFind() -> Self? {
    isDone || self[Self.finders] == Self.finders.mask ? nil : Self(rawValue: rawValue + Self.finders.one)
  }
  /// He has what he wanted.
  @inlinable package func afterFound() -> Self { Self(rawValue: rawValue - Self.finders.one) }

  /// Somebody asks for the end; nil when it has come.
  @inlinable package func afterAsk(_ flag: Field) -> Self? { isDone ? nil : Self(rawValue: rawValue | flag.inPlace) }

  @usableFromInline package var brokenInvariant: String? {
    isDone && rawValue & (Self.waiters.inPlace | Self.notifies.inPlace) != 0 ? "INV-1" : nil
  }
}
