// LockCore+Wait.swift: what is LockCore's own in waiting and waking: it says that it sleeps in the word beside the owner. The rest of
// waiting is WaitableLock.swift.
//
// The steps and why no thread is left asleep: README.md, "LockCore".
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension LockCore: WaitableLock {
  @inline(never) @usableFromInline
  func lockSlow(_ kind: WaitKind, _ object: UInt) { _ = lockWaiting(kind, object, until: .never) }

  /// Takes the lock, waiting at most until `deadline`; false when that came first.
  package func lock(
    _ kind: WaitKind, object: UInt = 0, until deadline: LockDeadline, _ trust: HolderTrust = .certain
  ) -> Bool { lockWaiting(kind, object, until: deadline, trust) }

  @inline(never) @usableFromInline
  func tryLockSlow(_ kind: WaitKind, _ object: UInt) -> Bool { tryLockOnce(kind) }

  @inline(never) @usableFromInline
  func unlockSlow(_ kind: WaitKind, _ object: UInt) -> Bool { unlockMine(kind) }

  /// Gives back a lock whichever thread holds it, for the types that tolerate it. False if none does.
  ///
  /// - Precondition: the holder does not give it back at the same time.
  package func unlockForAnybody(_ kind: WaitKind) -> Bool { unlockAnybodys(kind) }

  // relaxed: the holder of a moment ago, for the instruments; or the calling thread, which alone writes its own name.
  var holder: UInt64 { UInt64(word.loadRelaxed()) }
  var polled: UInt32 { word.loadRelaxed() }  // relaxed: the swap re-checks

  func release() { storeOut() }

  /// A lock kept for another thread is not for this one, and a holder that sleeps gives nothing back soon.
  func isHopeless(_ seen: UInt32, _ patience: LockPatience) -> Bool {
    !crowd.hint().mayTake(patience) || seen != 0 && WaitRecord.isWaiting(UInt64(seen))
  }

  func takeIfFree(_ me: UInt32, _ patience: LockPatience) -> Bool { takeIfFree(me, crowd.hint(), patience) }

  // MARK: asleep

  func sleep(_ me: UInt32, until deadline: LockDeadline, _ inversion: inout InversionHook.Wait) -> Bool {
    var course = LockWait()
    while true {
      let outcome =
        course.dozes && !crowd.hint().isHandOff ? doze(me, course, deadline) : announceAndPark(me, course, deadline)
      guard let outcome else { return true }
      course.hasSlept()
      if deadline != .never, deadline.hasPassed { return takeIfFree(me, course.patience) || giveUp(course.patience) }
      course.goOn(after: outcome)
      if course.patience != .starving, poll(me, course.patience) { return true }
      inversion.isBehind(holder)
    }
  }

  /// Says that a thread sleeps, and sleeps; nil: this thread has the lock.
  private func announceAndPark(_ me: UInt32, _ course: LockWait, _ deadline: LockDeadline) -> ParkOutcome? {
    let announced = crowd.change { $0.afterAnnounce(course.patience) }
    if takeIfFree(me, announced, course.patience) { return nil }
    // B1: every unlock whose load misses what was announced has its store visible now.
    let limit = Barrier.processWide() ? course.due : min(course.due, Clock.uptime() &+ LockTuning.unorderedSleep)
    if takeIfFree(me, announced, course.patience) { return nil }
    return park(announced, deadline.park(before: limit), course.patience)
  }

  /// Sleeps for a short time without asking for a wake; nil: this thread has the lock.
  private func doze(_ me: UInt32, _ course: LockWait, _ deadline: LockDeadline) -> ParkOutcome? {
    let seen = crowd.hint()
    if takeIfFree(me, seen, course.patience) { return nil }
    return park(seen, deadline.park(before: course.dozesUntil), course.patience)
  }

  private func park(_ expected: CrowdState, _ deadline: ParkDeadline, _ patience: LockPatience) -> ParkOutcome {
    crowd.word.park(expected: expected.rawValue, deadline: deadline, set: patience.sleeperSet)
  }

  /// Takes the lock if it is free and `seen` lets a thread of this patience in; then the crowd says that others may sleep.
  private func takeIfFree(_ me: UInt32, _ seen: CrowdState, _ patience: LockPatience) -> Bool {
    // relaxed: the swap re-checks. acquire L1: pairs with L2.
    guard seen.mayTake(patience), word.loadRelaxed() == 0, word.casAcquire(0, me).exchanged else { return false }
    _ = crowd.change { $0.afterTake(patience) }
    return true
  }

  /// Stops waiting: false. The thread that holds the lock wakes another; if none does, this thread may have used up the
  /// wake.
  private func giveUp(_ patience: LockPatience) -> Bool {
    _ = crowd.change { $0.afterGiveUp(patience) }
    _ = Barrier.processWide()  // as B1; without it others sleep on for 1 ms at most
    if word.loadRelaxed() == 0 { wakeSleeper() }  // relaxed: the barrier orders it
    return false
  }

  /// Wakes a sleeper if one may be there. The calling thread has freed the lock, or found it free.
  @inline(never) @usableFromInline
  func wakeSleeper() {
    // The step's release: the lock is seen free by a thread that sees the new ticket.
    let wake = crowd.tryUpdate { crowd in
      let step = crowd.afterUnlock()
      return step.wake == .nobody ? nil : step
    }
    wake?.happen(on: crowd.word)
  }
}
