// EventKind.swift: what happens in the engine, in one numbering: the recording's format, the explorer's points and the
// counts of tests have its numbers. Which subscribers hear of a kind is EventKind+Subscribers.swift; one event as it
// lies in a recording is EventCell.swift.

/// What happens. Numbers below 64 stand in recordings, as the first word of an event has room for a byte; from 64 on
/// are kinds that no recording has.
///
/// The comment of a recorded kind says what its words are in a recording. What the engine emits has the same object as
/// its first word; the recorder reads names, functions and traits of the object, which is alive.
public enum EventKind: UInt8, Sendable, CaseIterable {
  /// The times that follow in the piece are counted from `b` and 16 bits more in `c`.
  case time = 1
  /// An item was submitted. a: the queue, with `ItemTraits` in its lowest bits. b: which item. c: its function.
  case submitted
  /// An item begins. a, b: as above. c: what its function may call, if that is a thunk; or 0.
  case started
  /// The innermost item has ended.
  case ended
  /// A turn of a queue was got by `sync`. a: the queue; its lowest bit: alone.
  case turnBegan
  case turnEnded
  /// The thread is about to sleep. a: for what. b: who holds that, by the owner value; 0 nobody, or not known. c: the
  /// kind of wait.
  case waitBegan
  case waitEnded
  /// A worker has nothing to do; it has, or begins. Since version 3 a: how many workers its pool may have; 0: not
  /// known. b: which pool: 0 default, 1 utility, 2 background.
  case parked, woken
  /// Another thread writes from here on. a: its number. b, c: what the piece's head says of a thread.
  case threadBegan
  case threadEnded
  /// An item is to be submitted later. a: the queue. b: which item. c: in how many nanoseconds. Since version 3 also of
  /// a timer source or a run loop's timer, which a names by its address and 1: b is 0, and what it was armed for before
  /// counts no more.
  case timerArmed
  /// It is due: the item is submitted, or the timer fires. a, b: as above. c, since version 3: how many nanoseconds
  /// after its leeway, and one; 0: not known. Of a source a was its address alone before.
  case timerFired
  /// The program's own. a: its name. b, c: a number of 64 bits.
  case mark, intervalBegan, intervalEnded
  /// The writing thread's name to the kernel, in a, b and c.
  case threadName

  // MARK: since version 2

  /// A semaphore is about to be signalled. a: which. b: how many threads waited for it, as far as the signalling one
  /// saw.
  case semaphoreSignalled
  /// Members are about to enter a group, or to leave it. a: which. b: how many. c: how many were inside, as far as the
  /// thread saw.
  case groupEntered, groupLeft
  /// The next item that the thread submits was to follow the end of a. a: a group or a work item. b: which item.
  case notified
  /// What runs once under a token begins, and has ended. a: the token.
  case onceBegan, onceEnded
  /// A work item was cancelled. a: which. b: the queue that it waits in; 0: none, or several.
  case workItemCancelled
  /// A queue is about to be handed over to a thread that waits for its turn. a: the queue. b: the thread, by its owner
  /// value.
  case turnHanded
  /// A source's handler of events is about to be called, and has returned. a: the source, by its address and 1: by the
  /// address alone it is a queue. b: its data. c: the handler's function.
  case sourceBegan, sourceEnded
  /// A read or write was asked for. a: which. b: `TransferTraits`, with the descriptor in the lower half. c: how many
  /// bytes at most.
  case transferBegan
  /// It is over. a: which. b: how many bytes were moved. c: the error in 16 bits, and above them the descriptor.
  case transferEnded
  /// An operation was given to a queue. a: which. b: the queue, with `OperationTraits` in its lowest bits. c: its
  /// class, or its block's function.
  case operationAdded
  /// It depends on nothing any more that has not finished. a: which. b: the operation that was the last to finish; 0:
  /// none.
  case operationReady
  /// A thread starts it, and comes out of it; it may not have finished by then. a, b, c: as above.
  case operationBegan, operationReturned
  /// It has finished, and what follows from that is about to be done. a: which. b: `OperationTraits`.
  case operationFinished
  case operationCancelled
  /// A run of a run loop begins, and has ended. a: the loop. b: its mode.
  case loopBegan, loopEnded
  /// The loop is in another phase from now on. a: the loop. b: `LoopPhase`.
  case loopPhase

  // MARK: since version 3

  /// The diagnosis has found something, and begins to report it. a: `RecordedReport`. b: the report's number in this
  /// process, from 1 on.
  case reported
  /// A timer is armed no more. a: the timer, by its address and 1.
  case timerCancelled

  // MARK: since version 4

  /// The item that the thread begins next is a job of a task of Swift's, or runs tasks of an actor. a: the task's
  /// number, with `TaskTraits`; 0: an actor's. b: the task's chain of awaits, by its name; or the actor. c: of a task
  /// that begins the number of its parent, or 0; or the actor's class.
  case taskRuns
  /// The task of which the next `taskRuns` speaks has a name. a, b, c: 18 bytes of it; several events make a longer
  /// one.
  case taskNamed

  // MARK: not in recordings: an operation is about to happen. a: the object

  /// A thread asks for a turn of a queue. b: 1 alone, 0 beside others.
  case turnAsked = 64
  /// The turn of a queue's target comes with that. a, b: as above, of the target.
  case targetTurnAsked
  /// A thread asks for the end of a group, a semaphore's count, the end of a work item. b: nanoseconds until the thread
  /// gives up; 0: it only tries; `withoutLimit`: never.
  case groupWaitAsked, semaphoreWaitAsked, workItemWaitAsked
  /// A work item is run. Iterations of a parallel loop begin; a is 0.
  case workItemPerformed, applied
  /// An item is to be submitted later.
  case delayAsked
  /// A thread asks for what runs once under a token.
  case onceAsked
  /// A queue or source is suspended, resumed, activated; a queue's target or a value of it is set.
  case suspended, resumed, activated, retargeted, specificSet
  /// Something is to be submitted when a group is empty or a work item has ended.
  case notifyAsked
  /// A source is cancelled, gets data, a time, a handler.
  case sourceCancelled, sourceMerged, timerScheduled, handlerSet
  /// A channel is to read, to write, to run a barrier, is closed, is changed.
  case readAsked, writeAsked, channelBarrierAsked, channelClosed, channelSet
  /// A task goes over to an actor.
  case actorEntered
  /// An operation is started, cancelled, waited for, gets or loses a dependency, is changed.
  case operationStartAsked, operationCancelAsked, operationWaitAsked, dependencyChanged, operationSet
  /// An operation queue gets operations, a barrier, cancels all, is waited for, is changed.
  case operationsAdded, operationBarrierAdded, operationsCancelled, operationQueueWaitAsked, operationQueueSet
  /// A lock is asked for. b: `withoutLimit`; else the thread may give up. c: the kind of wait. As `onceAsked`.
  case lockAsked
  /// A lock is given back. b: the thread that holds it, by its owner value; 0: this one.
  case lockReleased

  // MARK: not in recordings: what is no operation of the program's

  /// A thread that waits fills the place that it was lent in a queue. a: the queue. b, c: the item's slot.
  case placeFilled
  /// A queue has been suspended or made inactive; it may be no more so.
  case queueStopped, queueGoesOn
  /// A loop that serves the main queue is about to begin.
  case mainLoopBegan
  /// The thread that counts as the main one ends, out of an item perhaps; it has the main queue still.
  case mainThreadEnds
  /// The limit of items of the main queue was set. b: nanoseconds; 0: none.
  case mainLimitSet
  /// There is no such object any more. b: the kind of wait that it was waited for by; 0: a lock, or none.
  case gone
  /// What the thread does until its next operation depends on an object, a queue with its targets, or a word that
  /// threads sleep on; or changes it.
  case touched, queueTouched, wordTouched
  /// The thread uses something that emits no such event.
  case untoldUsed
  /// A timer of a run loop is to fire; a recording has it as `timerArmed`. a: the timer, by its address and 1. b: the
  /// loop. c: in how many nanoseconds.
  case loopTimerArmed
  /// There is no such object any more; nothing but a recording has a name for it.
  case forgotten
  /// The thread holds the lock that it has asked for. b: which thread it waited for, by its owner value; 0: none, or
  /// not known. c: the kind of wait, and from bit 8 on since when it waited, in nanoseconds of uptime; 0: it did not.
  case lockTaken
  /// A lock was made and stays there. b: its kind of wait. c: where its `LockIdentity` lies; 0: it has none.
  case lockMade
  /// Nothing has this identity of a lock any more. b: its number.
  case identityEnded
  /// The thread is about to wait without limit for what no thread owns. a: 0. b: the kind of wait.
  case unownedWaitBegan

  /// What a wait without a limit has in place of nanoseconds.
  @inlinable public static var withoutLimit: UInt64 { .max }

  /// Whether a recording may have the kind.
  @inlinable public var isRecorded: Bool { rawValue < 64 }
}

/// What was reported.
public enum RecordedReport: UInt64, Sendable, CaseIterable {
  /// As `DiagnosticReport.Kind` has them.
  case deadlock = 1, stall, lockOrder, longItem, misuse
}

/// What an event of a read or write says of it.
public enum TransferTraits {
  /// Bit 32: it is a write.
  @inlinable public static var isWrite: UInt64 { 1 << 32 }
  /// Bit 33: at a place of its own, not at the file's pointer.
  @inlinable public static var isRandom: UInt64 { 1 << 33 }
}

/// What an event of an operation says besides, in the bits that are free in a queue's address.
public enum OperationTraits {
  /// It waits for no other operation.
  @inlinable public static var isReady: UInt64 { 1 }
  /// It has a name of its own: that of its address.
  @inlinable public static var isNamed: UInt64 { 2 }
  /// It was cancelled.
  @inlinable public static var isCancelled: UInt64 { 4 }
  /// It is a barrier of its queue.
  @inlinable public static var isBarrier: UInt64 { 8 }
  /// In the third word as the operation emits it: that is its class, by where its description lies, and no function.
  @inlinable public static var isClass: UInt64 { 1 << 63 }
  /// All of those that are in the queue's address.
  @inlinable public static var mask: UInt64 { 15 }
}

/// What an event of a task says besides, above its number's 32 bits.
public enum TaskTraits {
  /// The number.
  @inlinable public static var number: UInt64 { 0xFFFF_FFFF }
  /// It begins.
  @inlinable public static var begins: UInt64 { 1 << 32 }
  /// It was cancelled.
  @inlinable public static var isCancelled: UInt64 { 1 << 33 }
  /// It is an `async let`.
  @inlinable public static var isAsyncLet: UInt64 { 1 << 34 }
  /// Chains of awaits are named by numbers with this bit, which no address of a program has.
  @inlinable public static var chain: UInt64 { 1 << 47 }
}

/// What a run loop does.
public enum LoopPhase: UInt64, Sendable, CaseIterable {
  /// It fires timers.
  case timers = 1
  /// It runs blocks, and handles what came in.
  case sources
  /// It sleeps.
  case waiting
  /// It handles what has woken it.
  case woken
}

/// What an event of a submission says besides, in the bits that are free in a queue's address.
public enum ItemTraits {
  /// Bits 0 to 2: the class of service, from 1 for background to 5 for user-interactive; 0: none of its own.
  @inlinable public static var classMask: UInt64 { 7 }
  /// Bit 3: it runs alone.
  @inlinable public static var isBarrier: UInt64 { 8 }
  /// All of them.
  @inlinable public static var mask: UInt64 { 15 }
}

/// What has a name.
public enum NameKind: UInt8, Sendable {
  /// A queue, by its address; `extra` is its kind: 0 serial, 1 concurrent, 2 global, 3 main, 4 of a run loop; and 256
  /// times the class of service that its items have, from 1 for background to 5 for user-interactive.
  case queue = 1
  /// What a thread waited for; `extra` is the kind of the wait.
  case object
  /// A part of a file with functions, by where it begins; `extra` is where it ends. The text: where the file's image
  /// begins, as a hexadecimal number, a space, and the path.
  case image
  /// A mark or interval of the program's, by where its text lies.
  case note
  /// A class of operations or actors, by where it lies.
  case type
  /// A chain of awaits: the functions with which a task and those that await it go on, the innermost first, as
  /// hexadecimal numbers between spaces.
  case chain
  /// The text of the entry before goes on.
  case more = 255
}
