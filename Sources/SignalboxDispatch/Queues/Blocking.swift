// Blocking.swift: a worker that parks in a wait Signalbox can see does not count as running: queued work gets another. How its status and the
// pool's count change is WorkerStatus.swift (Workers/).
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
    worker.stepsOutOfBreadth()
    if worker.leavesRunning(for: Worker.Status.blocked) == Worker.Status.running {
      set { $0.afterBlocked() }
      if hasSharedWork || ringsAreToBeServed { workArrived() }
    }
  }
}
