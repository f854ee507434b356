// LockEvents.swift: what the order of locks hears of queues, groups, semaphores and work items. Locks tell it
// themselves (LockHooks).
//
// While a thread has a turn its frames say so (ThreadFrame.swift), whether or not anything was switched on when it got
// it, and they lie in the stack where it took the turn. So only the asking for a turn is an event here.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum LockEvents {
  static func hears(_ event: Event) {
    guard LockHooks.isOn else { return }
    let second = event.second
    switch event.kind {
    case .turnAsked, .targetTurnAsked:
      guard let kind = WaitKind(rawValue: UInt8(truncatingIfNeeded: event.third)), kind.isQueue else { return }
      _ = ThreadSlot.owner()
      Diagnosis.above?.isAskedFor(kind, event.object, isShared: event.second == 0, at: event.site)
    case .groupWaitAsked: waits(for: .group, event)
    case .semaphoreWaitAsked: waits(for: .semaphore, event)
    case .workItemWaitAsked: waits(for: .workItem, event)
    // Of what is no lock and no queue nothing is known by its address.
    case .gone where second == 0 || second == UInt64(WaitKind.sync.rawValue):
      Diagnosis.above?.isGone(event.object)
    default: break
    }
  }

  private static func waits(for kind: WaitKind, _ event: Event) {
    if event.second == 0 { return }  // a try
    let timeLeft = event.second == EventKind.withoutLimit ? nil : event.second
    Diagnosis.above?.waits(for: kind, timeLeft: timeLeft, at: event.site)
  }
}
