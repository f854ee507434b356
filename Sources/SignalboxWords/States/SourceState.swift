// SourceState.swift: where a source is in its life, in one word. Pure: no atomics, no locks, no handlers; those are SourceCore's.
//
//   63     8   7    6    5    4    3    2    1    0
//  ┌────────┬────┬────┬────┬────┬────┬────┬────┬────┐
//  │ unused │ TU │ EN │ SD │ SG │ AB │ CA │ ST │ AC │
//  └────────┴────┴────┴────┴────┴────┴────┴────┴────┘
//  AC activated   ST the kind's start() has returned   CA cancelled   AB the users' last reference is gone
//  SG the kind's stop() is called   SD the kind has said stopped()    EN the last item, with the cancel handler, is submitted
//  TU a turn of the source is in the queue
//
//  INV-1  ST ⇒ AC
//  INV-2  SG ⇒ ST ∧ (CA ∨ AB)         only what was started is stopped, and for a reason
//  INV-3  SD ⇒ SG
//  INV-4  EN ⇒ CA ∧ (SD ∨ ¬ST)        the cancel handler comes when nothing is monitored any more
//  INV-5  ST ∧ (CA ∨ AB) ⇒ SG         whoever completes the pair stops

@usableFromInline package struct SourceState: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable package static var active: Field { Field(0..<1) }
  @inlinable package static var started: Field { Field(1..<2) }
  @inlinable package static var cancelled: Field { Field(2..<3) }
  @inlinable package static var abandoned: Field { Field(3..<4) }
  @inlinable package static var stopping: Field { Field(4..<5) }
  @inlinable package static var stopped: Field { Field(5..<6) }
  @inlinable package static var ended: Field { Field(6..<7) }
  @inlinable package static var turn: Field { Field(7..<8) }
  @inlinable package static var unused: Field { Field(8..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [
      ("active", active), ("started", started), ("cancelled", cancelled), ("abandoned", abandoned), ("stopping", stopping),
      ("stopped", stopped), ("ended", ended), ("turn", turn), ("unused", unused),
    ]
  }

  @usableFromInline package enum Action { case nothing, start, announce, stop, end }

  @inlinable package subscript(has field: Field) -> Bool { self[field] != 0 }
  /// No further event handler.
  @inlinable package var isOver: Bool { rawValue & (Self.cancelled.inPlace | Self.abandoned.inPlace) != 0 }

  @inlinable package func with(_ fields: Field...) -> Self { fields.reduce(self) { Self(rawValue: $0.rawValue | $1.inPlace) } }

  /// Activated; nil when it was before. One that is cancelled already is not started: its end waits in the queue.
  @inlinable package func afterActivate() -> (next: Self, action: Action)? {
    self[has: Self.active] ? nil : (with(Self.active), isOver ? .nothing : .start)
  }

  /// `start()` has returned: whoever ended the source meanwhile has left the stopping to us.
  @inlinable package func afterStarted() -> (next: Self, action: Action) {
    isOver ? (with(Self.started, Self.stopping), .stop) : (with(Self.started), .announce)
  }

  /// Cancelled; nil when it was before.
  @inlinable package func afterCancel() -> (next: Self, action: Action)? {
    if self[has: Self.cancelled] { return nil }
    if !self[has: Self.active] { return (with(Self.cancelled, Self.ended), .end) }
    return self[has: Self.started] ? (with(Self.cancelled, Self.stopping), .stop) : (with(Self.cancelled), .nothing)
  }

  /// The users' last reference is gone, so nobody activates or cancels any more.
  @inlinable package func afterAbandon() -> (next: Self, action: Action) {
    let next = with(Self.abandoned)
    guard self[has: Self.started], !self[has: Self.stopping] else { return (next, .nothing) }
    return (next.with(Self.stopping), .stop)
  }

  /// Nothing is monitored any more.
  @inlinable package func afterStopped() -> (next: Self, action: Action) {
    let next = with(Self.stopped)
    return self[has: Self.cancelled] ? (next.with(Self.ended), .end) : (next, .nothing)
  }

  /// A turn is submitted; nil when one is in the queue, or nobody is interested any more.
  @inlinable package func afterSignal() -> Self? { self[has: Self.turn] || isOver ? nil : with(Self.turn) }

  /// The turn runs: what is signalled from now on needs another one.
  @inlinable package func afterTurn() -> Self { Self(rawValue: rawValue & ~Self.turn.inPlace) }

  /// The invariants, for tests and debug builds.
  @usableFromInline package var brokenInvariant: String? {
    let (isStarted, isStopping) = (self[has: Self.started], self[has: Self.stopping])
    if isStarted && !self[has: Self.active] { return "INV-1" }
    if isStopping && !(isStarted && isOver) { return "INV-2" }
    if self[has: Self.stopped] && !isStopping { return "INV-3" }
    if self[has: Self.ended] && !(self[has: Self.cancelled] && (self[has: Self.stopped] || !isStarted)) { return "INV-4" }
    if isStarted && isOver && !isStopping { return "INV-5" }
    return nil
  }
}
