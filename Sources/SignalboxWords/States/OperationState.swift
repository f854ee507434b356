// OperationState.swift: what an operation is in, and what few operation queues have to do, in one word each. Pure: no
// atomics, no locks, no observer is notified. Which thread moves it: Operations/README.md of SignalboxClasses.
//
//   63  52 51  50  49  48 47  45 44  42 41  40  39  38  37  36  35  34 33  32 31        0
//  ┌──────┬───┬───┬───┬───┬──────┬──────┬───┬───┬───┬───┬───┬───┬───┬─────┬───┬───────────┐
//  │ adds │ R │ C │ M │ P │ qos  │ prio │ B │ D │ W │ O │ S │ T │ Q │phase│ X │   unmet   │
//  └──────┴───┴───┴───┴───┴──────┴──────┴───┴───┴───┴───┴───┴───┴───┴─────┴───┴───────────┘
//  unmet  dependencies that are not finished   X cancelled   Q was given to a queue   T listed: its queue has it among the ready,
//  has taken it off to start it, or is about to list it   S settled: what follows from finishing has been done
//  O has observers   W threads sleep until it settles   D others depend on it   B is a barrier of its queue
//  P main() wants another priority of its thread   M something before a barrier waits for it, or is it (OperationCycle.swift)
//  C has had a completion block
//  adds   how many dependencies were ever added, modulo 4096: what two scans find the same has not been closed anew between them
//  R the base class has called `main()`: it ends when that returns; without R whoever says so ends it
//
//  INV-1  S ⇒ phase == finished        nothing follows from what has not happened
//  INV-2  W ⇒ !S                       who settles it wakes; afterwards nobody goes to sleep
//  INV-3  T ⇒ Q                        only a queue lists

/// How far an operation has come.
@usableFromInline package enum OperationPhase: UInt64 {
  /// Not started: pending while dependencies are unfinished, else ready.
  case waiting = 0
  case executing = 1
  case finished = 2
}

@usableFromInline package struct OperationState: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package static var unmet: Field { Field(0..<32) }
  @inlinable package static var cancelled: Field { Field(32..<33) }
  @inlinable package static var phase: Field { Field(33..<35) }
  @inlinable package static var queued: Field { Field(35..<36) }
  @inlinable package static var listed: Field { Field(36..<37) }
  @inlinable package static var settled: Field { Field(37..<38) }
  @inlinable package static var observed: Field { Field(38..<39) }
  @inlinable package static var waiters: Field { Field(39..<40) }
  @inlinable package static var dependents: Field { Field(40..<41) }
  @inlinable package static var barrier: Field { Field(41..<42) }
  @inlinable package static var priority: Field { Field(42..<45) }
  @inlinable package static var qos: Field { Field(45..<48) }
  @inlinable package static var prioritized: Field { Field(48..<49) }
  @inlinable package static var barred: Field { Field(49..<50) }
  @inlinable package static var completes: Field { Field(50..<51) }
  @inlinable package static var main: Field { Field(51..<52) }
  @inlinable package static var additions: Field { Field(52..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [
      ("unmet", unmet), ("cancelled", cancelled), ("phase", phase), ("queued", queued), ("listed", listed),
      ("settled", settled), ("observed", observed), ("waiters", waiters), ("dependents", dependents), ("barrier", barrier),
      ("priority", priority), ("qos", qos), ("prioritized", prioritized), ("barred", barred), ("completes", completes),
      ("main", main), ("additions", additions),
    ]
  }

  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A new operation: waiting for nothing, of normal priority and default class.
  @inlinable package static var initial: OperationState {
    var state = OperationState(rawValue: 0)
    state[priority] = 2
    state[qos] = 4
    return state
  }

  // MARK: facts

  @inlinable @inline(__always) package var isExecuting: Bool { self[Self.phase] == OperationPhase.executing.rawValue }
  @inlinable @inline(__always) package var isFinished: Bool { self[Self.phase] == OperationPhase.finished.rawValue }
  @inlinable package var isInMain: Bool { isExecuting && self[Self.main] == 1 }
  @inlinable @inline(__always) package var isWaiting: Bool { self[Self.phase] == OperationPhase.waiting.rawValue }
  @inlinable @inline(__always) package var isCancelled: Bool { self[Self.cancelled] == 1 }
  /// A cancelled operation waits for nobody: it only has to be started so that it can finish.
  @inlinable @inline(__always) package var isReady: Bool { self[Self.unmet] == 0 || isCancelled }
  @inlinable @inline(__always) package var isObserved: Bool { self[Self.observed] == 1 }
  @inlinable @inline(__always) package var isSettled: Bool { self[Self.settled] == 1 }
  @inlinable @inline(__always) package var isQueued: Bool { self[Self.queued] == 1 }
  @inlinable @inline(__always) package var isListed: Bool { self[Self.listed] == 1 }
  @inlinable @inline(__always) package var isBarrier: Bool { self[Self.barrier] == 1 }
  /// In a queue and waiting for dependencies.
  @inlinable @inline(__always) package var isStuck: Bool { isQueued && isWaiting && !isReady }

  @inlinable package func with(_ field: Field, _ value: UInt64) -> Self {
    var next = self
    next[field] = value
    return next
  }
  @inlinable package func at(_ phase: OperationPhase) -> Self { with(Self.phase, phase.rawValue) }

  // MARK: steps

  @usableFromInline package enum StartAction { case runMain, finishUnrun, alreadyFinished, refuseExecuting, refuseNotReady }
  /// `start()` of the base class. `isDue`: its queue has found it ready a moment ago; a dependency that has come since comes too late.
  @inlinable @inline(__always) package func afterStart(isDue: Bool = false) -> (next: Self, action: StartAction) {
    if isFinished { return (self, .alreadyFinished) }
    if isExecuting { return (self, .refuseExecuting) }
    if isCancelled { return (self, .finishUnrun) }
    if !isReady && !isDue { return (self, .refuseNotReady) }
    return (at(.executing).with(Self.main, 1), .runMain)
  }

  /// A subclass says that it executes; nil if that is no news.
  @inlinable package func afterSaidExecuting() -> Self? { isWaiting ? at(.executing) : nil }

  /// It has finished, whoever says so; nil if it had before: what follows is done once.
  @inlinable @inline(__always) package func afterFinish() -> Self? { isFinished ? nil : at(.finished) }

  /// What follows from finishing has been done; `wake`: threads sleep until now.
  @inlinable @inline(__always) package func afterSettled() -> (next: Self, wake: Bool) {
    var next = with(Self.settled, 1)
    next[Self.waiters] = 0
    return (next, self[Self.waiters] == 1)
  }

  /// A thread wants to sleep until it settles; nil if it has.
  @inlinable package func afterAskToWait() -> Self? { isSettled ? nil : with(Self.waiters, 1) }

  @usableFromInline package enum CancelAction { case nothing, cancelled, cancelledAndReady }
  /// Cancelling a finished operation does nothing.
  @inlinable package func afterCancel() -> (next: Self, action: CancelAction) {
    if isFinished || isCancelled { return (self, .nothing) }
    return (with(Self.cancelled, 1), isReady ? .cancelled : .cancelledAndReady)
  }

  /// One dependency more; `becameUnready`: it was ready before.
  @inlinable package func afterDependencyAdded() -> (next: Self, becameUnready: Bool) {
    let next = with(Self.unmet, self[Self.unmet] + 1).with(Self.additions, (self[Self.additions] + 1) & Self.additions.mask)
    return (next, isReady && !next.isReady)
  }

  /// One dependency less: finished, or taken away. `becameReady`: it was the last.
  @inlinable @inline(__always) package func afterDependencyMet() -> (next: Self, becameReady: Bool) {
    let next = with(Self.unmet, self[Self.unmet] - 1)
    return (next, !isReady && next.isReady)
  }

  /// Another operation is about to be registered as depending on it; nil if it has finished: nothing is to be waited for.
  @inlinable package func afterDependentRegistered() -> Self? { isFinished ? nil : with(Self.dependents, 1) }

  @usableFromInline package enum QueueAction { case queued, refuseQueued, refuseExecuting, refuseFinished }
  /// It is given to a queue.
  @inlinable package func afterQueued() -> (next: Self, action: QueueAction) {
    if isQueued { return (self, .refuseQueued) }
    if isFinished { return (self, .refuseFinished) }
    if isExecuting { return (self, .refuseExecuting) }
    return (with(Self.queued, 1), .queued)
  }

  /// Its queue is to have it among the ready; nil where that is not for the caller to do.
  @inlinable @inline(__always) package func afterListed() -> Self? {
    isQueued && !isListed && isWaiting ? with(Self.listed, 1) : nil
  }

  /// Its queue has taken it off, and found that it is not ready any more.
  @inlinable package func afterUnlisted() -> Self { with(Self.listed, 0) }

  /// Something before a barrier waits for it; nil if that was known, or it is finished.
  @inlinable package func afterBarred() -> Self? { isFinished || self[Self.barred] == 1 ? nil : with(Self.barred, 1) }

  @usableFromInline package var brokenInvariant: String? {
    if isSettled && !isFinished { return "INV-1" }
    if self[Self.waiters] == 1 && isSettled { return "INV-2" }
    if isListed && !isQueued { return "INV-3" }
    return self[Self.phase] > 2 ? "phase" : nil
  }
}

// MARK: what few operation queues have to do beside their turns

// In one word that is read without the lock. Each bit is set once, forever, and stands for something that lies under
// the queue's lock.
//
//   3  operations that wait for nothing and are not ready    1  progress was asked for
//   2  dependencies were added to listed operations          0  there are, or were, observers
@usableFromInline package struct QueueFacts: PackedWord {
  @usableFromInline package var rawValue: UInt64
  @inlinable package static var observed: Field { Field(0..<1) }
  @inlinable package static var progress: Field { Field(1..<2) }
  @inlinable package static var lateDependencies: Field { Field(2..<3) }
  @inlinable package static var reluctant: Field { Field(3..<4) }
  @inlinable package static var unused: Field { Field(4..<64) }
  @usableFromInline package static var fields: [(name: String, field: Field)] {
    [
      ("observed", observed), ("progress", progress), ("late dependencies", lateDependencies), ("reluctant", reluctant),
      ("unused", unused),
    ]
  }

  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// nil if it is known.
  @inlinable package func after(_ fact: Field) -> Self? {
    if self[fact] == 1 { return nil }
    var next = self
    next[fact] = 1
    return next
  }

  @usableFromInline package var brokenInvariant: String? { self[Self.unused] == 0 ? nil : "unused" }
}
