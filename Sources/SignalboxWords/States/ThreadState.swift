// ThreadState.swift: what a thread has been through, in one word. Pure: nobody is notified. Who moves it is
// Thread+Life.swift.
//
//   6  that it has no loop was reported             3  cancelled
//   5  somebody will check whether it has one   2  finished
//   4  its end was reported                         1  executing      0  started
//  INV-1  executing ⇒ started ∧ ¬finished       INV-2  finished ⇒ started

@usableFromInline package struct ThreadState: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package static var started: Field { Field(0..<1) }
  @inlinable package static var executing: Field { Field(1..<2) }
  @inlinable package static var finished: Field { Field(2..<3) }
  @inlinable package static var cancelled: Field { Field(3..<4) }
  @inlinable package static var told: Field { Field(4..<5) }
  @inlinable package static var willBeChecked: Field { Field(5..<6) }
  @inlinable package static var toldOfNoLoop: Field { Field(6..<7) }
  @inlinable package static var unused: Field { Field(7..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [
      ("started", started), ("executing", executing), ("finished", finished), ("cancelled", cancelled), ("told", told),
      ("will be checked", willBeChecked), ("missing loop reported", toldOfNoLoop), ("unused", unused),
    ]
  }

  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A thread that nobody has started.
  @inlinable package static var new: ThreadState { ThreadState(rawValue: 0) }
  /// A thread that something else has made, and that runs.
  @inlinable package static var met: ThreadState { new.with(started).with(executing) }

  @inlinable package var isStarted: Bool { self[Self.started] == 1 }
  @inlinable package var isExecuting: Bool { self[Self.executing] == 1 }
  @inlinable package var isFinished: Bool { self[Self.finished] == 1 }
  @inlinable package var isCancelled: Bool { self[Self.cancelled] == 1 }

  @inlinable package func with(_ field: Field, _ value: UInt64 = 1) -> Self {
    var next = self
    next[field] = value
    return next
  }
  /// Sets a bit; nil if it is set.
  @inlinable package func claiming(_ field: Field) -> Self? { self[field] == 1 ? nil : with(field) }

  // MARK: steps

  /// nil: it was started before.
  @inlinable package func afterStart() -> Self? { claiming(Self.started) }
  /// The new thread is about to call `main()`.
  @inlinable package func afterBegin() -> Self { with(Self.executing) }
  @inlinable package func afterCancel() -> Self { with(Self.cancelled) }
  /// Its end is about to be announced; nil: somebody else does.
  @inlinable package func afterTold() -> Self? { claiming(Self.told) }
  @inlinable package func afterEnd() -> Self { with(Self.executing, 0).with(Self.finished) }
  /// A block waits for a loop that is not there; nil: a check lies ahead already.
  @inlinable package func afterCheckPlanned() -> Self? { claiming(Self.willBeChecked) }
  @inlinable package func afterCheck() -> Self { with(Self.willBeChecked, 0) }
  /// nil: it was reported before.
  @inlinable package func afterToldOfNoLoop() -> Self? { claiming(Self.toldOfNoLoop) }

  @usableFromInline package var brokenInvariant: String? {
    if isExecuting && (!isStarted || isFinished) { return "INV-1" }
    if isFinished && !isStarted { return "INV-2" }
    return self[Self.unused] == 0 ? nil : "unused"
  }
}
