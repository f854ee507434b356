// QueueState.swift: all scheduling state of one queue in one word. Pure: no atomics, no locks, no I/O.
//
//   63   62  61 60 59          45  44   43   42   41   40  39        24 23        0
//  ┌────┬────┬─────┬──────────────┬────┬────┬────┬────┬────┬────────────┬───────────┐
//  │ CX │ RC │  0  │ suspendCount │ IN │ WT │ BP │ EX │ EN │   width    │   owner   │
//  └────┴────┴─────┴──────────────┴────┴────┴────┴────┴────┴────────────┴───────────┘
//  owner  thread slot and generation of whoever takes items off, or runs alone; 0: nobody
//  width  readers running: concurrent items and plain syncs
//  EN on its target's list (or the target is notified)      EX the owner runs alone (serial: always)
//  BP a barrier heads the list and waits for width = 0  WT sleepers at the gate
//  IN not yet activated                                  CX never taken by the inlined path: nested, bound or global
//  RC a sync was recorded: the inlined path refuses, so that the end of the next one is seen too
//
//  INV-1  EX ⇒ owner ≠ 0                 running alone is somebody's
//  INV-2  EX ⇒ width = 0                 nobody runs beside one who runs alone
//  INV-3  BP ⇒ width > 0 ∧ owner = 0     the last reader out is bound to check
//  INV-4  all zero ⇔ idle, active, taken by one swap
//
// The list of items is not in the word: its own claim word (`ItemList.tail`) shows whether it is empty. Why nothing is
// lost between the two is described in Queues/README.md of SignalboxDispatch, "The hand-shake".

@usableFromInline package struct QueueState: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable package static var owner: Field { Field(0..<24) }
  // Those that the inlined paths need in the caller's module.
  @inlinable package static var width: Field { @inlinable @inline(__always) get { Field(24..<40) } }
  @inlinable package static var enqueued: Field { Field(40..<41) }
  @inlinable package static var exclusive: Field { @inlinable @inline(__always) get { Field(41..<42) } }
  @inlinable package static var barrierPending: Field { Field(42..<43) }
  @inlinable package static var waiters: Field { Field(43..<44) }
  @inlinable package static var inactive: Field { Field(44..<45) }
  @inlinable package static var suspendCount: Field { Field(45..<60) }
  @inlinable package static var recorded: Field { Field(62..<63) }
  @inlinable package static var complex: Field { Field(63..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [
      ("owner", owner), ("width", width), ("enqueued", enqueued), ("exclusive", exclusive), ("barrierPending", barrierPending),
      ("waiters", waiters), ("inactive", inactive), ("suspendCount", suspendCount), ("recorded", recorded),
      ("complex", complex),
    ]
  }

  /// Bits of which any keeps a pusher from having to wake the target: somebody is bound to check, or nobody may.
  @inlinable package static var wakeStoppers: UInt64 {
    owner.inPlace | enqueued.inPlace | barrierPending.inPlace | inactive.inPlace | suspendCount.inPlace
  }
  @inlinable package static var stopped: UInt64 { inactive.inPlace | suspendCount.inPlace }
  /// Bits of which any may end a serial queue's drain between two items: a stop, or a sleeper, who may insist.
  @inlinable package static var drainEnders: UInt64 { stopped | waiters.inPlace }

  @inlinable package var isStopped: Bool { rawValue & Self.stopped != 0 }
  @inlinable package var mayEndDrain: Bool { rawValue & Self.drainEnders != 0 }
  @inlinable package var isOwned: Bool { rawValue & Self.owner.inPlace != 0 }
  @inlinable package var needsWake: Bool { rawValue & Self.wakeStoppers == 0 }

  @inlinable package func with(_ field: Field, _ value: UInt64) -> Self {
    var next = self
    next[field] = value
    return next
  }

  // MARK: pushers

  /// The state once the target is to be notified of items; nil when somebody else is bound to check.
  @inlinable package func afterPush() -> Self? { needsWake ? with(Self.enqueued, 1) : nil }

  // MARK: whoever waits to run on its own thread

  /// The state with `me` running alone; nil when that must wait.
  @inlinable package func afterEnterAlone(_ me: UInt64) -> Self? {
    guard needsWake, self[Self.width] == 0 else { return nil }
    return with(Self.owner, me).with(Self.exclusive, 1)
  }
  /// The state with one more reader; nil when that must wait, or the field is full.
  @inlinable package func afterEnterShared() -> Self? {
    guard needsWake, self[Self.width] < Self.width.mask else { return nil }
    return with(Self.width, self[Self.width] + 1)
  }
  /// The state with a sleeper at the gate.
  @inlinable package func afterSleepAtGate() -> Self { with(Self.waiters, 1) }

  @usableFromInline package enum LeaveSharedAction { case nothing, serveBarrier }
  /// The state with one reader less; the last one takes the list over when a barrier waits for it.
  @inlinable package func afterLeaveShared(_ me: UInt64) -> (next: Self, action: LeaveSharedAction) {
    let next = with(Self.width, self[Self.width] - 1)
    guard next[Self.width] == 0, self[Self.barrierPending] == 1 else { return (next, .nothing) }
    return (next.with(Self.barrierPending, 0).with(Self.owner, me), .serveBarrier)  // INV-3: nobody owns it
  }

  // MARK: the owner

  @usableFromInline package enum DrainAction { case drain, leave, spin }
  /// What a thread that found the queue on its target's list does: takes it, leaves it to others, or waits a moment.
  @inlinable package func afterDequeued(_ me: UInt64, alone: Bool) -> (next: Self, action: DrainAction) {
    let next = with(Self.enqueued, 0)
    if isStopped || self[Self.barrierPending] == 1 || self[Self.exclusive] == 1 { return (next, .leave) }
    if isOwned { return (self, .spin) }  // held for a few instructions: an item is being taken off
    if alone {
      // Readers of a serial queue do not exist; of a concurrent one nobody asks to be alone here.
      return (next.with(Self.owner, me).with(Self.exclusive, 1), .drain)
    }
    return (next.with(Self.owner, me), .drain)
  }
  /// The owner takes the list without having been enqueued; nil when somebody else is bound to check.
  @inlinable package func afterTakeOver(_ me: UInt64, alone: Bool) -> Self? {
    guard needsWake, !alone || self[Self.width] == 0 else { return nil }
    let next = with(Self.owner, me)
    return alone ? next.with(Self.exclusive, 1) : next
  }

  /// The owner goes. `wakeSleeper`: one sleeper at the gate is owed a wake.
  @inlinable package func afterRelease() -> (next: Self, wakeSleeper: Bool) {
    let next = with(Self.owner, 0).with(Self.exclusive, 0).with(Self.waiters, 0)
    return (next, self[Self.waiters] == 1)
  }
  /// The owner goes and leaves the list to the target, unless the queue is stopped or is on the target's list already.
  @inlinable package func afterRequeue() -> (next: Self, tellTarget: Bool, wakeSleeper: Bool) {
    let (next, wakeSleeper) = afterRelease()
    if isStopped || self[Self.enqueued] == 1 { return (next, false, wakeSleeper) }
    return (next.with(Self.enqueued, 1), true, wakeSleeper)
  }
  /// The owner goes, after the target was changed: on the old one's list the queue is out of place.
  @inlinable package func afterRetarget() -> (next: Self, wakeSleeper: Bool) {
    let (next, wakeSleeper) = afterRelease()
    return (next.with(Self.enqueued, 0), wakeSleeper)
  }
  /// Ownership passes to the thread of a waiter that runs alone.
  @inlinable package func afterHandOff(to next: UInt64) -> Self { with(Self.owner, next).with(Self.exclusive, 1) }

  @usableFromInline package enum BarrierAction { case run, pend }
  /// No further reader fits: the head waits until the readers have left, as a barrier would.
  @inlinable package var isFull: Bool { self[Self.width] == Self.width.mask }
  /// A barrier heads the list: run it alone, or let the last reader check it.
  @inlinable package func afterBarrierReached() -> (next: Self, action: BarrierAction) {
    if self[Self.width] == 0 { return (with(Self.exclusive, 1), .run) }
    return (with(Self.owner, 0).with(Self.barrierPending, 1), .pend)
  }
  /// The barrier has run; its runner goes on taking items off.
  @inlinable package func afterBarrierRan() -> Self { with(Self.exclusive, 0) }

  /// The owner runs an ordinary item of a concurrent queue: it becomes a reader. `more`: others shall take the rest.
  @inlinable package func afterRedirect(more: Bool) -> (next: Self, tellTarget: Bool) {
    let next = with(Self.owner, 0).with(Self.width, self[Self.width] + 1)
    guard more, !isStopped, self[Self.enqueued] == 0 else { return (next, false) }
    return (next.with(Self.enqueued, 1), true)
  }
  /// A sync reader's turn has come: the owner counts it in and stays.
  @inlinable package func afterGrantShared() -> Self { with(Self.width, self[Self.width] + 1) }

  @usableFromInline package enum ReturnAction { case owner, gone, spin }
  /// A drainer's ordinary item has ended: it takes the list again if it is free, else it goes.
  @inlinable package func afterItemReturned(_ me: UInt64) -> (next: Self, action: ReturnAction) {
    let (left, action) = afterLeaveShared(me)
    if action == .serveBarrier { return (left, .owner) }
    if left.isStopped || left[Self.barrierPending] == 1 || left[Self.exclusive] == 1 { return (left, .gone) }
    if left.isOwned { return (self, .spin) }
    return (left.with(Self.owner, me), .owner)
  }

  // MARK: suspension

  /// One more suspension; nil when the field is full.
  @inlinable package func afterSuspend() -> Self? {
    guard self[Self.suspendCount] < Self.suspendCount.mask else { return nil }
    return with(Self.suspendCount, self[Self.suspendCount] + 1)
  }
  /// One suspension less; nil when there is none. `recheck`: items may now run.
  @inlinable package func afterResume() -> (next: Self, recheck: Bool)? {
    guard self[Self.suspendCount] > 0 else { return nil }
    let next = with(Self.suspendCount, self[Self.suspendCount] - 1)
    return (next, !next.isStopped)
  }
  /// Activated; nil when it already is.
  @inlinable package func afterActivate() -> (next: Self, recheck: Bool)? {
    guard self[Self.inactive] == 1 else { return nil }
    let next = with(Self.inactive, 0)
    return (next, !next.isStopped)
  }

  /// The invariants, for tests and debug builds.
  @usableFromInline package var brokenInvariant: String? {
    if self[Self.exclusive] == 1, self[Self.owner] == 0 { return "INV-1" }
    if self[Self.exclusive] == 1, self[Self.width] > 0 { return "INV-2" }
    if self[Self.barrierPending] == 1, self[Self.width] == 0 || self[Self.owner] != 0 { return "INV-3" }
    return nil
  }
}
