// OnceState.swift: how far something is that is done once, in one word. Pure: no atomics, no I/O.
//
//   63                         2    1    0
//  ┌───────────────────────────┬────┬────┐
//  │          runner           │ AW │ RN │     all zero: not yet     all ones: done
//  └───────────────────────────┴────┴────┘
//  runner  thread slot and generation of the thread that runs it
//  AW      somebody may sleep until it is done
//  RN      a thread runs it
//
//  INV-1  RN ⇔ runner ≠ 0
//  INV-2  AW ⇒ RN

@usableFromInline package struct OnceState: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [
      ("RN", Field(0..<1)), ("AW", Field(1..<2)), ("runner", Field(2..<64)),
    ]
  }
  @inlinable package static var runs: UInt64 { 1 }
  @inlinable package static var awaited: UInt64 { 2 }

  @inlinable package static var notYet: OnceState { OnceState(rawValue: 0) }
  @inlinable package static var done: OnceState { OnceState(rawValue: ~0) }

  @inlinable package var isDone: Bool { self == .done }
  /// Whether somebody may sleep until this one's end.
  @inlinable package var isAwaited: Bool { rawValue & Self.awaited != 0 }
  /// Who runs it; nil if nobody does, any more or yet.
  @inlinable package var runner: UInt64? { isDone || self == .notYet ? nil : rawValue >> 2 }
  /// The half that threads sleep on: all of it but the ones above.
  @inlinable package var low: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

  /// The state in which `me` runs it.
  @inlinable package static func running(_ me: UInt64) -> OnceState { OnceState(rawValue: me << 2 | runs) }

  /// The state in which somebody may sleep. Only while a thread runs it.
  @inlinable package func afterAwait() -> OnceState { OnceState(rawValue: rawValue | Self.awaited) }

  /// The invariants, for tests and debug builds.
  @usableFromInline package var brokenInvariant: String? {
    let runs = rawValue & Self.runs != 0
    if runs != (rawValue >> 2 != 0) { return "INV-1" }
    return isAwaited && !runs ? "INV-2" : nil
  }
}
