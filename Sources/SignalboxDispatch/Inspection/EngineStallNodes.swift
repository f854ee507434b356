// EngineStallNodes.swift: what the engine tells the detectors: idle threads, queued work, timers and descriptors that
// may bring more, and what the workers run. What is made of it is SignalboxDiagnosis/Stalls.
//
// Queues with pending items are no nodes of their own: such a queue is held by a thread, or suspended, or it lies on a
// list of the pool's or of the main thread's, itself or the queue below it; all of these are seen.
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

enum EngineStallNodes {
  static func addNodes(to snapshot: inout WaitSnapshot) {
    if Pools.isMade { addPool(&snapshot) }
    addMainQueue(&snapshot)
    addEvents(&snapshot)
  }

  static func hasAnswer(_ kind: WaitKind, _ object: UInt) -> Bool {
    switch kind {
    case .semaphore: SafeMemory.word32(object + DispatchSemaphore.tokensOffset) != 0
    case .group:
      SafeMemory.word64(object + DispatchGroup.wordOffset).map { GroupState(rawValue: $0).isEmpty } ?? true
    default: false
    }
  }

  /// The items of a queue that starts nothing; nil of any other.
  static func stopped(_ queue: UInt, groups: Set<UInt>) -> StoppedQueue? {
    guard let state = OwnerReader().state(ofQueue: UInt64(queue)), state.isStopped else { return nil }
    let pending = PendingItems(of: queue, groups: groups)
    guard pending.count > 0 else { return nil }
    // SAFETY: whoever asks keeps the queue from being freed.
    let title = Lent<DispatchQueue>(at: UInt64(queue)).use { $0.title }
    return StoppedQueue(
      title: title, isInactive: state[QueueState.inactive] == 1, count: pending.count, items: pending.items,
      members: pending.members)
  }

  // MARK: the pool

  private static func addPool(_ snapshot: inout WaitSnapshot) {
    let pools = Pools.all
    addSampler(pools, &snapshot)
    let parts = pools.map { $0.use { addWorkers($0, &snapshot) } }
    // Where work is queued a worker is needed; if none is queued anywhere, any may bring some.
    let pending = parts.filter { $0.isPending }
    let counted = pending.isEmpty ? parts : pending
    let hasRoom = counted.contains { $0.hasRoom }
    snapshot.add(
      WaitNode(.pool, hasRoom ? .free : .needs(.any(counted.flatMap { $0.keys })), acts: !pending.isEmpty))
  }

  /// One band's workers, and whether one is there or may be made for its work.
  private static func addWorkers(
    _ pool: Pool, _ snapshot: inout WaitSnapshot
  ) -> (keys: [WaitNode.Key], hasRoom: Bool, isPending: Bool) {
    let state = pool.lateSnapshot
    let workers = pool.workers
    var keys: [WaitNode.Key] = []
    // A worker is made, woken or searches for work: or one may still be.
    var hasRoom = state[PoolState.total] < pool.bound || state[PoolState.idle] > 0 || state[PoolState.searching] > 0
    for worker in workers {
      // acquire: pairs with the release by which the worker's thread says its number
      let thread = Int32(truncatingIfNeeded: worker.threadID.loadAcquire())
      if thread == 0 { hasRoom = true } else { keys.append(.thread(thread)) }
      // The count of jobs is read before the status: who runs a job between two scans has counted.
      // seq_cst, then acquire: pair with the worker's count, then its status and its wake word
      let progress = worker.progress.loadSeqCst()
      let isIdle = worker.status.loadAcquire() == Worker.Status.idle && worker.wakeWord.loadAcquire() == 0
      if thread != 0, isIdle { snapshot.addIdle(thread, stamp: progress) }
    }
    return (keys, hasRoom, isQueued(pool, workers))
  }

  private static func isQueued(_ pool: Pool, _ workers: [Worker]) -> Bool {
    // seq_cst: pairs with the push into the slot: what lies there now is seen
    pool.hasSharedWork || workers.contains { $0.ownSlot.loadSeqCst() != 0 }
  }

  /// The sampler may have a queue in its hands that it has taken out of a worker's slot. Where work is queued anyway that
  /// tells nothing new; else it must sleep, and before the slots and lists are read.
  private static func addSampler(_ pools: [Lent<Pool>], _ snapshot: inout WaitSnapshot) {
    // acquire: pairs with the release by which the sampler's thread says its number
    let thread = Int32(bitPattern: PoolSampler.shared.threadID.loadAcquire())
    guard thread != 0 else { return }
    let isQueuing = pools.contains { $0.use { isQueued($0, $0.workers) } }
    if isQueuing { snapshot.addIdle(thread, stamp: 0) } else { snapshot.addService(thread) }
  }

  // MARK: the main thread

  private static func addMainQueue(_ snapshot: inout WaitSnapshot) {
    let main = Threads.mainID, awaited = MainThreadHost.awaited
    let isIdle = MainThreadHost.isIdleInLoop
    if isIdle { snapshot.addService(main) }
    // When the first thread has ended, the other library has threads for its main queue, and ours lies in that: one of them, if
    // it is known to wait.
    let isOthers = MainThreadHost.hasOther && awaited == main && KernelThread.sample(UInt64(main))?.hasEnded == true
    let state: WaitNode.State = isIdle || isOthers ? .free : .needs(.all([.thread(awaited)]))
    snapshot.add(WaitNode(.mainQueue, state, acts: !MainQueue.queue.list.isEmpty))
  }

  // MARK: what may come

  private static func addEvents(_ snapshot: inout WaitSnapshot) {
    // acquire: pairs with the release by which the event thread says its number
    let thread = Int32(bitPattern: EventThread.shared.threadID.loadAcquire())
    if thread != 0 { snapshot.addService(thread) }
    // Whoever waits for long has seen what they bring: until then, and for certain, they are free.
    if !armed().isEmpty { snapshot.add(WaitNode(.events, .asleep(.any([])))) }
  }

  static func armed() -> [String] {
    let kinds = [
      ("timer", "timers", "armed", ClockTimers.armedCount),
      ("descriptor", "descriptors", "monitored", DescriptorTable.shared.watchedCount),
      ("kind of event", "kinds of events", "monitored", EventThread.shared.watchedCount),
    ]
    return kinds.filter { $0.3 > 0 }.map { one, several, how, count in
      count == 1 ? "a \(one) that is \(how)" : "\(count) \(several) that are \(how)"
    }
  }
}

// MARK: what the workers run

// For the monitor that searches for cycles. The monitor itself is ForeignCycleDetector (SignalboxDiagnosis), what it
// asks of a worker is Worker+Asked.swift (Workers/).

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
