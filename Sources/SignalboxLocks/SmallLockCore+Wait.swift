// SmallLockCore+Wait.swift: waiting for a lock of four bytes: spin while it may help, then sleep; waking when it is given back.
//
// The steps and why nobody is left asleep: README.md, "SmallLockCore".
import SignalboxDiagnosis
import SignalboxSystem

extension SmallLockCore {
  @inline(never) @usableFromInline
  func lockSlow(_ kind: WaitKind) {
    let me = UInt32(ThreadSlot.owner())  // at a thread's first lock the environment may switch instruments on
    var hooks = LockHooks.begin(.lock, kind, address)
    hooks.meetsHolder(holder)
    if !spin(me) { sleep(me, kind) }
    hooks.acquired()
  }

  @inline(never) @usableFromInline
  func tryLockSlow(_ kind: WaitKind) -> Bool {
    let me = UInt32(ThreadSlot.owner())
    let hooks = LockHooks.begin(.tryLock, kind, address)
    guard word.casAcquire(0, me).exchanged else {
      hooks.failed()
      return false
    }
    hooks.acquired()
    return true
  }

  @inline(never) @usableFromInline
  func unlockSlow(_ kind: WaitKind) -> Bool {
    guard holder == ThreadSlot.owner() else { return false }
    LockHooks.released(kind, address)
    release()
    return true
  }

  /// Gives back a lock whoever holds it, for the types that tolerate it. False if nobody does.
  func unlockForAnybody(_ kind: WaitKind) -> Bool {
    let owner = holder
    guard owner != 0 else { return false }
    LockHooks.released(kind, address, heldBy: owner)
    release()
    return true
  }

  // relaxed: who it was a moment ago, for the instruments; or the calling thread, which alone writes its own name.
  private var holder: UInt64 { UInt64(word.loadRelaxed() & SmallLockState.ownerMask) }

  private func release() {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      let (next, wake) = SmallLockState(rawValue: old).afterUnlock()
      // release L2: publishes the holder's writes to L1.
      let swap = word.casAcqRel(old, next.rawValue)
      if swap.exchanged { return withUnsafePointer(to: word) { wake.happen(at: $0) } }
      old = swap.original
    }
  }

  private func spin(_ me: UInt32) -> Bool {
    if word.casAcquire(0, me).exchanged { return true }
    for round in 0..<LockTuning.rounds {
      let seen = word.loadRelaxed()  // relaxed: the swap re-checks
      if seen == 0, word.casAcquire(0, me).exchanged { return true }
      if isHopeless(seen) { return false }
      for _ in 0..<(1 << min(round, 6)) { spinPause() }
    }
    return watch(me, .fresh)
  }

  /// As LockCore's: takes the lock when a section ends that was not short.
  private func watch(_ me: UInt32, _ patience: LockPatience) -> Bool {
    var looks = SectionPolls()
    for _ in 0..<LockTuning.looks {
      let seen = word.loadRelaxed()  // relaxed: the swap re-checks
      switch looks.afterPoll(isFree: seen == 0) {
      case .goOn: break
      case .take: if takeIfFree(me, patience) { return true }
      case .askWhetherItIsWorthIt: if isHopeless(seen) { return false }
      case .leave: return false
      }
      spinPause()
    }
    return false
  }

  /// A holder that sleeps gives nothing back soon, and a lock kept for somebody is not for us.
  private func isHopeless(_ seen: UInt32) -> Bool {
    seen & SmallLockState.handOff != 0 || seen != 0 && WaitRecord.isWaiting(UInt64(seen & SmallLockState.ownerMask))
  }

  private func takeIfFree(_ me: UInt32, _ patience: LockPatience) -> Bool {
    let state = SmallLockState(rawValue: word.loadRelaxed())  // relaxed: the swap re-checks
    guard let taken = state.afterTake(me, patience) else { return false }
    return word.casAcquire(state.rawValue, taken.rawValue).exchanged
  }

  /// Sleeps until the lock is ours.
  private func sleep(_ me: UInt32, _ kind: WaitKind) {
    Waiting.begin(kind, object: address, isTimed: false, OwnerWords(OwnerWord(address, .lock)))
    defer { WaitRecord.withdraw() }
    BlockingHook.around(longWait: false) { sleep(me) }
  }

  private func sleep(_ me: UInt32) {
    var course = LockWait()
    while true {
      let seen = word.loadRelaxed()  // relaxed: the kernel compares once more
      let outcome: ParkOutcome
      if course.dozes, seen != 0, seen & SmallLockState.handOff == 0 {
        outcome = park(seen, course.dozesUntil, course.patience)
      } else {
        guard let announced = announce(me, course.patience) else { return }
        outcome = park(announced, course.due, course.patience)
      }
      course.hasSlept()
      course.goOn(after: outcome)
      if course.patience != .starving, watch(me, course.patience) { return }
    }
  }

  private func park(_ expected: UInt32, _ limit: UInt64, _ patience: LockPatience) -> ParkOutcome {
    let set = patience == .starving ? LockTuning.starvingSleepers : LockTuning.ordinarySleepers
    return word.park(expected: expected, deadline: .uptime(limit), set: set)
  }

  /// Takes the lock: nil. Or says in the word that somebody sleeps: the value to sleep on.
  private func announce(_ me: UInt32, _ patience: LockPatience) -> UInt32? {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      let state = SmallLockState(rawValue: old)
      let taken = state.afterTake(me, patience)
      let next = taken ?? state.afterAnnounce(patience)
      if taken == nil, next == state { return old }
      let swap = word.casAcquire(old, next.rawValue)
      if swap.exchanged { return taken == nil ? next.rawValue : nil }
      old = swap.original
    }
  }
}
