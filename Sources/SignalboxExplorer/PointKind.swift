// PointKind.swift: what a thread is about to do at a point, in words.
import CSignalboxExplore

enum PointKind {
  /// `lock mutex 3`: the deed and the object's number; `number` 0: there is none.
  static func words(_ kind: UInt32, object: UInt32) -> String {
    let (deed, noun) = parts(kind)
    return object == 0 || noun.isEmpty ? deed : "\(deed) \(noun) \(object)"
  }

  /// What the object is.
  static func noun(_ kind: UInt32) -> String { parts(kind).noun }

  /// Whether it is an operation of the engine that may wait: sync, waits for groups, semaphores and work items, apply, once.
  static func mayWait(_ kind: UInt32) -> Bool {
    kind >= SBX_ENGINE.rawValue && [1, 6, 7, 10, 12, 16].contains(kind - SBX_ENGINE.rawValue)
  }

  private static func parts(_ kind: UInt32) -> (deed: String, noun: String) {
    if kind >= SBX_ENGINE.rawValue { return engine[Int(kind - SBX_ENGINE.rawValue)] ?? ("use", "object") }
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
    SBX_PICK.rawValue: ("choose whom to wake at", "object"), SBX_CHOICE.rawValue: ("go on", ""),
  ]

  /// By the number of the engine's primitive.
  private static let engine: [Int: (String, String)] = [
    0: ("submit to", "queue"), 1: ("sync on", "queue"), 2: ("leave", "queue"), 3: ("run an item", ""), 4: ("enter", "group"),
    5: ("leave", "group"), 6: ("wait for", "group"), 7: ("wait for", "semaphore"), 8: ("signal", "semaphore"),
    9: ("perform", "work item"), 10: ("apply", ""), 11: ("submit later to", "queue"), 12: ("do once", "once"),
    13: ("suspend", "queue"), 14: ("resume", "queue"), 15: ("ask to be notified of", "object"), 16: ("wait for", "work item"),
    17: ("cancel", "work item"), 18: ("cancel", "source"), 19: ("merge into", "source"), 20: ("schedule", "timer"),
    40: ("go over to", "actor"), 32: ("lock", "lock"), 33: ("unlock", "lock"),
  ]
}
