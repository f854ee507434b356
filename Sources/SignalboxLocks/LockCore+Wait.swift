// LockCore+Wait.swift: waiting for a lock: spin while it may help, then sleep; and waking when it is given back.
//
// The steps and why nobody is left asleep: README.md, "Waiting".
import SignalboxDiagnosis
import SignalboxSystem

/// The numbers that trade latency against waste.
enum LockTuning {
  static let canSpin = Processors.available() > 1
  #if Explore
  // SAFETY: tests set them before their threads come to the lock.
  nonisolated(unsafe) static var rounds = canSpin ? 10 : 0
  nonisolated(unsafe) static var patience: UInt64 = 10_000_000
  #else
  /// Exponential rounds of barging before a thread sleeps: some 10 µs in all.
  static let rounds = canSpin ? 10 : 0
  /// Pauses for a condition's signal, as long as that is worth it: about 10 µs.
  static let answerSpins = canSpin ? 400 : 0
  /// How long a sleeper lets others barge before the lock is kept for it: 10 ms, as at a queue's gate.
  static let patience: UInt64 = 10_000_000
  #endif
  /// What sleepers tell the kernel about themselves, so that a wake can pick those whose patience has run out.
  static let ordinarySleepers: UInt32 = 1
  static let starvingSleepers: UInt32 = 2
}

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
    guard word.casAcquire(0, me).exchanged else {
      hooks.failed()
      return false
    }
    hooks.acquired()
    return true
  }

  @inline(never) @usableFromInline
  func unlockSlow(_ kind: WaitKind, _ object: UInt) -> Bool {
    let me = UInt32(ThreadSlot.owner())
    guard word.loadRelaxed() & LockState.ownerMask == me else { return false }
    LockHooks.released(kind, address)
    release()
    return true
  }

  /// Gives back a lock whoever holds it, for the types that tolerate it. False if nobody does.
  package func unlockForAnybody(_ kind: WaitKind) -> Bool {
    let owner = holder
    guard owner != 0 else { return false }
    LockHooks.released(kind, address, heldBy: owner)
    release()
    return true
  }

  // relaxed: who it was a moment ago, for the instruments.
  var holder: UInt64 { UInt64(word.loadRelaxed() & LockState.ownerMask) }

  // MARK: without hooks

  func take(_ kind: WaitKind, _ object: UInt, until deadline: LockDeadline, _ trust: HolderTrust = .certain) -> Bool {
    let me = UInt32(ThreadSlot.owner())
    if spin(me) { return true }
    if deadline != .never, deadline.hasPassed { return tryTake(me, .fresh) }
    return sleep(me, kind, object, until: deadline, trust)
  }

  func release() {
    let wake = update { $0.afterUnlock() }
    if wake != .nobody { pass(wake) }
  }

  private func spin(_ me: UInt32) -> Bool {
    if word.casAcquire(0, me).exchanged { return true }
    for round in 0..<LockTuning.rounds {
      let seen = word.loadRelaxed()  // relaxed: the swap re-checks
      if seen == 0, word.casAcquire(0, me).exchanged { return true }
      // A holder that sleeps gives nothing back soon, and a lock kept for somebody is not for us.
      if seen & LockState.handOff != 0 { return false }
      if seen != 0, WaitRecord.isWaiting(UInt64(seen & LockState.ownerMask)) { return false }
      for _ in 0..<(1 << min(round, 6)) { spinPause() }
    }
    return false
  }

  private func tryTake(_ me: UInt32, _ patience: LockState.Patience) -> Bool {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks
    while let next = LockState(rawValue: old).afterTake(me, patience) {
      let swap = word.casAcquire(old, next.rawValue)
      if swap.exchanged { return true }
      old = swap.original
    }
    return false
  }

  /// Sleeps until the lock is ours, or `deadline` has come: false.
  private func sleep(
    _ me: UInt32, _ kind: WaitKind, _ object: UInt, until deadline: LockDeadline, _ trust: HolderTrust
  ) -> Bool {
    let isTimed = deadline != .never
    let words = trust == .certain ? OwnerWords(OwnerWord(address, .lock)) : OwnerWords()
    Waiting.begin(kind, object: object == 0 ? address : object, isTimed: isTimed, words)
    defer { WaitRecord.withdraw() }
    return BlockingHook.around(longWait: false) {
      var patience = LockState.Patience.fresh
      var impatience = Clock.uptime() &+ LockTuning.patience
      while true {
        guard let expected = announce(me, patience) else { return true }
        let set = patience == .starving ? LockTuning.starvingSleepers : LockTuning.ordinarySleepers
        let outcome = withUnsafePointer(to: word) {
          Parking.park($0, expected: expected, deadline: deadline.park(before: impatience), set: set)
        }
        if patience == .fresh { patience = .hasSlept }
        if isTimed, deadline.hasPassed {
          if tryTake(me, patience) { return true }
          pass(update { $0.afterGiveUp(patience) })
          return false
        }
        if outcome == .timedOut, Clock.uptime() >= impatience {
          patience = .starving
          impatience = Clock.uptime() &+ LockTuning.patience
        }
      }
    }
  }

  /// Takes the lock: nil. Or says in the word that somebody sleeps: the value to sleep on.
  private func announce(_ me: UInt32, _ patience: LockState.Patience) -> UInt32? {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      let state = LockState(rawValue: old)
      let taken = state.afterTake(me, patience)
      let next = taken ?? state.afterAnnounce(patience)
      if taken == nil, next == state { return old }
      let swap = word.casAcquire(old, next.rawValue)
      if swap.exchanged { return taken == nil ? next.rawValue : nil }
      old = swap.original
    }
  }

  private func pass(_ wake: LockState.WakeAction) {
    withUnsafePointer(to: word) { address in
      switch wake {
      case .nobody: break
      case .one: Parking.wake(address)
      case .starving: Parking.wake(address, set: LockTuning.starvingSleepers)
      }
    }
  }

  private func update(_ change: (LockState) -> (next: LockState, wake: LockState.WakeAction)) -> LockState.WakeAction {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      let (next, wake) = change(LockState(rawValue: old))
      // release L2: publishes the holder's writes to L1.
      let swap = word.casAcqRel(old, next.rawValue)
      if swap.exchanged { return wake }
      old = swap.original
    }
  }
}
