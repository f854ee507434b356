// PoolItems.swift: what the workers run, for the monitor that searches for cycles; and what the monitor and the sampler ask of them.
// The monitor itself is ForeignCycleDetector (SignalboxDiagnosis).
import SignalboxDiagnosis
import SignalboxSystem

extension Worker {
  /// Bits of `asked`.
  enum Asked {
    /// A long drain is to let others run.
    static let toYield: UInt32 = 1
    /// The monitor has seen the running item: it is to hear of its end.
    static let toTellEnd: UInt32 = 2
    /// It was given more of a processor while more urgent work waits for the running item: it is to go back to where its band stands.
    static let toGoBack: UInt32 = 4
    /// Threads wait for groups: it is to tell which of its queues hold members (KnownMembers).
    static let toFindMembers: UInt32 = 8
  }

  /// Asks for `bits`; any thread.
  func ask(_ bits: UInt32) { change { $0 | bits } }

  /// Between two items: whether the worker is to let others run. Called only when something is asked.
  @inline(never) func wantsYield() -> Bool {
    let asked = asked.loadRelaxed()  // relaxed: the swap re-checks
    if asked & Asked.toTellEnd != 0 {
      change { $0 & ~Asked.toTellEnd }
      tellEnd()
    }
    if asked & Asked.toGoBack != 0 {
      change { $0 & ~Asked.toGoBack }
      goBack()
    }
    if asked & Asked.toFindMembers != 0 {
      change { $0 & ~Asked.toFindMembers }
      findMembers()
    }
    return asked & Asked.toYield != 0
  }

  /// The job has ended: what was asked concerned it.
  @inline(never) func answerAsked() {
    // acquire-release: in turn with ask(_:); nothing is read through the bits
    let asked = asked.exchangeAcqRel(0)
    if asked & Asked.toTellEnd != 0 { tellEnd() }
    if asked & Asked.toGoBack != 0 { goBack() }
  }

  private func tellEnd() {
    // seq_cst: before the check of the monitor's word; pairs with the monitor's store there (ForeignCycleDetector), as `found` does.
    // relaxed: nobody else writes it.
    progress.storeSeqCst(progress.loadRelaxed() &+ 1)
    ForeignCycleDetector.noticed()
  }

  /// A job begins: the thread may have been preferred for an item that had just ended.
  @inline(never) func goBackIfAsked() {
    guard asked.loadRelaxed() & Asked.toGoBack != 0 else { return }  // relaxed: the swap re-checks
    change { $0 & ~Asked.toGoBack }
    goBack()
  }

  private func change(_ bits: (UInt32) -> UInt32) {
    var old = asked.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      let swap = asked.casAcqRel(old, bits(old))  // acquire-release: bits come and go by swaps; nothing is read through them
      if swap.exchanged { return }
      old = swap.original
    }
  }
}

/// The pool's items, as the monitor sees them.
///
/// A worker's count of jobs names the item. A serial queue's drain is one job; that one of its items has ended, and another has
/// begun, shows in the count because the monitor asks for it. A worker comes into view by `Pool.found`, whose swap of the pool's
/// word precedes its check of the monitor.
enum PoolItems {
  static func forEach(_ body: (_ thread: Int32, _ item: UInt64) -> Void) {
    for pool in Pools.all { forEach(of: pool, body) }
  }

  private static func forEach(of pool: Lent<Pool>, _ body: (_ thread: Int32, _ item: UInt64) -> Void) {
    let state = pool.use { $0.lateSnapshot }
    guard state[PoolState.total] > state[PoolState.idle] else { return }
    for worker in pool.use({ $0.workers }) {
      // acquire: a worker that runs again after it was idle has counted on. 0: its thread has not begun.
      let (status, thread) = (worker.status.loadAcquire(), worker.threadID.loadAcquire())
      // seq_cst: after the monitor's store, as lateSnapshot.
      if status != Worker.Status.idle, thread != 0 { body(Int32(truncatingIfNeeded: thread), worker.progress.loadSeqCst()) }
    }
  }

  static func awaitEnd(on thread: Int32) {
    let workers = Pools.all.flatMap { $0.use { $0.workers } }
    // acquire: as in `forEach`
    workers.first { $0.threadID.loadAcquire() == UInt64(thread) }?.ask(Worker.Asked.toTellEnd)
  }
}
