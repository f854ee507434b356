// PoolItems.swift: what the workers run, for the monitor that searches for cycles. The monitor itself is ForeignCycleDetector
// (SignalboxDiagnosis), what it asks of a worker is Worker+Asked.swift (Workers/).
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

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

  /// The calling worker's item: its count of items is another for each. nil for other threads.
  static var own: UInt64? {
    // relaxed: the worker's own count
    Pool.worker(ThreadSlot.current)?.use { $0.progress.loadRelaxed() }
  }

  static func awaitEnd(on thread: Int32) {
    let workers = Pools.all.flatMap { $0.use { $0.workers } }
    // acquire: as in `forEach`
    workers.first { $0.threadID.loadAcquire() == UInt64(thread) }?.ask(Worker.Asked.toTellEnd)
  }
}
