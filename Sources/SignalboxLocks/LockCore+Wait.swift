// LockCore+Wait.swift: waiting for a lock: spin while it may help, then sleep; and waking when it is given back.
//
// The steps and why nobody is left asleep: README.md, "LockCore".
import SignalboxDiagnosis
import SignalboxSystem

extension LockCore {
  @inline(never) @usableFromInline
  func lockSlow(_ kind: WaitKind, _ object: UInt) {
    _ = ThreadSlot.owner()  // at a thread's first lock the environment may switch instruments on
    var hooks = LockHooks.begin(.lock, kind, address)
    hooks.meetsHolder(holder)
    _ = take(kind, object, until: .never)
    hooks.acquired()
  }

  /// Takes the lock, waiting at most until `deadline`; false when that came first.
  package func lock(
    _ kind: WaitKind, object: UInt = 0, until deadline: LockDeadline, _ trust: HolderTrust = .certain
  ) -> Bool {
    _ = ThreadSlot.owner()
    var hooks = LockHooks.begin(deadline == .never ? .lock : .timedLock, kind, address)
    hooks.meetsHolder(holder)
    guard take(kind, object, until: deadline, trust) else {
      hooks.failed()
      return false
    }
    hooks.acquired()
    return true
  }

  @inline(never) @usableFromInline
  func tryLockSlow(_ kind: WaitKind, _ object: UInt) -> Bool {
    let me = UInt32(ThreadSlot.owner())
    let hooks = LockHooks.begin(.tryLock, kind, address)
    guard swapIn(me) else {
      hooks.failed()
      return false
    }
    hooks.acquired()
    return true
  }

  @inline(never) @usableFromInline
  func unlockSlow(_ kind: WaitKind, _ object: UInt) -> Bool {
    guard holder == ThreadSlot.owner() else { return false }
    LockHooks.released(kind, address)
    release()
    return true
  }

  /// Gives back a lock whoever holds it, for the types that tolerate it. False if nobody does.
  ///
  /// - Precondition: the holder does not give it back at the same time.
  package func unlockForAnybody(_ kind: WaitKind) -> Bool {
    let owner = holder
    guard owner != 0 else { return false }
    LockHooks.released(kind, address, heldBy: owner)
    release()
    return true
  }

  // relaxed: who it was a moment ago, for the instruments; or the calling thread, which alone writes its own name.
  var holder: UInt64 { UInt64(word.loadRelaxed()) }

  // MARK: without hooks

  func take(_ kind: WaitKind, _ object: UInt, until deadline: LockDeadline, _ trust: HolderTrust = .certain) -> Bool {
    let me = UInt32(ThreadSlot.owner())
    if spin(me) { return true }
    if deadline != .never, deadline.hasPassed { return swapIn(me) }
    return sleep(me, kind, object, until: deadline, trust)
  }

  func release() { storeOut() }

  private func spin(_ me: UInt32) -> Bool {
    if swapIn(me) { return true }
    for round in 0..<LockTuning.rounds {
      let seen = word.loadRelaxed()  // relaxed: the swap re-checks
      if isHopeless(seen, .fresh) { return false }
      if seen == 0, swapIn(me) { return true }
      for _ in 0..<(1 << min(round, 6)) { spinPause() }
    }
    return watch(me, .fresh)
  }

  /// Looks closely for some ten microseconds, and takes the lock when a section ends that was not short.
  ///
  /// Those who hold a lock for a moment only, again and again, are fastest when nobody looks.
  private func watch(_ me: UInt32, _ patience: LockPatience) -> Bool {
    var looks = SectionPolls()
    for _ in 0..<LockTuning.looks {
      let seen = word.loadRelaxed()  // relaxed: the swap re-checks
      switch looks.afterPoll(isFree: seen == 0) {
      case .goOn: break
      case .take: if takeIfFree(me, state, patience) { return true }
      case .askWhetherItIsWorthIt: if isHopeless(seen, patience) { return false }
      case .leave: return false
      }
      spinPause()
    }
    return false
  }

  /// A lock kept for somebody is not for us, and a holder that sleeps gives nothing back soon.
  private func isHopeless(_ seen: UInt32, _ patience: LockPatience) -> Bool {
    !state.mayTake(patience) || seen != 0 && WaitRecord.isWaiting(UInt64(seen))
  }

  // MARK: asleep

  /// Sleeps until the lock is ours, or `deadline` has come: false.
  private func sleep(
    _ me: UInt32, _ kind: WaitKind, _ object: UInt, until deadline: LockDeadline, _ trust: HolderTrust
  ) -> Bool {
    let words = trust == .certain ? OwnerWords(OwnerWord(address, .lock)) : OwnerWords()
    Waiting.begin(kind, object: object == 0 ? address : object, isTimed: deadline != .never, words)
    defer { WaitRecord.withdraw() }
    return BlockingHook.around(longWait: false) { sleep(me, until: deadline) }
  }

  private func sleep(_ me: UInt32, until deadline: LockDeadline) -> Bool {
    var course = LockWait()
    while true {
      let outcome = course.dozes && !state.isHandOff ? doze(me, course, deadline) : announceAndPark(me, course, deadline)
      guard let outcome else { return true }
      course.hasSlept()
      if deadline != .never, deadline.hasPassed { return takeIfFree(me, state, course.patience) || giveUp(course.patience) }
      course.goOn(after: outcome)
      if course.patience != .starving, watch(me, course.patience) { return true }
    }
  }

  /// Says that somebody sleeps, and sleeps; nil: the lock is ours.
  private func announceAndPark(_ me: UInt32, _ course: LockWait, _ deadline: LockDeadline) -> ParkOutcome? {
    let announced = change { $0.afterAnnounce(course.patience) }
    if takeIfFree(me, announced, course.patience) { return nil }
    // B1: every unlock whose load misses what was announced has its store visible now.
    let limit = Barrier.processWide() ? course.due : min(course.due, Clock.uptime() &+ LockTuning.unorderedSleep)
    if takeIfFree(me, announced, course.patience) { return nil }
    return park(announced, deadline.park(before: limit), course.patience)
  }

  /// Sleeps for a short time without asking for a wake; nil: the lock is ours.
  private func doze(_ me: UInt32, _ course: LockWait, _ deadline: LockDeadline) -> ParkOutcome? {
    let seen = state
    if takeIfFree(me, seen, course.patience) { return nil }
    return park(seen, deadline.park(before: course.dozesUntil), course.patience)
  }

  private func park(_ expected: CrowdState, _ deadline: ParkDeadline, _ patience: LockPatience) -> ParkOutcome {
    let set = patience == .starving ? LockTuning.starvingSleepers : LockTuning.ordinarySleepers
    return withUnsafePointer(to: crowd) {
      Parking.park($0, expected: expected.rawValue, deadline: deadline, set: set)
    }
  }

  /// Takes the lock if it is free and `seen` lets a thread of this patience in; then the crowd says that others may sleep.
  private func takeIfFree(_ me: UInt32, _ seen: CrowdState, _ patience: LockPatience) -> Bool {
    // relaxed: the swap re-checks. acquire L1: pairs with L2.
    guard seen.mayTake(patience), word.loadRelaxed() == 0, word.casAcquire(0, me).exchanged else { return false }
    _ = change { $0.afterTake(patience) }
    return true
  }

  /// Stops waiting: false. Whoever holds the lock wakes another; if nobody does, this thread may have used up the wake.
  private func giveUp(_ patience: LockPatience) -> Bool {
    _ = change { $0.afterGiveUp(patience) }
    _ = Barrier.processWide()  // as B1; without it others sleep on for 1 ms at most
    if word.loadRelaxed() == 0 { wakeSleeper() }  // relaxed: the barrier orders it
    return false
  }

  /// Wakes a sleeper if one may be there. The calling thread has freed the lock, or found it free.
  @inline(never) @usableFromInline
  func wakeSleeper() {
    var old = crowd.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      let (next, wake) = CrowdState(rawValue: old).afterUnlock()
      if wake == .nobody { return }
      // acquire-release: the lock is seen free by whoever sees the new ticket.
      let swap = crowd.casAcqRel(old, next.rawValue)
      if swap.exchanged { return withUnsafePointer(to: crowd) { wake.happen(at: $0) } }
      old = swap.original
    }
  }

  // relaxed: what it was a moment ago; steps that depend on it are swaps.
  private var state: CrowdState { CrowdState(rawValue: crowd.loadRelaxed()) }

  /// Makes a step of the crowd, if it changes anything; the crowd afterwards.
  private func change(_ step: (CrowdState) -> CrowdState) -> CrowdState {
    var old = state
    while true {
      let next = step(old)
      if next == old { return old }
      // acquire-release: nothing after the step is done before it; the barrier does the rest.
      let swap = crowd.casAcqRel(old.rawValue, next.rawValue)
      if swap.exchanged { return next }
      old = CrowdState(rawValue: swap.original)
    }
  }
}
