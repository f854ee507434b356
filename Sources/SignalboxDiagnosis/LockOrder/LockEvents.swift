// LockEvents.swift: the order of locks and their statistics as a subscriber: of locks, queues' turns, groups, semaphores and work
// items.
//
// While a thread has a turn its frames say so (ThreadFrame.swift), whether or not anything was switched on when it got
// it, and they lie in the stack where it took the turn. So only the asking for a turn is an event here.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum LockEvents {
  /// Whether the caller's locks are tracked. Not in the child of a fork: what other threads had begun is never ended
  /// there. Nor where an explorer chooses, which tries the orders themselves and may leave a thread where it is.
  static var areOn: Bool {
    Instruments.byte & Instruments.lockTracking != 0 && !Instruments.isForkedChild && !Exploration.isOfCaller
  }

  static func hears(_ event: Event) {
    guard areOn else { return }
    let object = event.object, second = event.second
    switch event.kind {
    case .lockAsked, .onceAsked:
      guard second == EventKind.withoutLimit else { return }  // else its wait ends by itself
      isAskedFor(kind(event.third), event, isShared: kind(event.third) == .readLock)
    case .lockTaken:
      NotedLocks.isTaken(kind(event.third), object, behind: second, since: event.third >> 8, at: event.site)
    case .lockReleased:
      if second == 0 || second == ThreadSlot.owner() { return NotedLocks.isGivenBack(object) }
      HeldStackPool.stack(of: second)?.mail(object)
    case .turnAsked, .targetTurnAsked:
      if kind(event.third).isQueue { isAskedFor(kind(event.third), event, isShared: second == 0) }
    case .groupWaitAsked: waits(for: .group, event)
    case .semaphoreWaitAsked: waits(for: .semaphore, event)
    case .workItemWaitAsked: waits(for: .workItem, event)
    case .unownedWaitBegan: NotedLocks.waits(for: kind(second), timeLeft: nil, at: event.site)
    case .lockMade: isMade(event)
    case .identityEnded: LockWorld.lock.withLock { LockRegistry.endedAssumingLocked(identity: second) }
    // Of what is no lock and no queue nothing is known by its address.
    case .gone where second == 0 || second == UInt64(WaitKind.sync.rawValue):
      LockWorld.lock.withLock { LockRegistry.destroyedAssumingLocked(object) }
    default: break
    }
  }

  private static func kind(_ word: UInt64) -> WaitKind { WaitKind(rawValue: UInt8(truncatingIfNeeded: word)) ?? .none }

  private static func isAskedFor(_ kind: WaitKind, _ event: Event, isShared: Bool) {
    _ = ThreadSlot.owner()
    NotedLocks.isAskedFor(kind, event.object, isShared: isShared, at: event.site)
  }

  private static func isMade(_ event: Event) {
    guard let identity = UnsafePointer<LockIdentity>(bitPattern: UInt(event.third)) else {
      return NotedLocks.isMade(kind(event.second), event.object, at: event.site)
    }
    // SAFETY: the emitting call keeps the identity until its subscribers have returned.
    NotedLocks.isMade(kind(event.second), event.object, for: identity.pointee)
  }

  private static func waits(for kind: WaitKind, _ event: Event) {
    if event.second == 0 { return }  // a try
    let timeLeft = event.second == EventKind.withoutLimit ? nil : event.second
    NotedLocks.waits(for: kind, timeLeft: timeLeft, at: event.site)
  }
}
