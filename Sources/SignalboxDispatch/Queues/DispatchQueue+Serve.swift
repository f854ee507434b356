// DispatchQueue+Serve.swift: what an owner that will not run the items itself does with the list: hands turns to sleeping
// threads, or leaves the rest to the target. Running items is DispatchQueue+Drain.swift.
import SignalboxSystem

extension DispatchQueue {
  /// Takes the list if nobody is bound to look at it, and serves it. Called after joining the list and after leaving.
  @inline(never) @usableFromInline
  final func serveIfFree() {
    if hasNestedTarget { return wakeIfNeeded() }  // only a drainer holds the target's turn too
    let me = ThreadSlot.owner()
    let taken: Bool? = tryUpdate { state in state.afterTakeOver(me, alone: kind == .serial).map { ($0, true) } }
    if taken == true { serveAssumingOwned() }
  }

  /// The caller owns the list and runs none of it. Returns when it owns it no more.
  final func serveAssumingOwned() {
    while true {
      let first = QueueState(rawValue: state.loadRelaxed()).isStopped ? 0 : firstAssumingOwned()
      if first == 0 { return releaseAndLook() }
      guard first == SlotKind.waiter, !hasNestedTarget else { return requeue() }
      switch grantFirstWaiter() {
      case .ownerGone: return
      case .stillOwner: continue
      }
    }
  }

  enum GrantOutcome { case ownerGone, stillOwner }

  /// The first item is a waiter: lets it run, if it may. Root-level queues only.
  final func grantFirstWaiter() -> GrantOutcome {
    let waiter = SyncWaiter.at(secondOfFirstAssumingOwned())
    let owner = waiter.pointee.owner
    if kind == .concurrent {
      guard waiter.pointee.isAlone else { return grantShared(waiter) }
      guard barrierMayRun() else { return .ownerGone }
    }
    _ = removeFirstAssumingOwned()
    rewindAssumingOwned()
    set { $0.afterHandOff(to: owner) }
    SyncWaiter.grant(waiter)
    return .ownerGone
  }

  private final func grantShared(_ waiter: UnsafePointer<SyncWaiter>) -> GrantOutcome {
    if QueueState(rawValue: state.loadRelaxed()).isFull {
      guard barrierMayRun() else { return .ownerGone }
      set { $0.afterBarrierRan() }  // the readers left just now
    }
    _ = removeFirstAssumingOwned()
    set { $0.afterGrantShared() }
    SyncWaiter.grant(waiter)
    return .stillOwner
  }

  /// A barrier heads the list. True: no reader is left and the owner is now alone. False: the last reader will look.
  final func barrierMayRun() -> Bool {
    update { $0.afterBarrierReached() } == .run
  }

  // MARK: going

  /// The owner goes, and looks once more: what was added while it owned, nobody else has noticed.
  final func releaseAndLook() {
    rewindAssumingOwned()
    let wakeSleeper = update { $0.afterRelease() }
    if wakeSleeper { openGate(count: 1) }
    if !isStoreEmpty { wakeIfNeeded() }
  }

  /// The owner goes and leaves the rest to the target.
  final func requeue() {
    let (tell, wakeSleeper) = update { state in
      let (next, tell, wakeSleeper) = state.afterRequeue()
      return (next, (tell, wakeSleeper))
    }
    if wakeSleeper { openGate(count: 1) }
    if tell { return tellTarget(.later) }
    // Stopped meanwhile: whoever starts the queue again looks, unless it did so before we let go.
    wakeIfNeeded()
  }

  /// Tells the target that items are pending, unless somebody is bound to look.
  @inline(never)
  final func wakeIfNeeded() {
    guard kind != .global else { return Pool.shared.workArrived() }
    if isStoreEmpty { return }
    let told: Bool? = tryUpdate { state in state.afterPush().map { ($0, true) } }
    if told == true { tellTarget(.soon) }
  }

  /// Whether the thread that now puts a queue on its target's list is likely to get to it next.
  enum Urgency { case soon, later }

  /// We have just become enqueued: puts us on the target's list with a reference.
  final func tellTarget(_ urgency: Urgency) {
    if kind == .main { return MainQueue.signal() }
    let target = self.target!
    _ = Unmanaged.passUnretained(self).retain()
    if target.kind == .global { return Pool.shared.submit(self, to: target, urgency) }
    target.append(SlotKind.queue, UInt64(address))
    if QueueState(rawValue: target.state.loadSeqCst()).needsWake { target.wakeIfNeeded() }
  }

  /// Whether the target is itself a queue with turns, so that a turn here is not enough to run.
  final var hasNestedTarget: Bool {
    guard let target else { return kind == .main }
    return target.kind != .global
  }

  /// Whether items run on the main thread only.
  final var isBoundToMain: Bool {
    var queue = self
    while true {
      if queue.kind == .main { return true }
      guard let target = queue.target else { return false }
      queue = target
    }
  }
}
