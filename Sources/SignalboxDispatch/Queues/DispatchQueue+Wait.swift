// DispatchQueue+Wait.swift: taking a queue that is not idle: spin, sleep at the gate, or join the list; and giving it back.
//
// Order of the attempts and why nobody is left asleep: README.md, "Waiting for a turn".
import SignalboxDiagnosis
import SignalboxSystem

extension DispatchQueue {
  /// How a turn was obtained.
  enum Turn {
    /// By our own swap: the target's turn is still to be taken.
    case taken
    /// Handed over by a drainer, together with the turns of the whole target chain.
    case granted
  }

  /// The cold twin of the inlined swap. False: the main thread must run the work.
  @inline(never) @usableFromInline
  final func enterSlow(alone: Bool) -> Bool {
    if !Instruments.areOff { InstrumentHooks.pass(.sync, object: address) }
    if kind == .global { return true }
    if isBoundToMain {
      stopIfMainThread()
      return false
    }
    let me = ThreadSlot.owner()
    stopIfInside(alone: alone)
    if takeTurn(me, alone: alone) == .taken { takeTargetTurns(me) }
    return true
  }

  /// Takes the turns of the targets up to the root, innermost first.
  private final func takeTargetTurns(_ me: UInt64) {
    var queue = self
    while let target = queue.target, target.kind != .global {
      let alone = target.kind == .serial
      target.stopIfInside(alone: alone, through: self)
      if target.takeTurn(me, alone: alone) == .granted { return }
      queue = target
    }
  }

  private final func takeTurn(_ me: UInt64, alone: Bool) -> Turn {
    for round in 0..<Tuning.turnRounds {
      switch tryTurn(me, alone: alone) {
      case .taken: return .taken
      case .hopeless: return joinList(me, alone: alone)
      case .held: for _ in 0..<(1 << min(round, 7)) { spinPause() }
      }
    }
    if kind == .serial { return sleepAtGate(me) ? .taken : joinList(me, alone: alone) }
    return joinList(me, alone: alone)
  }

  private enum Attempt { case taken, held, hopeless }

  /// One attempt to barge: only while no item is pending, so nothing submitted earlier is overtaken.
  private final func tryTurn(_ me: UInt64, alone: Bool) -> Attempt {
    guard isStoreEmpty else { return .hopeless }
    let old = QueueState(rawValue: state.loadRelaxed())
    guard !old.isStopped, old[QueueState.enqueued] == 0, old[QueueState.barrierPending] == 0 else { return .hopeless }
    guard let next = alone ? old.afterEnterAlone(me) : old.afterEnterShared() else { return .held }
    guard state.casSeqCst(old.rawValue, next.rawValue).exchanged else { return .held }
    if isStoreEmpty { return .taken }
    if alone { giveUpTurn() } else { leaveOneShared() }
    return .hopeless
  }

  // MARK: the gate (serial queues)

  /// Sleeps until the owner goes, and takes the queue; gives up after a bounded time, so that the list's order then decides.
  private final func sleepAtGate(_ me: UInt64) -> Bool {
    FlushBeforeSleep.run()
    let deadline = Clock.uptime() &+ Tuning.gatePatience
    var hasSlept = false
    while true {
      let ticket = gate.loadAcquire()
      let entered: Bool? = tryUpdate { state in
        guard isStoreEmpty, !state.isStopped, state[QueueState.enqueued] == 0 else { return nil }
        if let next = state.afterEnterAlone(me) {
          // Others may sleep behind us: what our wake took off the word, we put back.
          return (hasSlept ? next.afterSleepAtGate() : next, true)
        }
        return state.isOwned ? (state.afterSleepAtGate(), false) : nil
      }
      if entered == true {
        if isStoreEmpty { return true }
        giveUpTurn()
        break
      }
      guard entered == false else { break }
      hasSlept = true
      let outcome = withUnsafePointer(to: gate) { Parking.park($0, expected: ticket, deadline: .uptime(deadline)) }
      if outcome == .timedOut { break }
      for _ in 0..<Tuning.gateSpins {
        if tryTurn(me, alone: true) == .taken {
          if hasSlept { set { $0.afterSleepAtGate() } }
          return true
        }
        spinPause()
      }
    }
    // We may have used up a wake: all others look for themselves.
    if hasSlept { openGate(count: .max) }
    return false
  }

  final func openGate(count: Int32) {
    _ = gate.addSeqCst(1)
    withUnsafePointer(to: gate) { _ = Parking.wake($0, count: count) }
  }

  // MARK: the list

  /// Joins the pending items and sleeps until a drainer hands the queue over.
  private final func joinList(_ me: UInt64, alone: Bool) -> Turn {
    FlushBeforeSleep.run()
    let waiter = SyncWaiter(owner: me, isAlone: alone)
    withUnsafePointer(to: waiter) { pointer in
      append(SlotKind.waiter, UInt64(UInt(bitPattern: pointer)))
      serveIfFree()
      pointer.pointee.answer.wait()
    }
    return .granted
  }

  // MARK: giving back

  /// A turn that turned out to be taken too early is given back, and the list is looked at.
  @inline(never) @usableFromInline final func giveUpTurn() { releaseAndLook() }

  @inline(never) @usableFromInline
  final func leaveAloneSlow() {
    if kind == .global { return }
    if kind == .concurrent { set { $0.afterBarrierRan() } }
    serveAssumingOwned()
    leaveTargets()
  }

  @inline(never) @usableFromInline
  final func leaveSharedSlow() {
    if kind == .global { return }
    leaveOneShared()
    leaveTargets()
  }

  private final func leaveTargets() {
    var queue = self
    while let target = queue.target, target.kind != .global {
      if target.kind == .serial { target.serveAssumingOwned() } else { target.leaveOneShared() }
      queue = target
    }
  }

  final func leaveOneShared() {
    let me = ThreadSlot.owner()
    let action = update { $0.afterLeaveShared(me) }
    if action == .serveBarrier { serveAssumingOwned() }
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
    let word = QueueState(rawValue: state.loadRelaxed())
    if word[QueueState.exclusive] == 1, word[QueueState.owner] == ThreadSlot.current.pointee.owner { stopOwnQueue(inner) }
  }

  private final func stopOwnQueue(_ inner: DispatchQueue?) -> Never {
    let what =
      inner.map { "sync onto queue \"\($0.name)\", whose target is queue \"\(name)\"" } ?? "sync onto queue \"\(name)\""
    Misuse.stop(
      "\(what), from code that already runs on it: it would wait for itself for ever; "
        + "call the code directly, or use async\n  running inside: \(ThreadFrames.description())")
  }

  final func stopIfMainThread() {
    guard Threads.isMain else { return }
    Misuse.stop(
      "sync onto queue \"\(name)\", which runs on the main thread, from the main thread: it would wait for itself for ever; "
        + "call the code directly, or use async\n  running inside: \(ThreadFrames.description())")
  }
}
