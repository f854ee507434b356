// SmallLockCore+Wait.swift: what is the four-byte lock's own in waiting and waking: one word says which thread holds it
// and whether others sleep. The rest of waiting is WaitableLock.swift.
//
// The steps and why no thread is left asleep: README.md, "SmallLockCore".
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension SmallLockCore: WaitableLock {
  @inline(never) @usableFromInline
  func lockSlow(_ kind: WaitKind) { _ = lockWaiting(kind, 0, until: .never) }

  @inline(never) @usableFromInline
  func tryLockSlow(_ kind: WaitKind) -> Bool { tryLockOnce(kind) }

  @inline(never) @usableFromInline
  func unlockSlow(_ kind: WaitKind) -> Bool { unlockMine(kind) }

  /// Gives back a lock whichever thread holds it, for the types that tolerate it. False if none does.
  func unlockForAnybody(_ kind: WaitKind) -> Bool { unlockAnybodys(kind) }

  // A moment ago, for the instruments; or the calling thread, which alone writes its own name.
  var holder: UInt64 { UInt64(state.hint().owner) }
  var polled: UInt32 { state.hint().rawValue }

  // The step's release is L2: it publishes the holder's writes to L1. From then on the word is only a name to the kernel.
  func release() { state.update { $0.afterUnlock() }.happen(on: state.word) }

  // acquire L1: pairs with L2.
  func swapIn(_ me: UInt32) -> Bool { state.word.casAcquire(0, me).exchanged }

  /// A holder that sleeps gives nothing back soon, and a lock kept for another thread is not for this one.
  func isHopeless(_ seen: UInt32, _ patience: LockPatience) -> Bool {
    let state = SmallLockState(rawValue: seen)
    return state.isHandOff || state.owner != 0 && WaitRecord.isWaiting(UInt64(state.owner))
  }

  func takeIfFree(_ me: UInt32, _ patience: LockPatience) -> Bool {
    let seen = state.hint()
    guard let taken = seen.afterTake(me, patience) else { return false }
    return state.movedAcquire(from: seen, to: taken)  // acquire L1
  }

  // MARK: asleep

  func sleep(_ me: UInt32, until deadline: LockDeadline, _ inversion: inout InversionHook.Wait) -> Bool {
    var course = LockWait()
    while true {
      let seen = state.hint()  // the kernel compares once more
      let outcome: ParkOutcome
      if course.dozes, seen != .free, !seen.isHandOff {
        outcome = park(seen, deadline.park(before: course.dozesUntil), course.patience)
      } else {
        guard let announced = announce(me, course.patience) else { return true }
        outcome = park(announced, deadline.park(before: course.due), course.patience)
      }
      course.hasSlept()
      course.goOn(after: outcome)
      if course.patience != .starving, poll(me, course.patience) { return true }
      inversion.isBehind(holder)
    }
  }

  private func park(_ expected: SmallLockState, _ deadline: ParkDeadline, _ patience: LockPatience) -> ParkOutcome {
    state.word.park(expected: expected.rawValue, deadline: deadline, set: patience.sleeperSet)
  }

  /// Takes the lock: nil. Or says in the word that a thread sleeps: the state to sleep on.
  private func announce(_ me: UInt32, _ patience: LockPatience) -> SmallLockState? {
    let now = state.change { $0.afterTake(me, patience) ?? $0.afterAnnounce(patience) }
    return now.owner == me ? nil : now
  }
}
