// CompletionState.swift: whether a work item has run, and who asks, in one word. Pure: no atomics, no locks.
//
//   63         3   2    1    0
//  ┌────────────┬────┬────┬────┐
//  │   unused   │ NT │ WT │ DN │
//  └────────────┴────┴────┴────┘
//  DN the first run has ended   WT threads wait for that   NT notifications do
//
//  INV-1  DN ⇒ neither WT nor NT: the run that sets it takes them off in the same swap
import SignalboxSystem

struct CompletionState: PackedWord {
  var rawValue: UInt64
  static var done: Field { Field(0..<1) }
  static var waiters: Field { Field(1..<2) }
  static var notifies: Field { Field(2..<3) }
  static var unused: Field { Field(3..<64) }
  static var fields: [(name: String, field: Field)] {
    [("done", done), ("waiters", waiters), ("notifies", notifies), ("unused", unused)]
  }

  var isDone: Bool { self[Self.done] == 1 }

  /// The first run has ended; nil when one had before.
  func afterRun() -> Self? { isDone ? nil : Self(rawValue: Self.done.inPlace) }

  /// Somebody asks for the end; nil when it has come.
  func afterAsk(_ flag: Field) -> Self? { isDone ? nil : Self(rawValue: rawValue | flag.inPlace) }

  var brokenInvariant: String? { isDone && rawValue != Self.done.inPlace ? "INV-1" : nil }
}
