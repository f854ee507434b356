// WorkerStatus.swift: how a worker's status and the pool's count of those that run change together: by itself, and by the sampler. Who says that a
// worker blocks is Blocking.swift (Queues/).
import SignalboxSystem

extension Pool {
  /// The worker runs again, whoever counted it out.
  func unblocked(_ worker: Worker) {
    worker.resumesService()
    defer { worker.stepsIntoBreadth() }
    guard Worker.isCountedOut(worker.settledStatus()) else { return }
    // Counted first: from the moment it is `running` the sampler may count it out again.
    set { $0.afterUnblocked() }
    worker.status.storeRelease(Worker.Status.running)  // release: as in Pool.found
    // Others took its place meanwhile.
    if _slowPath(isCrowded), !isPrivate { worker.isBackTooMany() }
  }

  /// The sampler found the worker asleep in the kernel. It may have lost the processor since: `isStillAsleep` is asked
  /// once the mark stands, so that a worker which wakes later finds itself counted out before it begins anything
  /// (`itemIsCountedOut`).
  func markAsleep(_ worker: Worker, _ isStillAsleep: () -> Bool = { true }) {
    worker.ask(Worker.Asked.toYield)  // before the mark: a worker that is marked has been asked
    // acquire-release: in turn with leavesRunning(for:); one of the two counts the worker out
    guard worker.status.casAcqRel(Worker.Status.running, Worker.Status.marked).exchanged else { return }
    guard isStillAsleep() else {
      worker.status.storeRelease(Worker.Status.running)  // release: as below
      return
    }
    set { $0.afterBlocked() }
    worker.stepsOutOfBreadth()
    worker.status.storeRelease(Worker.Status.sampled)  // release: pairs with the acquire in settledStatus()
  }
}

/// The worker's status and its share in the pool's count are two words. Nobody may see the share given back before it is taken off, or
/// the count would be wrong meanwhile: so the worker waits while the sampler is between the two.
extension Worker {
  /// Whether a worker of that status is not counted as running, though it has a job.
  static func isCountedOut(_ status: UInt32) -> Bool { status == Status.blocked || status == Status.sampled }

  /// Whether the calling worker, which has a job, is counted out, or is being so: the sampler may count out a worker
  /// that it has marked, although the worker has just woken.
  // relaxed: a thread that slept sees the mark when it wakes; of a thread that does not sleep the sampler takes it back
  var mayBeCountedOut: Bool { status.loadRelaxed() != Status.running }

  /// The calling worker has slept in an item, runs again, and too many run by now.
  func isBackTooMany() {
    isSurplus = true
    ask(Asked.toYield)
  }

  /// Between two items that are promised no thread of their own: whether the calling worker leaves the next one to
  /// others, which took its place while it slept in the item before. It counts as running from now on.
  var leavesItemsToOthers: Bool {
    // relaxed: as in mayBeCountedOut
    if status.loadRelaxed() != Status.running { withPool { $0.unblocked(self) } }
    guard jobClass != nil else { return false }
    return isSurplus && withPool { $0.isCrowded } || !hasBreadth
  }

  /// The calling worker's status, once the sampler has done what it began.
  func settledStatus() -> UInt32 {
    var spinner = Spinner()
    while true {
      let now = status.loadAcquire()  // acquire: pairs with the release in markAsleep
      if now != Status.marked { return now }
      spinner.wait()
    }
  }

  /// From `running` the calling worker goes to `next`. Its status before; another than `running` is left as it is.
  func leavesRunning(for next: UInt32) -> UInt32 {
    while true {
      // acquire-release: in turn with the sampler's mark (markAsleep), which pairs with it
      if status.casAcqRel(Status.running, next).exchanged { return Status.running }
      let now = settledStatus()
      if now != Status.running { return now }
    }
  }
}
