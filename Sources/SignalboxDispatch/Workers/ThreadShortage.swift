// ThreadShortage.swift: no thread can be made (EAGAIN): who tries again until one can, so that accepted work runs.
//
// The sampler does while work is queued, if it exists: it may be the very thread that cannot be made. Workers that exist find the
// work by themselves; but they may all be waiting for it. So while there is a shortage,
//   - the normal band's workers serve a band that has none (StandIn.swift);
//   - threads of the program that sleep in the seam try now and then (SleepDuty);
//   - every submission tries, as it does when no worker runs;
//   - the first submitter of a pool without any thread waits for one, for a limited time: its program may never sleep with us.
//     The toolchain's library waits there without limit.
import SignalboxSystem
import SignalboxWords

enum ThreadShortage {
  private static let isReported = Atomic32(0)
  /// Whether somebody has waited, or waits, since a thread could last be made.
  private static let isWaitedOut = Atomic32(0)

  /// How long the first submitter waits: 3 s.
  private static let patience: UInt64 = 3_000_000_000
  /// Its pauses between two attempts, at first and at most, in nanoseconds.
  private static let shortestPause: UInt64 = 1_000_000, longestPause: UInt64 = 64_000_000

  /// A worker could not be made.
  static func isNoticed(_ error: SystemError, by pool: Pool) {
    if isReported.exchangeAcqRel(1) == 0 {  // acquire-release: said by one; nothing is read through it
      Misuse.report(
        "no further worker thread can be made (\(error)): queued work waits for the existing ones, or until one can be made")
    }
    // relaxed: no thread relies on seeing it at once.
    SleepDuty.set { MemoryReserve.lend { Pool.tryAgain() } }
    pool.askForStandIn()
    pool.sampler.wake()
    // acquire: pairs with the sampler's release as it begins
    let isSeenTo = EventThread.shared.pollOnDuty() || pool.sampler.threadID.loadAcquire() != 0
    // acquire-release: one waits; nothing is read through it
    guard !isSeenTo, pool.isForsaken, isWaitedOut.exchangeAcqRel(1) == 0 else { return }
    waitForWorker(pool)
    // It may have been made just before the mark above: the next shortage has a wait of its own.
    if pool.isForsaken { return }
    isWaitedOut.storeRelaxed(0)  // relaxed: as in isOver
    clearDutyIfOver()
  }

  /// A worker of `pool` was made. Others may still be wanted in another band: then the duty stays, and whoever does it makes them.
  static func isOver(for pool: Pool) {
    pool.endStandIn()
    clearDutyIfOver()
    if isWaitedOut.loadRelaxed() != 0 { isWaitedOut.storeRelaxed(0) }  // relaxed: a hint to the next shortage
  }

  private static func clearDutyIfOver() {
    if SleepDuty.isSet, !Pools.all.contains(where: { $0.use { $0.lacksWorkers } }) { SleepDuty.clear() }
  }

  private static func waitForWorker(_ pool: Pool) {
    let end = Clock.uptime() &+ Self.patience
    var pause = Self.shortestPause
    let word = Atomic32(0)
    while pool.isForsaken, Clock.uptime() < end {
      let due = Clock.uptime() &+ pause
      word.park(expected: 0, deadline: .uptime(due))
      pause = min(2 * pause, Self.longestPause)
      Pool.tryAgain()
    }
  }
}

extension Pool {
  /// Makes another attempt to get workers for what is queued, if anything is.
  static func tryAgain() {
    let waiting = Pools.all.filter { $0.use { $0.hasSharedWork } }
    if waiting.isEmpty { return SleepDuty.clear() }
    for pool in waiting { pool.use { $0.workArrived() } }
  }

  /// Whether work waits and there is no worker.
  var lacksWorkers: Bool { hasSharedWork && snapshot[PoolState.total] == 0 }
}
