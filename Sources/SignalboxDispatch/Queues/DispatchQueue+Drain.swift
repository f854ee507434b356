// DispatchQueue+Drain.swift: how one thread takes items off a queue and runs them, and how it stops doing so.
// When it gives way to others is DispatchQueue+Turn.swift; turns for sleeping threads are DispatchQueue+Serve.swift; the pool that
// calls this is Workers/.
import SignalboxDiagnosis
import SignalboxSystem

/// How a drain ended.
enum DrainOutcome {
  /// The thread holds nothing of the queue any more.
  case finished
  /// What the thread held, here and in the queues around, belongs to a sync's thread now: return without touching it.
  case handedOff
}

extension DispatchQueue {
  /// The queue came off its target's list: runs its items for a while. Consumes the reference that lay in the list.
  final func drain(_ thread: ThreadPointer) -> DrainOutcome {
    if _slowPath(!Instruments.areOff) { touch() }
    let outcome = takeInPlace(thread) ? drainAssumingOwned(thread) : .finished
    if kind != .main { Unmanaged.passUnretained(self).release() }
    return outcome
  }

  /// Takes the queue, which came off the list of what is drained around, or of the pool's: if that is still its target.
  private final func takeInPlace(_ thread: ThreadPointer) -> Bool {
    let around = thread.innermostFrame
    if isOutOfPlace(around) { return false }
    if let around { prepareNested(around, thread) }
    guard takeForDrain(thread) else { return false }
    // The target may have been changed until we owned the queue, and not since.
    guard isOutOfPlace(around) else { return true }
    releaseToNewTarget()
    return false
  }

  @inline(__always)
  private final func prepareNested(_ around: UnsafeMutablePointer<ThreadFrame>, _ thread: ThreadPointer) {
    if !isOfSource { return Pool.worker(thread)?.use { $0.takeNestedName(self) } ?? () }
    // It has its target's name, which the thread has already.
    if around.pointee.kind == .drainAlone {
      Self.reference(of: around.pointee).use { $0.prefetchNextQueue() }
    }
  }

  final func takeForDrain(_ thread: ThreadPointer) -> Bool {
    let me = thread.pointee.owner
    var spinner = Spinner()
    while true {
      let action = update { $0.afterDequeued(me, alone: kind != .concurrent) }
      switch action {
      case .drain: return true
      case .leave:
        helpOwnerIfRaised()
        return false
      case .spin: spinner.wait()
      }
    }
  }

  private final func drainAssumingOwned(_ thread: ThreadPointer) -> DrainOutcome {
    if _slowPath(Instruments.byte & Instruments.figures != 0) { count() }
    return kind == .concurrent ? drainConcurrent(thread) : drainSerial(thread)
  }

  // MARK: serial

  /// Runs `body` inside of a drain of this queue; its worker, if the thread is one, notes it for the case that an item ends the thread.
  @inline(__always)
  private final func insideDrain<Result>(
    _ kind: ThreadFrame.Kind, _ thread: ThreadPointer, _ body: (UnsafeMutablePointer<DrainFrame>) -> Result
  ) -> Result {
    thread.insideDrain(of: address, kind) { frame in
      let worker = Pool.worker(thread)
      worker?.use { $0.beginDrain(frame.pointee.frame) }
      let result = body(frame)
      worker?.use { $0.endDrain() }
      return result
    }
  }

  private final func drainSerial(_ thread: ThreadPointer) -> DrainOutcome {
    insideDrain(.drainAlone, thread) { frame in
      isWorkloop
        ? unsafeDowncast(self, to: DispatchWorkloop.self).runByClass(thread, frame) : runSerialItems(thread, frame)
    }
  }

  private final func runSerialItems(_ thread: ThreadPointer, _ frame: UnsafeMutablePointer<DrainFrame>) -> DrainOutcome {
    var budget = DrainBudget(turn: turnLength)
    var left = budget.stretch
    var lingering = 0
    while true {
      // relaxed: a stop or a sleeper that comes later is seen after the next item
      if QueueState(rawValue: state.loadRelaxed()).mayEndDrain, endsBetweenItems() { return .finished }
      let first = firstAssumingOwned()
      if first == 0 {
        // A pusher that finds us here saves a whole round through the pool; unless there is other work.
        lingering += 1
        let isAlone = !Pool.hasOwnWork(thread) && !Pools.ofThread.use { $0.hasSharedWork } && !isWaitedFor(frame)
        if lingering <= spinRounds(Tuning.lingerRounds), isAlone {
          for _ in 0..<4 { spinPause() }
          continue
        }
        releaseAndRecheck()
        return .finished
      }
      lingering = 0
      if first == SlotKind.waiter { return handOffFirstWaiter(thread) }
      if left == 0 || Pool.wantsYield(thread) {
        left = recheck(&budget, left, thread)
        if left == 0 {
          requeue()
          return .finished
        }
      }
      left &-= 1  // above 0: checked just now
      let second = removeFirstAssumingOwned()
      let target = targetBits.loadRelaxed()  // relaxed: changes only under this drain
      frame.pointee.runs(first, second)
      if Item.run(first, second, thread) == .handedOff { return .handedOff }
      if targetBits.loadRelaxed() != target {  // relaxed: changes only under this drain
        releaseToNewTarget()
        return .finished
      }
    }
  }

  /// Sources on one queue often come due together, and each lies in a place of its own: fetches the next while one runs. For the
  /// drainer, who alone may read the list.
  private final func prefetchNextQueue() {
    guard kind == .serial else { return }
    if let next = nextQueueAssumingOwned() { prefetchObjectToWrite(next) }
  }

  /// Whether this drain runs in another's, which has something else to do or will itself stay for a moment.
  @inline(__always) private final func isWaitedFor(_ frame: UnsafeMutablePointer<DrainFrame>) -> Bool {
    guard frame.pointee.frame.previous != nil, let targetReference else { return false }
    return isOfSource || !targetReference.use { $0.kind == .global || $0.isStoreEmpty }
  }

  /// The first item is a sleeping thread's turn: it gets this queue, and every queue around that this drain is inside of.
  private final func handOffFirstWaiter(_ thread: ThreadPointer) -> DrainOutcome {
    handOff(SyncWaiter.at(removeFirstAssumingOwned()), thread)
  }

  /// Like `handOffFirstWaiter`, of a waiter that was taken off already.
  final func handOff(_ waiter: UnsafePointer<SyncWaiter>, _ thread: ThreadPointer) -> DrainOutcome {
    let others = hasNestedTarget ? 0 : takeWaitersForGate()
    rewindAssumingOwned()
    let owner = waiter.pointee.owner
    set { $0.afterHandOff(to: owner) }
    handOffTargets(thread, to: owner)
    SyncWaiter.grant(waiter, self)
    SyncWaiter.sendToGate(others)
    return .handedOff
  }

  /// Passes on the turns of the targets that this thread drains around this queue. Readers' places need no name.
  private final func handOffTargets(_ thread: ThreadPointer, to owner: UInt64) {
    var next = targetReference
    while let target = next {
      next = target.use { target in
        if target.kind == .serial { target.set { $0.afterHandOff(to: owner) } }
        return target.targetReference
      }
    }
  }

  // MARK: concurrent

  private final func drainConcurrent(_ thread: ThreadPointer) -> DrainOutcome {
    let whole = turnLength
    var left = whole
    while true {
      // relaxed: a stop that comes later is seen before the next item
      let first = QueueState(rawValue: state.loadRelaxed()).isStopped ? 0 : firstAssumingOwned()
      if first == 0 {
        releaseAndRecheck()
        return .finished
      }
      if left == 0 || Pool.wantsYield(thread), left != whole {  // at least one item: as DrainBudget.isUntouched
        left = checkBetweenTurns(left, thread)
        if left == 0 {
          requeue()
          return .finished
        }
      }
      left &-= 1  // above 0: checked just now
      switch drainFirst(first, thread) {
      case .goOn: continue
      case .end(let outcome): return outcome
      }
    }
  }

  @inline(__always) private final func drainFirst(_ first: UInt64, _ thread: ThreadPointer) -> Step {
    if first == SlotKind.waiter { return drainWaiter(thread) }
    if Item.isBarrier(first, secondOfFirstAssumingOwned()) { return drainBarrier(first, thread) }
    guard takePlace() else {
      releaseForWantOfPlace()
      return .end(.finished)
    }
    return runBeside(first, thread)
  }

  private enum Step {
    case goOn
    case end(DrainOutcome)
  }

  /// The first item is a sleeping thread's turn.
  private final func drainWaiter(_ thread: ThreadPointer) -> Step {
    if !hasNestedTarget { return grantFirstWaiter() == .stillOwner ? .goOn : .end(.finished) }
    let waiter = SyncWaiter.at(secondOfFirstAssumingOwned())
    if waiter.pointee.isAlone {
      guard barrierMayRun() else { return .end(.finished) }
      return .end(handOffFirstWaiter(thread))
    }
    // The reader needs the target's turn, which this drain holds: both go, and the rest of the list is told to the target.
    let owner = waiter.pointee.owner
    _ = removeFirstAssumingOwned()
    let tell = update { $0.afterRedirect(more: !isStoreEmpty) }
    if tell {
      tellTarget(.later)
    } else if !isStoreEmpty {
      wakeIfNeeded()
    }
    handOffTargets(thread, to: owner)
    SyncWaiter.grant(waiter, self)
    return .end(.handedOff)
  }

  private final func drainBarrier(_ first: UInt64, _ thread: ThreadPointer) -> Step {
    guard barrierMayRun() else { return .end(.finished) }
    let target = targetBits.loadRelaxed()  // relaxed: changes only under this barrier
    if runBarrier(first, thread) == .handedOff { return .end(.handedOff) }
    set { $0.afterBarrierRan() }
    if targetBits.loadRelaxed() == target { return .goOn }  // relaxed: changes only under this barrier
    releaseToNewTarget()
    return .end(.finished)
  }

  private final func runBarrier(_ first: UInt64, _ thread: ThreadPointer) -> DrainOutcome {
    let second = removeFirstAssumingOwned()
    return insideDrain(.drainAlone, thread) { frame in
      frame.pointee.runs(first, second)
      return Item.run(first, second, thread)
    }
  }

  /// Lets go of the list, so that others run the next items meanwhile; runs this one; takes the list again if it is free.
  private final func runBeside(_ first: UInt64, _ thread: ThreadPointer) -> Step {
    if QueueState(rawValue: state.loadRelaxed()).isFull {  // relaxed: while we own the list readers only leave
      givePlace()
      guard barrierMayRun() else { return .end(.finished) }
      set { $0.afterBarrierRan() }
      return .goOn
    }
    let second = removeFirstAssumingOwned()
    rewindAssumingOwned()
    let tell = update { $0.afterRedirect(more: !isStoreEmpty) }
    if tell {
      tellTarget(.later)
    } else if !isStoreEmpty {
      wakeIfNeeded()
    }
    let outcome = insideDrain(.drainShared, thread) { frame in
      frame.pointee.runs(first, second)
      let outcome = Item.run(first, second, thread)
      Pool.worker(thread)?.use { $0.noteItem() }
      return outcome
    }
    if outcome == .handedOff {
      givePlaceAndTell()
      return .end(.handedOff)
    }
    givePlace()
    return takeListAgain(thread.pointee.owner) ? .goOn : .end(.finished)
  }

  private final func takeListAgain(_ me: UInt64) -> Bool {
    var spins = 0
    while true {
      let action = update { $0.afterItemReturned(me) }
      switch action {
      case .owner: return true
      case .gone: return false
      case .spin:
        spins += 1
        if spins > 64 { Parking.yield() } else { spinPause() }
      }
    }
  }
}
