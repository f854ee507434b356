// WaitLayout.swift: the record of a wait, word by word: as the C struct `sb_wait` has it, and as readers of other
// processes find it. How it is written and read is WaitRecord.swift.

/// The words of a record.
@usableFromInline package enum WaitCell: Int, Sendable {
  /// Odd while the record is being written.
  case sequence = 0
  /// The waiting thread: its owner value, and the kernel's number.
  case owner, tid
  /// `WaitFacts`; 0: the thread does not wait.
  case what
  /// The address of what is waited for, and since when, on the uptime clock.
  case object, since
  /// The address of the word slept on, 0 if the wait is not to be judged by it; and the value that it had.
  case park, parkValue
  /// `WaitCounts`.
  case counts
  /// The first of the lists: owner words.
  case words
  /// Frames, innermost first; what is held beside others; return addresses.
  case frames = 15
  case shared = 31
  case stack = 39
}

/// What a record says of the wait, in one word.
///
///   63       11  10   9    8  7        0
///  ┌───────────┬────┬────┬────┬──────────┐
///  │     0     │ EX │ IN │ TI │   kind   │
///  └───────────┴────┴────┴────┴──────────┘
@usableFromInline package struct WaitFacts: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable package static var kind: Field { Field(0..<8) }
  /// It ends by itself.
  @inlinable package static var timed: Field { Field(8..<9) }
  /// The thread is inside of something.
  @inlinable package static var inside: Field { Field(9..<10) }
  /// An explorer chooses when the thread goes on, and may leave it where it is: to other threads it is no wait to be
  /// judged.
  @inlinable package static var explored: Field { Field(10..<11) }
  @inlinable package static var unused: Field { Field(11..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [("kind", kind), ("timed", timed), ("inside", inside), ("explored", explored), ("unused", unused)]
  }

  /// The facts of a wait.
  @inlinable package init(_ kind: WaitKind, isTimed: Bool, isInside: Bool, isExplored: Bool) {
    rawValue =
      UInt64(kind.rawValue) | (isTimed ? Self.timed.inPlace : 0) | (isInside ? Self.inside.inPlace : 0)
      | (isExplored ? Self.explored.inPlace : 0)
  }

  /// Whether the thread does not wait.
  @inlinable package var isNone: Bool { rawValue == 0 }
  /// What is waited for; nil for a kind that there is none of.
  @inlinable package var kind: WaitKind? { WaitKind(rawValue: UInt8(truncatingIfNeeded: rawValue)) }
  @inlinable package var isTimed: Bool { self[Self.timed] == 1 }
  @inlinable package var isInside: Bool { self[Self.inside] == 1 }
  @inlinable package var isExplored: Bool { self[Self.explored] == 1 }
}

/// How much of each list of a record is in use, in one word of four bytes.
@usableFromInline package struct WaitCounts: Equatable, Sendable {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
  @inlinable package init(words: Int, frames: Int, shared: Int, stack: Int) {
    rawValue = UInt64(words) | UInt64(frames) << 8 | UInt64(shared) << 16 | UInt64(stack) << 24
  }

  @inlinable package func byte(_ shift: UInt64) -> Int { Int(rawValue >> shift & 0xFF) }
  @inlinable package var words: Int { byte(0) }
  @inlinable package var frames: Int { byte(8) }
  @inlinable package var shared: Int { byte(16) }
  @inlinable package var stack: Int { byte(24) }
}
