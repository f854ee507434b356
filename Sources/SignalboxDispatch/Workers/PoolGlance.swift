// PoolGlance.swift: the sampler's glance at what was left to workers that run: whether they come to it, long before a
// sample could tell. A budget says how often. When glances are taken is PoolSampler.swift; README.md, "Glances".
import SignalboxSystem
import SignalboxWords

extension Pool {
  /// Whether a processor seems idle: of this band, and of more urgent ones, fewer workers have a job than are to run. A hint.
  @inline(__always) var hasIdleProcessor: Bool {
    // relaxed: a hint, like all of the width
    snapshot.busy < UInt64(width.loadRelaxed()) && (band == .normal || isLeftByOthers)
  }
  /// Whether the workers of more urgent bands leave a processor.
  @inline(never) private var isLeftByOthers: Bool {
    let busy = Band.used.filter { $0.rawValue <= band.rawValue }.reduce(0) { sum, band in
      sum + Pools.present.serving(band.classes.mostUrgent).use { $0.snapshot.busy }
    }
    return busy < processors
  }

  /// The caller has left work to a worker that runs. While a processor is idle, the sampler glances soon whether that worker comes to it; else with
  /// its next sample. One load, as long as the sampler glances or has glanced often enough.
  @inline(__always) func leavesToWorker() {
    guard sampler.hears else { return }
    if hasIdleProcessor { sampler.ask() } else { sampler.wake() }
  }

  /// One reading: what is left to a worker whose count of jobs stands since the reading before is given to others. True: something is left to one
  /// whose count has moved. The sampler's.
  func glance() -> Bool {
    guard hasIdleProcessor else { return false }
    var (isLeft, someMove) = (false, false)
    for worker in workers {
      let progress = worker.progress.loadRelaxed()  // relaxed: two readings are compared
      let moves = progress != worker.glancedAt.load()
      worker.glancedAt.store(progress)
      // relaxed: a moment's view
      if moves, worker.status.loadRelaxed() == Worker.Status.running { someMove = true }
      guard worker.keepsWork else { continue }
      if moves { isLeft = true } else { giveToOthers(whatLiesWith: worker) }
    }
    // A searcher checks the lists again before it parks.
    guard hasSharedWork, snapshot[PoolState.searching] == 0 else { return isLeft }
    if !someMove { workArrived() }
    return isLeft || someMove
  }

  /// Whether something is left to a worker while a processor is idle.
  var leavesWork: Bool {
    guard hasIdleProcessor else { return false }
    return workers.contains { $0.keepsWork } || hasSharedWork && snapshot[PoolState.searching] == 0
  }

  private func giveToOthers(whatLiesWith worker: Worker) {
    if !worker.ring.isEmpty {
      ringHoldsWork()
      workArrived()
    }
    let own = worker.ownSlot.loadRelaxed()  // relaxed: the swap re-checks
    // acquire-release: the queue; in turn with its worker and thieves; pairs with the exchange in Pool.submit
    if own != 0, worker.ownSlot.casAcqRel(own, 0).exchanged { putBack(own) }
  }
}

extension Worker {
  /// Whether a queue lies in its own slot, or an item in its ring.
  // seq_cst: after the sampler's swap, as the asking thread's load is after its claim (A2)
  fileprivate var keepsWork: Bool { ownSlot.loadSeqCst() != 0 || !ring.isEmpty }
}

// MARK: how often

// Pure: the sampler's, which gives the time.
//
// A reading costs some 18 us of processors, the wake of the sampler included: so it may take one in two milliseconds,
// and sixteen in a row when it has taken none for a while. That is less than a hundredth of a processor, however often
// threads ask.

struct GlanceBudget {
  /// Readings in a row.
  static let most: UInt64 = 16
  /// Nanoseconds for which one reading is allowed.
  static let each: UInt64 = 2_000_000

  /// The moment from which on readings have been saved up; later than now while more were taken than that.
  private var since: UInt64 = 0

  /// Whether a reading may be taken at this moment.
  func allows(now: UInt64) -> Bool { now >= since + Self.each }

  /// A reading is taken, allowed or not: one that was asked for is.
  mutating func spend(now: UInt64) {
    since = max(since, now - min(now, Self.most * Self.each)) + Self.each
  }
}
