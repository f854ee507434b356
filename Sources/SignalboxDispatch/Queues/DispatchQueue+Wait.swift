// DispatchQueue+Wait.swift: taking a queue that is not idle: spin, sleep at the gate, or join the list; and giving it back.
//
// Order of the attempts and why nobody is left asleep: README.md, "Waiting for a turn".
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  /// How a turn was obtained.
  enum Turn {
    /// By our own swap: the target's turn is still to be taken.
    case taken
    /// Handed over by a drainer, together with the turns of the whole target chain.
    case granted
    /// None, and none will be: the queue was retargeted, and its items run on one thread only.
    case elsewhere
  }

  /// The cold twin of the inlined swap. False: the main thread must run the work.
  @inline(never) @usableFromInline
  final func enterSlow(alone: Bool) -> Bool {
    checkMaySync()
    let me = ThreadSlot.owner()  // before the byte: at a thread's first call the environment may set it
    if Instruments.areOff { return enterPlainly(me, alone: alone) }
    return enterTelling(me, alone: alone)
  }

  final func enterPlainly(_ me: UInt64, alone: Bool) -> Bool {
    if isRoot { return true }
    // Idle all the way down, as nested queues mostly are: one swap for each level.
    if !isThreadBound, tryTurn(me, alone: alone) == .taken {
      if takeTargetTurns(me) { return true }
      if alone { giveUpTurn() } else { leaveOneShared() }
    }
    if isBoundToOtherThread() { return false }
    stopIfInsideChain(alone: alone)
    switch takeTurn(me, alone: alone, isOwn: true) {
    case .granted: return true
    case .elsewhere: return false
    case .taken:
      if takeTargetTurns(me) { return true }
      if alone { giveUpTurn() } else { leaveOneShared() }
      return false
    }
  }

  /// Takes the turns of the targets up to the root, innermost first. False: the chain ends at the main queue, and nothing but
  /// this queue's own turn is held.
  private final func takeTargetTurns(_ me: UInt64) -> Bool {
    var queue = targetReference
    while let reference = queue {
      let step = reference.use { $0.takeTurnAsTarget(me, of: self) }
      switch step {
      case .root: return true
      case .next(let further): queue = further
      case .granted: return true
      case .main:
        leaveTargets(before: reference)
        return false
      }
    }
    return true
  }

  private enum TargetStep {
    case root, granted, main
    case next(Lent<DispatchQueue>?)
  }

  private final func takeTurnAsTarget(_ me: UInt64, of inner: DispatchQueue) -> TargetStep {
    if isRoot { return .root }
    if isThreadBound { return .main }
    let alone = isSerial
    if tryTurn(me, alone: alone) == .taken { return .next(targetReference) }
    stopIfInside(alone: alone, through: inner)
    switch takeTurn(me, alone: alone) {
    case .granted: return .granted
    case .elsewhere: return .main
    case .taken: return .next(targetReference)
    }
  }

  /// `isOwn`: the thread's work is for this very queue, and not for one whose target this is.
  private final func takeTurn(_ me: UInt64, alone: Bool, isOwn: Bool = false) -> Turn {
    if spinForTurn(me, alone: alone) { return .taken }
    return whileRaised {
      let turn = sleepForTurn(me, alone: alone, isOwn: isOwn)
      // Others may sleep on, behind this thread now.
      if _slowPath(LoweredThreads.contains(me)), turn != .elsewhere { forEachTurn { Awaited.isHeld($0.address, by: me) } }
      return turn
    }
  }

  private final func sleepForTurn(_ me: UInt64, alone: Bool, isOwn: Bool) -> Turn {
    while true {
      if isSerial, sleepAtGate(me) { return .taken }
      switch joinList(me, alone: alone, isOwn: isOwn) {
      case .granted: return .granted
      case .lend: return .elsewhere
      case .again: break
      }
      // Told to try again by a thread to which the queue is bound by now, perhaps: that one gives its turn to no other.
      if isBoundToOtherThread() { return .elsewhere }
      if spinForTurn(me, alone: alone) { return .taken }
    }
  }

  private final func spinForTurn(_ me: UInt64, alone: Bool) -> Bool {
    for round in 0..<spinRounds(Tuning.turnRounds, least: 1) {
      switch tryTurn(me, alone: alone) {
      case .taken: return true
      case .hopeless: return false
      case .held: for _ in 0..<(1 << min(round, 7)) { spinPause() }
      }
    }
    return false
  }

  private enum Attempt { case taken, held, hopeless }

  /// One attempt to barge: only while no item is pending, so nothing submitted earlier is overtaken.
  private final func tryTurn(_ me: UInt64, alone: Bool) -> Attempt {
    guard list.isEmpty else { return .hopeless }
    let old = state.hint()  // relaxed: the swap re-checks
    guard !old.isStopped, old[QueueState.enqueued] == 0, old[QueueState.barrierPending] == 0 else { return .hopeless }
    guard let next = alone ? old.afterEnterAlone(me) : old.afterEnterShared() else { return .held }
    // acquire: pairs with the swap of the last owner's release, as in enterAlone. The check that follows is of items from before,
    // which this thread knows of.
    guard state.movedAcquire(from: old, to: next) else { return .held }
    if list.isEmpty { return .taken }
    if alone { giveUpTurn() } else { leaveOneShared() }
    return .hopeless
  }

  // MARK: the gate (serial queues)

  /// Sleeps until the owner goes, and takes the queue. Others may barge meanwhile, for a bounded time: then the thread asks to
  /// be the next owner's choice. False: items are pending, so the list's order decides.
  private final func sleepAtGate(_ me: UInt64) -> Bool {
    FlushBeforeSleep.run()
    // Where an exploration chooses who goes on, nobody else's luck is to be ended by time.
    let hasPatience = !Exploration.isOfCaller
    var patience = Clock.uptime() &+ Tuning.gatePatience
    var hasSlept = false
    // We may have used up a wake when we leave for the list: all others check for themselves.
    defer { if hasSlept { openGate(count: .max) } }
    var isRecorded = false
    defer { if isRecorded { WaitRecord.withdraw() } }
    while true {
      // relaxed: the swap that sets the sleeper's bit comes after it, and whoever takes the bit off changes this ticket afterwards
      let ticket = gate.loadRelaxed()
      var owner: UInt64 = 0
      let entered: Bool? = tryUpdate { state in
        guard list.isEmpty, !state.isStopped, state[QueueState.enqueued] == 0 else { return nil }
        if let next = state.afterEnterAlone(me) {
          // Others may sleep behind us: what our wake took off the word, we put back.
          return (hasSlept ? next.afterSleepAtGate() : next, true)
        }
        owner = state[QueueState.owner]
        return state.isOwned ? (state.afterSleepAtGate(), false) : nil
      }
      if entered == true {
        hasSlept = false
        if list.isEmpty { return true }
        giveUpTurn()
        return false
      }
      guard entered == false else { return false }
      hasSlept = true
      Awaited.isHeld(address, by: owner)
      if !isRecorded {
        isRecorded = true
        QueueWaits.begin(.sync, self)
      }
      let outcome = gate.park(expected: ticket, deadline: hasPatience ? .uptime(patience) : .never)
      if outcome == .timedOut {
        if insist(me) {
          hasSlept = false
          return true
        }
        patience = Clock.uptime() &+ Tuning.gatePatience
        continue
      }
      for _ in 0..<spinRounds(Tuning.gateSpins, least: 1) {
        if tryTurn(me, alone: true) == .taken {
          hasSlept = false
          set { $0.afterSleepAtGate() }
          return true
        }
        spinPause()
      }
    }
  }

  /// Patience has run out: the next owner that goes hands the queue over to this thread. False: another thread asks already, or
  /// the queue was stopped.
  final func insist(_ me: UInt64) -> Bool {
    let waiter = SyncWaiter(owner: me, isAlone: true)
    return withUnsafePointer(to: waiter) { pointer -> Bool in
      let bits = UInt64(UInt(bitPattern: pointer))
      pointer.pointee.lies()
      // release: the record is whole for whoever takes it (handToInsistent, wakeGate)
      guard insistent.casRelease(0, bits).exchanged else { return false }
      // Whoever owns it now sees the sleeper's bit when it goes, and then this record (handToInsistent, wakeGate).
      let isOwned = tryUpdate { state in state.isOwned ? (state.afterSleepAtGate(), true) : nil } ?? false
      // Nobody owns it: we take the record back and try by ourselves, unless somebody has just taken it to answer.
      // relaxed: nobody has read it, or somebody has taken it and answers, which is waited for
      if !isOwned, insistent.casRelaxed(bits, 0).exchanged { return false }
      // The record for the gate stands meanwhile: the same queue, the same words.
      return pointer.pointee.answer.waitRecorded() == .granted
    }
  }

  final func openGate(count: Int32) {
    // relaxed: the swap that took the bit off has acquired the one that set it, before which the sleeper read its ticket; what it is
    // to see when it wakes the state says.
    _ = gate.addRelaxed(1)
    gate.wake(count: count)
  }

  // MARK: the list

  /// Joins the pending items and sleeps until a drainer hands the queue over, says to try again at the gate, or runs the work itself, which the
  /// thread submits next.
  private final func joinList(_ me: UInt64, alone: Bool, isOwn: Bool) -> AnswerWord.Answer {
    let waiter = SyncWaiter(owner: me, isAlone: alone, mayLend: isOwn)
    return withUnsafePointer(to: waiter) { pointer in
      pointer.pointee.lies()
      list.append(Slot(SlotKind.waiter, UInt64(UInt(bitPattern: pointer))))
      serveIfFree()
      FlushBeforeSleep.run()  // after serving, which may have put this very queue into the worker's own slot
      let kind: WaitKind = alone && isConcurrent ? .barrierSync : .sync
      let answer = whileWaiting { pointer.pointee.answer.wait(for: self, kind) }
      if answer == .lend { LentPlace.owes(pointer.pointee.next.load()) }
      return answer
    }
  }

  /// Runs `body`, which sleeps until this queue's drainer has come to an item of the caller's. Behind a drainer that runs, the
  /// caller counts as running for a while; behind none it must not, or the pool might think all processors taken and leave the
  /// queue to the sampler, with everybody asleep.
  final func whileWaiting<R>(_ body: () -> R) -> R { isDrained ? body() : Blocking.whileBlocked(body) }

  /// Whether somebody owns this queue, or one that it is nested in; a moment's view.
  private final var isDrained: Bool {
    firstInChain { queue -> Bool? in
      if queue.isRoot { return false }
      // relaxed: a guess, which the sampler mends
      return queue.state.hint().isOwned ? true : nil
    } ?? false
  }

  // MARK: giving back

  /// A turn that turned out to be taken too early is given back, and the list is checked.
  @inline(never) @usableFromInline final func giveUpTurn() { releaseAndRecheck(itemsOfOwnTurn()) }

  @inline(never) @usableFromInline
  final func leaveAloneSlow() {
    turnEnds()
    if isRoot { return }
    leaveTargets()
    if isConcurrent { set { $0.afterBarrierRan() } }
    serveAndLeave(itemsOfOwnTurn())
  }

  @inline(never) @usableFromInline
  final func leaveSharedSlow() {
    turnEnds()
    if isRoot { return }
    leaveTargets()
    leaveOneShared()
  }

  /// Gives the targets' turns back, the root's neighbour first: while a queue is still held its own target cannot change, so
  /// every reference followed here stays good. Stops short of `end`.
  private final func leaveTargets(before end: Lent<DispatchQueue>? = nil) {
    guard let reference = targetReference, reference != end else { return }
    reference.use { target in
      if target.isRoot { return }
      target.leaveTargets(before: end)
      if target.isSerial { target.serveAndLeave(target.itemsOfOwnTurn()) } else { target.leaveOneShared() }
    }
  }

  final func leaveOneShared() {
    let me = ThreadSlot.owner()
    let action = update { $0.afterLeaveShared(me) }
    if action == .serveBarrier { serveAndLeave(itemsOfOwnTurn()) }
  }

  // MARK: checks

  /// Stops a program that would wait for itself.
  final func stopIfInside(alone: Bool, through inner: DispatchQueue? = nil) {
    var frame = ThreadSlot.current.innermostFrame
    while let here = frame {
      if here.pointee.object == address, alone || here.pointee.kind == .syncAlone || here.pointee.kind == .drainAlone {
        stopOwnQueue(inner)
      }
      frame = here.pointee.previous
    }
    // A target's turn that was taken for another queue has no frame of its own.
    let word = state.hint()  // relaxed: only our own swap can have put us there
    if word[QueueState.exclusive] == 1, word[QueueState.owner] == ThreadSlot.current.pointee.owner { stopOwnQueue(inner) }
  }

  /// As stopIfInside, for the targets too: a busy queue's turn may be held by a thread that waits for ours.
  final func stopIfInsideChain(alone: Bool) {
    stopIfInside(alone: alone)
    let _: Void? = firstInChain { queue in
      if queue !== self, queue.isSerial { queue.stopIfInside(alone: true, through: self) }
      return nil
    }
  }

  private final func stopOwnQueue(_ inner: DispatchQueue?) -> Never {
    let what =
      inner.map { "sync onto queue \"\($0.name)\", whose target is queue \"\(name)\"" } ?? "sync onto queue \"\(name)\""
    Misuse.stop(
      "\(what), from code that already runs on it: it would wait for itself forever; "
        + "call the code directly, or use async\n  running inside: \(ThreadFrames.description())")
  }

  final func stopIfThread(of bound: DispatchQueue) {
    guard let thread = bound.boundThreadOfCaller else { return }
    Misuse.stop(
      "sync onto queue \"\(name)\", which runs on \(thread.this), from \(thread.again): "
        + "it would wait for itself forever; "
        + "call the code directly, or use async\n  running inside: \(ThreadFrames.description())")
  }
}
