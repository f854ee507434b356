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
public import SignalboxSystem

@usableFromInline struct OnceState: PackedWord {
  @usableFromInline var rawValue: UInt64
  @usableFromInline init(rawValue: UInt64) { self.rawValue = rawValue }

  @usableFromInline static let fields: [(name: String, field: Field)] = [
    ("RN", Field(0..<1)), ("AW", Field(1..<2)), ("runner", Field(2..<64)),
  ]
  private static let runs: UInt64 = 1
  private static let awaited: UInt64 = 2

  @usableFromInline static let notYet = OnceState(rawValue: 0)
  @usableFromInline static let done = OnceState(rawValue: ~0)

  var isDone: Bool { self == .done }
  /// Whether somebody may sleep until this one's end.
  var isAwaited: Bool { rawValue & Self.awaited != 0 }
  /// Who runs it; nil if nobody does, any more or yet.
  var runner: UInt64? { isDone || self == .notYet ? nil : rawValue >> 2 }
  /// The half that threads sleep on: all of it but the ones above.
  var low: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

  /// The state in which `me` runs it.
  static func running(_ me: UInt64) -> OnceState { OnceState(rawValue: me << 2 | runs) }

  /// The state in which somebody may sleep. Only while a thread runs it.
  func afterAwait() -> OnceState { OnceState(rawValue: rawValue | Self.awaited) }

  /// The invariants, for tests and debug builds.
  @usableFromInline var brokenInvariant: String? {
    let runs = rawValue & Self.runs != 0
    if runs != (rawValue >> 2 != 0) { return "INV-1" }
    return isAwaited && !runs ? "INV-2" : nil
  }
}
