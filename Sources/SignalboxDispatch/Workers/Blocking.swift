// Blocking.swift: a worker that parks in a wait Signalbox can see does not count as running: queued work gets another.
import SignalboxSystem

enum Blocking {
  /// Runs `body`, which parks; meanwhile the calling worker, if it is one, is not counted as running.
  @inline(never)
  static func whileBlocked<R>(_ body: () -> R) -> R {
    if ThreadSlot.current.pointee.perform != nil { ParallelApply.giveBackClaims() }
    guard let worker = Pool.worker(ThreadSlot.current)?.kept else { return body() }
    worker.touchedPool.use { $0.willBlock(worker) }
    defer { worker.touchedPool.use { $0.unblocked(worker) } }
    return body()
  }
}

extension Blocking {
  /// From now on locks and conditions tell when a worker sleeps in them. A lock's wait is expected to be short: the worker counts
  /// as running until the sampler finds it asleep. A condition's is not.
  static func hearOfLocks() {
    BlockingHook.install(
      before: { isLong in
        guard isLong != 0 else { return FlushBeforeSleep.run() }
        guard let worker = Pool.worker(ThreadSlot.current)?.kept else { return }
        worker.touchedPool.use { $0.willBlock(worker) }
      },
      after: { _ in
        guard let worker = Pool.worker(ThreadSlot.current)?.kept else { return }
        worker.touchedPool.use { $0.unblocked(worker) }
      })
  }
}

/// What lies in the worker's own slot and ring would wait as long as the worker sleeps: it goes to the shared lists first.
enum FlushBeforeSleep {
  static func run() {
    if ThreadSlot.current.pointee.perform != nil { ParallelApply.giveBackClaims() }
    guard let worker = Pool.worker(ThreadSlot.current)?.kept else { return }
    if !worker.ring.isEmpty { worker.touchedPool.use { $0.shareRing(of: worker) } }
    // relaxed: the exchange re-checks
    guard worker.ownSlot.loadRelaxed() != 0 else { return }
    // acquire-release: in turn with thieves (steal) and the sampler; one of them gets the queue
    let queue = worker.ownSlot.exchangeAcqRel(0)
    if queue != 0 { worker.touchedPool.use { $0.submitShared(queue) } }
  }
}

extension Pool {
  /// The worker parks in a wait: not running any more; work that is queued, now or later, gets another.
  func willBlock(_ worker: Worker) {
    FlushBeforeSleep.run()
    worker.nameOneself()
    if let label = DispatchQueue.currentLabel { worker.blockedLabel = label }
    // The sampler may have counted the worker out already.
    worker.pausesService()
    if worker.leavesRunning(for: Worker.Status.blocked) == Worker.Status.running {
      set { $0.afterBlocked() }
      if hasSharedWork || ringsAreToBeServed { workArrived() }
    }
  }

  /// The worker runs again, whoever counted it out.
  func unblocked(_ worker: Worker) {
    worker.resumesService()
    guard Worker.isCountedOut(worker.settledStatus()) else { return }
    // Counted first: from the moment it is `running` the sampler may count it out again.
    set { $0.afterUnblocked() }
    worker.status.storeRelease(Worker.Status.running)  // release: as in Pool.found
  }

  /// The sampler found the worker asleep in the kernel.
  func markAsleep(_ worker: Worker) {
    // acquire-release: in turn with leavesRunning(for:); one of the two counts the worker out
    guard worker.status.casAcqRel(Worker.Status.running, Worker.Status.marked).exchanged else { return }
    set { $0.afterBlocked() }
    worker.status.storeRelease(Worker.Status.sampled)  // release: pairs with the acquire in settledStatus()
  }
}

/// The worker's status and its share in the pool's count are two words. Nobody may see the share given back before it is taken off, or
/// the count would be wrong meanwhile: so the worker waits while the sampler is between the two.
extension Worker {
  /// Whether a worker of that status is not counted as running, though it has a job.
  static func isCountedOut(_ status: UInt32) -> Bool { status == Status.blocked || status == Status.sampled }

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
