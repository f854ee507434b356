// DispatchQueue+Drain.swift: how one thread takes items off a queue and runs them, and how it stops doing so.
// When it gives way to others is DispatchQueue+Turn.swift; turns for sleeping threads are DispatchQueue+Serve.swift; the worker
// that calls this is Worker+Run.swift.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

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
    Events.emit(.queueTouched, address)
    var outcome = DrainOutcome.finished
    if let items = takeInPlace(thread) { outcome = drain(items, thread) }
    if !isShared { Unmanaged.passUnretained(self).release() }
    return outcome
  }

  /// Takes the queue, which came off the list of what is drained around, or of the pool's: if that is still its target.
  private final func takeInPlace(_ thread: ThreadPointer) -> OwnedList? {
    let around = thread.innermostFrame
    if isOutOfPlace(around) { return nil }
    if let around { drainBegins(inside: around, thread) }
    guard let items = takeForDrain(thread) else { return nil }
    // The target may have been changed until we owned the queue, and not since.
    guard isOutOfPlace(around) else { return items }
    releaseToNewTarget(items)
    return nil
  }

  /// Takes the queue for a thread that found it on the target's list; nil if somebody else has it, or nobody may.
  final func takeForDrain(_ thread: ThreadPointer) -> OwnedList? {
    let me = thread.pointee.owner
    var spinner = Spinner()
    while true {
      let action = update { $0.afterDequeued(me, alone: !isConcurrent) }
      switch action {
      case .drain: return OwnedList(owned: listWords)
      case .leave:
        helpOwnerIfRaised()
        return nil
      case .spin: spinner.wait()
      }
    }
  }

  private final func drain(_ items: consuming OwnedList, _ thread: ThreadPointer) -> DrainOutcome {
    if _slowPath(Instruments.byte & Instruments.figures != 0) { count() }
    return isConcurrent ? drainConcurrent(items, thread) : drainSerial(items, thread)
  }

  // MARK: serial

  /// Runs `body` inside of a drain of this queue; its worker, if the thread is one, notes it for the case that an item ends the thread.
  @inline(__always)
  private final func insideDrain<Right: ~Copyable, Result>(
    _ kind: FrameKind, _ thread: ThreadPointer, with right: consuming Right,
    _ body: (UnsafeMutablePointer<DrainFrame>, consuming Right) -> Result
  ) -> Result {
    thread.insideDrain(of: address, kind, with: right) { frame, right in
      let worker = Pool.worker(thread)
      worker?.use { $0.beginDrain(frame.pointee.frame) }
      let result = body(frame, right)
      worker?.use { $0.endDrain() }
      return result
    }
  }
  @inline(__always)
  private final func insideDrain<Result>(
    _ kind: FrameKind, _ thread: ThreadPointer, _ body: (UnsafeMutablePointer<DrainFrame>) -> Result
  ) -> Result {
    insideDrain(kind, thread, with: ()) { frame, _ in body(frame) }
  }

  private final func drainSerial(_ items: consuming OwnedList, _ thread: ThreadPointer) -> DrainOutcome {
    insideDrain(.drainAlone, thread, with: items) { frame, items in
      runItems(items, thread, frame)
    }
  }

  final func runSerialItems(
    _ items: consuming OwnedList, _ thread: ThreadPointer, _ frame: UnsafeMutablePointer<DrainFrame>
  ) -> DrainOutcome {
    var budget = DrainBudget(turn: turnLength(items))
    var left = budget.stretch
    var lingering = 0
    while true {
      // relaxed: a stop or a sleeper that comes later is seen after the next item
      if state.hint().mayEndDrain, endsBetweenItems {
        goBetweenItems(items)
        return .finished
      }
      let first = items.first()
      if first == 0 {
        // A pusher that finds us here saves a whole round through the pool; unless there is other work.
        lingering += 1
        let isAlone = !Pool.hasOwnWork(thread) && !Pools.ofThread.use { $0.hasSharedWork } && !isWaitedFor(frame)
        if lingering <= spinRounds(Tuning.lingerRounds), isAlone {
          for _ in 0..<4 { spinPause() }
          continue
        }
        releaseAndRecheck(items)
        return .finished
      }
      lingering = 0
      if first == SlotKind.waiter {
        if lendFirstPlace(items) { continue }
        return handOffFirstWaiter(items, thread)
      }
      if left == 0 || Pool.wantsYield(thread) {
        left = recheck(&budget, left, thread, items)
        if left == 0 {
          requeue(items)
          return .finished
        }
      }
      left &-= 1  // above 0: checked just now
      let slot = items.takeFirst(first)
      let target = targetBits.loadRelaxed()  // relaxed: changes only under this drain
      frame.pointee.runs(slot)
      if Item.run(slot, thread) == .handedOff { return .handedOff }
      if targetBits.loadRelaxed() != target {  // relaxed: changes only under this drain
        releaseToNewTarget(items)
        return .finished
      }
    }
  }

  /// Sources on one queue often come due together, and each lies in a place of its own: fetches the next while one runs. For the
  /// drainer, who alone may read the list, and whose own call of this is in a turn of an item of its.
  final func prefetchNextQueue() {
    guard isSerial else { return }
    if let next = OwnedList(owned: listWords).nextQueue() { prefetchObjectToWrite(next) }
  }

  /// Whether this drain runs in another's, which has something else to do or will itself stay for a moment.
  @inline(__always) private final func isWaitedFor(_ frame: UnsafeMutablePointer<DrainFrame>) -> Bool {
    frame.pointee.frame.previous != nil && leavesTargetAtOnce
  }

  /// The first item is a sleeping thread's turn: it gets this queue, and every queue around that this drain is inside of.
  private final func handOffFirstWaiter(_ items: consuming OwnedList, _ thread: ThreadPointer) -> DrainOutcome {
    let waiter = SyncWaiter.at(items.removeFirst())
    return handOff(items, to: waiter, thread)
  }

  /// As `handOffFirstWaiter`, of a waiter that was taken off already.
  final func handOff(
    _ items: consuming OwnedList, to waiter: UnsafePointer<SyncWaiter>, _ thread: ThreadPointer
  ) -> DrainOutcome {
    if isBound {
      requeue(items)
      SyncWaiter.sendAgain(waiter)
      return .finished
    }
    let others = hasNestedTarget ? 0 : takeWaitersForGate(items)
    items.rewind()
    let owner = waiter.pointee.owner
    set { $0.afterHandOff(to: owner) }
    handOffTargets(thread, to: owner)
    SyncWaiter.grant(waiter, self)
    SyncWaiter.sendToGate(others)
    return .handedOff
  }

  /// The first item is a sleeping thread's turn: where this thread alone may run what it is for, an item of the sleeper's takes its place. False:
  /// the turn is to be handed over, or the sleeper sent away.
  private final func lendFirstPlace(_ items: borrowing OwnedList) -> Bool {
    let waiter = SyncWaiter.at(items.secondOfFirst())
    guard isBound, waiter.pointee.mayLend else { return false }
    let isBarrier = isConcurrent && waiter.pointee.isAlone
    let node = LentPlace.item(of: waiter)
    node.pointee.isBarrier = isBarrier
    items.replaceFirst(.node(node))
    return true
  }

  /// Whether the targets lead to the main queue or a run loop's, whose turn is its thread's and goes to no other. A thread that waits for
  /// a turn here began to before the queue was retargeted: it makes an item of its work. For the owner of the list.
  private final var isBound: Bool { hasNestedTarget && firstInChain { $0.isThreadBound ? true : nil } ?? false }

  /// Passes on the turns of the targets that this thread drains around this queue. Readers' places need no name.
  private final func handOffTargets(_ thread: ThreadPointer, to owner: UInt64) {
    var next = targetReference
    while let target = next {
      next = target.use { target in
        if target.isSerial { target.set { $0.afterHandOff(to: owner) } }
        return target.targetReference
      }
    }
  }

  // MARK: concurrent

  private final func drainConcurrent(_ items: consuming OwnedList, _ thread: ThreadPointer) -> DrainOutcome {
    let whole = turnLength(items)
    var left = whole
    while true {
      // relaxed: a stop that comes later is seen before the next item
      let first = state.hint().isStopped ? 0 : items.first()
      if first == 0 {
        releaseAndRecheck(items)
        return .finished
      }
      if left == 0 || Pool.wantsYield(thread), left != whole {  // at least one item: as DrainBudget.isUntouched
        left = checkBetweenTurns(left, thread, items)
        if left == 0 {
          requeue(items)
          return .finished
        }
      }
      left &-= 1  // above 0: checked just now
      switch drainFirst(first, items, thread) {
      case .goOn(let still): items = still
      case .end(let outcome): return outcome
      }
    }
  }

  @inline(__always)
  private final func drainFirst(_ first: UInt64, _ items: consuming OwnedList, _ thread: ThreadPointer) -> Step {
    if first == SlotKind.waiter { return drainWaiter(items, thread) }
    if Item.isBarrier(Slot(first, items.secondOfFirst())) { return drainBarrier(first, items, thread) }
    guard takePlace(items) else {
      releaseForWantOfPlace(items)
      return .end(.finished)
    }
    return runBeside(first, items, thread)
  }

  private enum Step: ~Copyable {
    /// The thread has the list, again or still.
    case goOn(OwnedList)
    case end(DrainOutcome)
  }

  /// The first item is a sleeping thread's turn.
  private final func drainWaiter(_ items: consuming OwnedList, _ thread: ThreadPointer) -> Step {
    if !hasNestedTarget {
      guard let still = grantFirstWaiter(items) else { return .end(.finished) }
      return .goOn(still)
    }
    let waiter = SyncWaiter.at(items.secondOfFirst())
    if isBound { return lendFirstPlace(items) ? .goOn(items) : .end(handOffFirstWaiter(items, thread)) }
    if waiter.pointee.isAlone {
      guard let alone = waitForReaders(items) else { return .end(.finished) }
      return .end(handOffFirstWaiter(alone, thread))
    }
    // The reader needs the target's turn, which this drain holds: both go, and the rest of the list is told to the target.
    let owner = waiter.pointee.owner
    _ = items.removeFirst()
    leaveRest(items)
    handOffTargets(thread, to: owner)
    SyncWaiter.grant(waiter, self)
    return .end(.handedOff)
  }

  /// Lets go of the list after one item was taken off: others run what is left.
  @inline(__always) private final func leaveRest(_ items: consuming OwnedList) {
    let tell = update { $0.afterRedirect(more: !list.isEmpty) }
    if tell {
      tellTarget(.later)
    } else if !list.isEmpty {
      wakeIfNeeded()
    }
  }

  private final func drainBarrier(_ first: UInt64, _ items: consuming OwnedList, _ thread: ThreadPointer) -> Step {
    guard let alone = waitForReaders(items) else { return .end(.finished) }
    let target = targetBits.loadRelaxed()  // relaxed: changes only under this barrier
    if runBarrier(first, alone, thread) == .handedOff { return .end(.handedOff) }
    set { $0.afterBarrierRan() }
    if targetBits.loadRelaxed() == target { return .goOn(alone) }  // relaxed: changes only under this barrier
    releaseToNewTarget(alone)
    return .end(.finished)
  }

  private final func runBarrier(_ first: UInt64, _ items: borrowing OwnedList, _ thread: ThreadPointer) -> DrainOutcome {
    let slot = items.takeFirst(first)
    return insideDrain(.drainAlone, thread) { frame in
      frame.pointee.runs(slot)
      return Item.run(slot, thread)
    }
  }

  /// Lets go of the list, so that others run the next items meanwhile; runs this one; takes the list again if it is free.
  private final func runBeside(_ first: UInt64, _ items: consuming OwnedList, _ thread: ThreadPointer) -> Step {
    if state.hint().isFull {  // relaxed: while we own the list readers only leave
      givePlace()
      guard let alone = waitForReaders(items) else { return .end(.finished) }
      set { $0.afterBarrierRan() }
      return .goOn(alone)
    }
    let slot = items.takeFirst(first)
    items.rewind()
    leaveRest(items)
    let outcome = insideDrain(.drainShared, thread) { frame in
      frame.pointee.runs(slot)
      let outcome = Item.run(slot, thread)
      Pool.worker(thread)?.use { $0.noteItem() }
      return outcome
    }
    if outcome == .handedOff {
      givePlaceAndTell()
      return .end(.handedOff)
    }
    givePlace()
    guard let again = takeListAgain(thread.pointee.owner) else { return .end(.finished) }
    return .goOn(again)
  }

  private final func takeListAgain(_ me: UInt64) -> OwnedList? {
    var spins = 0
    while true {
      let action = update { $0.afterItemReturned(me) }
      switch action {
      case .owner: return OwnedList(owned: listWords)
      case .gone: return nil
      case .spin:
        spins += 1
        if spins > 64 { Parking.yield() } else { spinPause() }
      }
    }
  }
}
