// TokenState.swift: the tokens of a semaphore, and how many threads may sleep until there is one, in one word. Pure: no atomics.
//
//   63       32 31        0
//  ┌───────────┬───────────┐
//  │ sleepers  │  tokens   │
//  └───────────┴───────────┘
import SignalboxSystem

struct TokenState: PackedWord {
  var rawValue: UInt64
  static var tokens: Field { Field(0..<32) }
  static var sleepers: Field { Field(32..<64) }
  static var fields: [(name: String, field: Field)] {
    [("tokens", tokens), ("sleepers", sleepers)]
  }

  var hasSleepers: Bool { self[Self.sleepers] > 0 }

  /// A token less; nil when there is none.
  func afterTake() -> Self? { self[Self.tokens] > 0 ? Self(rawValue: rawValue - Self.tokens.one) : nil }
}
