// RunLoop+Items.swift: the main loop where no loop can have the main thread: items of the main queue serve it. Whether that is so is
// MainThreadHost.swift (SignalboxDispatch); why nothing is lost is README.md, "Without a loop".
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

/// What brings the next pass.
struct LoopPasses: ~Copyable, Sendable {
  /// 1: an item that runs a pass lies in the main queue.
  fileprivate let isLeft = Atomic32(0)
  /// The uptime of the earliest pass that a timer of the engine's brings; `FoundationAlarm.never`: none does.
  fileprivate let due = Atomic64(FoundationAlarm.never)
  /// 0 quiet   1 something was left   2 a run sleeps on the word
  fileprivate let bell = Atomic32(0)
}

extension RunLoop {
  /// The modes that items serve.
  static var servedByItems: UInt64 { 1 << UInt64(LoopMode.defaultIndex) | LoopMode.common }

  /// Whether items of the main queue serve this loop.
  final var isServedByItems: Bool { thread.isMain && LoopHost.prospect == .none }

  /// Whether the thread of this loop, and with it Foundation's loop, is gone: others come for it, one at a time.
  final var hasLostThread: Bool { thread.isMain && FirstThread.hasEnded }

  // MARK: any thread

  /// Something was left in `mask`: has a pass come where no loop does. Whether no other loop need hear of it.
  final func tellItems(_ mask: UInt64) -> Bool {
    guard thread.isMain else { return false }
    // seq_cst: after P1. Found `possible`, and the change still to come, the hook finds what was left.
    switch LoopHost.prospect {
    case .possible: return false
    case .unseen: leavePass(mask)
    case .none:
      // acquire-release: publishes what was left to the run that is woken; or that run finds the 1 before it sleeps.
      if passes.bell.exchangeAcqRel(1) == 2 { passes.bell.wake() }
      leavePass(mask)
    }
    return FirstThread.hasEnded
  }

  /// Leaves an item that runs a pass, unless one lies there.
  private final func leavePass(_ mask: UInt64) {
    guard mask & Self.servedByItems != 0, !Exploration.isOfCaller else { return }
    // acquire-release: a thread that finds the 1 has published what it left to the pass that is still to take it back.
    guard passes.isLeft.exchangeAcqRel(1) == 0 else { return }
    DispatchQueue.main.async { [self] in
      _ = passes.isLeft.exchangeAcqRel(0)  // acquire: as above; a later thread leaves another
      servePass()
    }
  }

  /// No loop can have the main thread any more: what was left for one is served.
  final func hasLostLoop() {
    if !isEmpty(Self.servedByItems) { leavePass(Self.servedByItems) }
  }

  // MARK: the loop's thread

  private final func servePass() {
    if LoopHost.prospect == .unseen {
      // An item of the main queue has another thread than the first: that one has ended before Signalbox met it.
      FirstThread.ends()
    }
    // Else a loop has come meanwhile. A run that is under way serves by itself, and leaves a pass at its end.
    guard isServedByItems, runs.isEmpty, !isInPass else { return }
    isInPass = true
    lastServed.storeRelaxed(Clock.uptime())  // relaxed: a hint for `unserved`
    fireDue(Self.servedByItems)
    _ = performDue(Self.servedByItems)
    isInPass = false
    armPass()
  }

  /// The outermost run of this loop ends: passes meanwhile have done nothing.
  final func runHasEnded() {
    if isServedByItems, !isEmpty(Self.servedByItems) { leavePass(Self.servedByItems) }
  }

  /// Has a pass come for the next timer. Whether there is no other alarm to set.
  @discardableResult
  final func armPass() -> Bool {
    guard isServedByItems else { return false }
    if let next = nextLatest(Self.servedByItems) { armPass(next) }
    return FirstThread.hasEnded
  }

  private final func armPass(_ next: UInt64) {
    guard next < UInt64(Int64.max), !Exploration.isOfCaller else { return }
    var old = passes.due.loadRelaxed()  // relaxed: the swap compares; the timers lie under the loop's lock
    while next < old {
      let swap = passes.due.casAcqRel(old, next)  // acquire-release: as in the pass
      guard !swap.exchanged else {
        return DispatchQueue.main.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: max(next, 1))) { [self] in
          // acquire-release: taken back before the timers are checked. Another number: an earlier pass has armed what is there.
          if passes.due.casAcqRel(next, FoundationAlarm.never).exchanged { servePass() }
        }
      }
      old = swap.original
    }
  }

  private final func nextLatest(_ mask: UInt64) -> UInt64? {
    lock.withLock { modes.filter { $0.bit & mask != 0 }.compactMap { $0.heap.top()?.latest }.min() }
  }

  /// What a run does instead of sleeping in Foundation's loop, which is another thread's here: it sleeps until something is left, a
  /// timer is due or the run's time is over.
  final func sleepWithoutLoop(_ mask: UInt64, _ limit: UInt64) {
    let end = min(limit, nextLatest(mask) ?? FoundationAlarm.never)
    let deadline = end == FoundationAlarm.never ? ParkDeadline.never : .uptime(end)
    if passes.bell.casAcqRel(0, 2).exchanged {  // acquire-release: an exchange finds the 2, or came before: this fails
      // acquire: pairs with the exchange in `tellItems`
      while passes.bell.loadAcquire() == 2, passes.bell.park(expected: 2, deadline: deadline) != .timedOut {}
    }
    _ = passes.bell.exchangeAcqRel(0)  // acquire: what was left before is seen by the pass that follows
  }
}
