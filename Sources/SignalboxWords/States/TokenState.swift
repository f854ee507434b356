// TokenState.swift: the tokens of a semaphore, and its sleepers, in one word. Alone: no other object has such a word.
// How many threads may sleep until there is a token. Pure: no atomics.
//
//   63       32 31        0
//  ┌───────────┬───────────┐
//  │ sleepers  │  tokens   │
//  └───────────┴───────────┘

@usableFromInline package struct TokenState: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
  @inlinable package static var tokens: Field { Field(0..<32) }
  @inlinable package static var sleepers: Field { Field(32..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [("tokens", tokens), ("sleepers", sleepers)]
  }

  @inlinable package var hasSleepers: Bool { self[Self.sleepers] > 0 }

  /// A token less; nil when there is none.
  @inlinable package func afterTake() -> Self? { self[Self.tokens] > 0 ? Self(rawValue: rawValue - Self.tokens.one) : nil }
}
