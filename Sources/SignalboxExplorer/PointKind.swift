// PointKind.swift: what a thread is about to do at a point, in words.
import CSignalboxExplore
import SignalboxWords

enum PointKind {
  /// `lock mutex 3`: the deed and the object's number; `number` 0: there is none.
  static func words(_ kind: UInt32, object: UInt32) -> String {
    let (deed, noun) = parts(kind)
    return object == 0 || noun.isEmpty ? deed : "\(deed) \(noun) \(object)"
  }

  /// What the object is.
  static func noun(_ kind: UInt32) -> String { parts(kind).noun }

  /// Whether it is an operation of the engine that may wait: sync, waits for groups, semaphores, work items and operations, apply, once.
  static func mayWait(_ kind: UInt32) -> Bool {
    switch event(kind) {
    case .turnAsked, .groupWaitAsked, .semaphoreWaitAsked, .applied, .onceAsked, .workItemWaitAsked, .operationWaitAsked,
      .operationQueueWaitAsked:
      true
    default: false
    }
  }

  /// The engine's event that a point of this kind is; nil: it is another, or a newer engine's.
  private static func event(_ kind: UInt32) -> EventKind? {
    kind < SBX_ENGINE.rawValue ? nil : UInt8(exactly: kind - SBX_ENGINE.rawValue).flatMap(EventKind.init(rawValue:))
  }

  private static func parts(_ kind: UInt32) -> (deed: String, noun: String) {
    if kind >= SBX_ENGINE.rawValue { return event(kind).flatMap { engine[$0] } ?? ("use", "object") }
    return core[kind] ?? ("go on", "")
  }

  private static let core: [UInt32: (String, String)] = [
    SBX_START.rawValue: ("begin", ""), SBX_END.rawValue: ("end", ""), SBX_CREATE.rawValue: ("start a thread", ""),
    SBX_JOIN.rawValue: ("join", "thread"), SBX_DETACH.rawValue: ("detach", "thread"), SBX_LOCK.rawValue: ("lock", "mutex"),
    SBX_TRYLOCK.rawValue: ("try", "lock"), SBX_TIMEDLOCK.rawValue: ("lock in time", "mutex"),
    SBX_UNLOCK.rawValue: ("unlock", "mutex"), SBX_READ_LOCK.rawValue: ("read-lock", "rwlock"),
    SBX_WRITE_LOCK.rawValue: ("write-lock", "rwlock"), SBX_RW_UNLOCK.rawValue: ("unlock", "rwlock"),
    SBX_SPIN_LOCK.rawValue: ("lock", "spin lock"), SBX_SPIN_UNLOCK.rawValue: ("unlock", "spin lock"),
    SBX_CONDITION_WAIT.rawValue: ("wait for", "condition"), SBX_CONDITION_SIGNAL.rawValue: ("signal", "condition"),
    SBX_CONDITION_BROADCAST.rawValue: ("broadcast", "condition"), SBX_SEMAPHORE_WAIT.rawValue: ("wait for", "semaphore"),
    SBX_SEMAPHORE_POST.rawValue: ("post", "semaphore"), SBX_ONCE.rawValue: ("do once", "once"),
    SBX_BARRIER.rawValue: ("wait at", "barrier"), SBX_FUTEX_WAIT.rawValue: ("sleep on", "word"),
    SBX_FUTEX_WAKE.rawValue: ("wake", "word"), SBX_FUTEX_LOCK.rawValue: ("lock", "word"),
    SBX_FUTEX_UNLOCK.rawValue: ("unlock", "word"), SBX_SLEEP.rawValue: ("sleep", ""), SBX_YIELD.rawValue: ("yield", ""),
    SBX_CLOCK.rawValue: ("read the clock again and again", ""), SBX_POLL.rawValue: ("poll", ""),
    SBX_IO.rawValue: ("read or write", ""), SBX_FILE_LOCK.rawValue: ("lock", "stream"),
    SBX_FILE_UNLOCK.rawValue: ("unlock", "stream"), SBX_OUTSIDE.rawValue: ("wait outside", ""),
    SBX_ATOMIC_LOAD.rawValue: ("load", "word"), SBX_ATOMIC_STORE.rawValue: ("store", "word"),
    SBX_ATOMIC_UPDATE.rawValue: ("update", "word"), SBX_PARK.rawValue: ("sleep on", "word"),
    SBX_PARKED.rawValue: ("sleep on", "word"), SBX_PARK_WAKE.rawValue: ("wake", "word"),
    SBX_FENCE_ALL.rawValue: ("make a barrier of all threads", ""), SBX_STALE.rawValue: ("choose what it reads of", "word"),
    SBX_PICK.rawValue: ("choose the thread to wake at", "object"), SBX_CHOICE.rawValue: ("go on", ""),
    SBX_FAULT.rawValue: ("start a thread, which may fail", ""),
  ]

  /// By the kind of the engine's event.
  private static let engine: [EventKind: (String, String)] = [
    .submitted: ("submit to", "queue"), .turnAsked: ("sync on", "queue"), .started: ("run an item", ""),
    .groupEntered: ("enter", "group"), .groupLeft: ("leave", "group"), .groupWaitAsked: ("wait for", "group"),
    .semaphoreWaitAsked: ("wait for", "semaphore"), .semaphoreSignalled: ("signal", "semaphore"),
    .workItemPerformed: ("perform", "work item"), .applied: ("apply", ""), .delayAsked: ("submit later to", "queue"),
    .onceAsked: ("do once", "once"), .suspended: ("suspend", "queue"), .resumed: ("resume", "queue"),
    .notifyAsked: ("ask to be notified of", "object"), .workItemWaitAsked: ("wait for", "work item"),
    .workItemCancelled: ("cancel", "work item"), .sourceCancelled: ("cancel", "source"),
    .sourceMerged: ("merge into", "source"), .timerScheduled: ("schedule", "timer"), .activated: ("activate", "queue"),
    .retargeted: ("retarget", "queue"), .specificSet: ("store a value in", "queue"),
    .handlerSet: ("set a handler of", "source"), .readAsked: ("read from", "channel"),
    .writeAsked: ("write to", "channel"), .channelBarrierAsked: ("submit a barrier to", "channel"),
    .channelClosed: ("close", "channel"), .channelSet: ("change", "channel"), .lockAsked: ("lock", "lock"),
    .lockReleased: ("unlock", "lock"), .actorEntered: ("go over to", "actor"),
    .operationStartAsked: ("start", "operation"), .operationCancelAsked: ("cancel", "operation"),
    .operationWaitAsked: ("wait for", "operation"), .dependencyChanged: ("change what is needed by", "operation"),
    .operationSet: ("change", "operation"), .operationsAdded: ("add to", "operation queue"),
    .operationBarrierAdded: ("add a barrier to", "operation queue"),
    .operationsCancelled: ("cancel all of", "operation queue"),
    .operationQueueWaitAsked: ("wait for", "operation queue"), .operationQueueSet: ("change", "operation queue"),
  ]
}
