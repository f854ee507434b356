// ThreadState.swift: what a thread has been through, in one word. Pure: nobody is notified. Who moves it is Thread+Life.swift.
//
//   6  that it has no loop was reported             3  cancelled
//   5  somebody will check whether it has one   2  finished
//   4  its end was reported                         1  executing      0  started
//  INV-1  executing ⇒ started ∧ ¬finished       INV-2  finished ⇒ started
import SignalboxSystem

struct ThreadState: PackedWord {
  var rawValue: UInt64
  static var started: Field { Field(0..<1) }
  static var executing: Field { Field(1..<2) }
  static var finished: Field { Field(2..<3) }
  static var cancelled: Field { Field(3..<4) }
  static var told: Field { Field(4..<5) }
  static var willBeChecked: Field { Field(5..<6) }
  static var toldOfNoLoop: Field { Field(6..<7) }
  static var unused: Field { Field(7..<64) }
  static var fields: [(name: String, field: Field)] {
    [
      ("started", started), ("executing", executing), ("finished", finished), ("cancelled", cancelled), ("told", told),
      ("will be checked", willBeChecked), ("missing loop reported", toldOfNoLoop), ("unused", unused),
    ]
  }

  init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A thread that nobody has started.
  static let new = ThreadState(rawValue: 0)
  /// A thread that something else has made, and that runs.
  static let met = new.with(started).with(executing)

  var isStarted: Bool { self[Self.started] == 1 }
  var isExecuting: Bool { self[Self.executing] == 1 }
  var isFinished: Bool { self[Self.finished] == 1 }
  var isCancelled: Bool { self[Self.cancelled] == 1 }

  private func with(_ field: Field, _ value: UInt64 = 1) -> Self {
    var next = self
    next[field] = value
    return next
  }
  /// Sets a bit; nil if it is set.
  private func claiming(_ field: Field) -> Self? { self[field] == 1 ? nil : with(field) }

  // MARK: steps

  /// nil: it was started before.
  func afterStart() -> Self? { claiming(Self.started) }
  /// The new thread is about to call `main()`.
  func afterBegin() -> Self { with(Self.executing) }
  func afterCancel() -> Self { with(Self.cancelled) }
  /// Its end is about to be announced; nil: somebody else does.
  func afterTold() -> Self? { claiming(Self.told) }
  func afterEnd() -> Self { with(Self.executing, 0).with(Self.finished) }
  /// A block waits for a loop that is not there; nil: a check lies ahead already.
  func afterCheckPlanned() -> Self? { claiming(Self.willBeChecked) }
  func afterCheck() -> Self { with(Self.willBeChecked, 0) }
  /// nil: it was reported before.
  func afterToldOfNoLoop() -> Self? { claiming(Self.toldOfNoLoop) }

  var brokenInvariant: String? {
    if isExecuting && (!isStarted || isFinished) { return "INV-1" }
    if isFinished && !isStarted { return "INV-2" }
    return self[Self.unused] == 0 ? nil : "unused"
  }
}
