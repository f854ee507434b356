// WaitableLock.swift: what waiting for a lock and giving it back are for both lock words, of eight bytes and of four.
// What differs is each word's own: LockCore+Wait.swift, SmallLockCore+Wait.swift.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

/// A lock word that knows its holder. The methods are specialised for each: none is called through the protocol.
protocol WaitableLock: ~Copyable {
  /// Where reports and instruments find the lock.
  var address: UInt { get }
  /// The owner of the thread that holds the lock, 0 if none does: a moment ago, or for good if it is the calling
  /// thread.
  var holder: UInt64 { get }
  /// The word to poll: 0 while the lock is free for any thread that may take it, a moment ago.
  var polled: UInt32 { get }

  /// Takes the lock for a thread that has not slept, by one swap.
  func swapIn(_ me: UInt32) -> Bool
  /// Takes the lock if it is free and a thread of this patience may come in.
  func takeIfFree(_ me: UInt32, _ patience: LockPatience) -> Bool
  /// Whether polling on is no use: the lock is kept for another thread, or the holder that was polled sleeps.
  func isHopeless(_ seen: UInt32, _ patience: LockPatience) -> Bool
  /// Sleeps until the lock is taken, or `deadline` has come: false. Tells `inversion` the holder before each sleep.
  func sleep(_ me: UInt32, until deadline: LockDeadline, _ inversion: inout InversionHook.Wait) -> Bool
  /// Gives the lock back and wakes the sleepers that this concerns; its event was emitted.
  func release()
}

extension WaitableLock where Self: ~Copyable {
  // MARK: with events

  /// Takes the lock, waiting at most until `deadline`; false when that came first.
  @inline(__always)
  func lockWaiting(_ kind: WaitKind, _ object: UInt, until deadline: LockDeadline, _ trust: HolderTrust = .certain) -> Bool {
    _ = ThreadSlot.owner()  // at a thread's first lock the environment may switch instruments on
    var request = LockRequest(kind, address, isPatient: deadline == .never)
    request.meetsHolder(holder)
    guard take(kind, object, until: deadline, trust) else { return false }
    request.isGranted()
    return true
  }

  @inline(__always)
  func tryLockOnce(_ kind: WaitKind) -> Bool {
    let me = UInt32(ThreadSlot.owner())
    let request = LockRequest(kind, address, isPatient: false)
    guard swapIn(me) else { return false }
    request.isGranted()
    return true
  }

  /// Gives the lock back if the calling thread holds it.
  @inline(__always)
  func unlockMine(_ kind: WaitKind) -> Bool {
    guard holder == ThreadSlot.owner() else { return false }
    LockEvent.released(address)
    release()
    return true
  }

  /// Gives the lock back whichever thread holds it. False if none does.
  @inline(__always)
  func unlockAnybodys(_ kind: WaitKind) -> Bool {
    let owner = holder
    guard owner != 0 else { return false }
    LockEvent.released(address, heldBy: owner)
    release()
    return true
  }

  // MARK: without events

  func take(_ kind: WaitKind, _ object: UInt, until deadline: LockDeadline, _ trust: HolderTrust = .certain) -> Bool {
    let me = UInt32(ThreadSlot.owner())
    if spin(me) { return true }
    if deadline != .never, deadline.hasPassed { return swapIn(me) }
    return sleepOnRecord(me, kind, object, until: deadline, trust)
  }

  private func spin(_ me: UInt32) -> Bool {
    if swapIn(me) { return true }
    for round in 0..<spinRounds(LockTuning.rounds) {
      let seen = polled
      if isHopeless(seen, .fresh) { return false }
      if seen == 0, swapIn(me) { return true }
      for _ in 0..<(1 << min(round, 6)) { spinPause() }
    }
    return poll(me, .fresh)
  }

  /// Polls closely for some ten microseconds, and takes the lock when a section ends that was not short.
  ///
  /// Threads that hold a lock for a moment only, again and again, are fastest when no thread polls.
  func poll(_ me: UInt32, _ patience: LockPatience) -> Bool {
    var polls = SectionPolls()
    for _ in 0..<spinRounds(LockTuning.polls) {
      let seen = polled
      switch polls.afterPoll(isFree: seen == 0) {
      case .goOn: break
      case .take: if takeIfFree(me, patience) { return true }
      case .askWhetherItIsWorthIt: if isHopeless(seen, patience) { return false }
      case .leave: return false
      }
      spinPause()
    }
    return false
  }

  /// Sleeps with a record of the thread that the caller waits for.
  private func sleepOnRecord(
    _ me: UInt32, _ kind: WaitKind, _ object: UInt, until deadline: LockDeadline, _ trust: HolderTrust
  ) -> Bool {
    let words = trust == .certain ? OwnerWords(OwnerWord(address, .lock)) : OwnerWords()
    Waiting.begin(kind, object: object == 0 ? address : object, isTimed: deadline != .never, words)
    defer { WaitRecord.withdraw() }
    var inversion = InversionHook.Wait()
    inversion.isBehind(holder)
    return BlockingHook.around(longWait: false) { sleep(me, until: deadline, &inversion) }
  }
}

extension LockPatience {
  /// What a sleeper of this patience tells the kernel about itself.
  var sleeperSet: UInt32 { self == .starving ? LockTuning.starvingSleepers : LockTuning.ordinarySleepers }
}
