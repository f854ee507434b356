// Pool+Queue.swift: how a queue's turn comes to the pool, what the pool leaves to queues, and the process's pools as
// queues reach them. Which list is served when is Workers/.
import SignalboxSystem
import SignalboxWords

extension PoolDuties {
  /// Whoever takes a turn, or puts it back, has the reference that goes with it.
  static let ofQueues = PoolDuties(
    live: { $0.threadBody() },
    putBack: { turn in Lent<DispatchQueue>(at: turn).use { $0.moveToBand() } },
    isServedElsewhere: { turn in Lent<DispatchQueue>(at: turn).use { $0.noteServedElsewhere() } },
    findMembers: { KnownMembers.raiseOwn(of: $0) })
}

extension Pool {
  /// A queue that has just become enqueued, its reference in hand; `serviceClass`: as which it is served.
  @inline(__always)
  func submit(_ queue: DispatchQueue, as serviceClass: ServiceClass, _ urgency: DispatchQueue.Urgency) {
    // An explorer does not leave to the time of day whether another worker takes it before this one's job ends.
    if urgency == .soon, !Exploration.isOn, let worker = Pool.worker(ThreadSlot.current),
      worker.use({ $0.isOf(self) })
    {
      // seq_cst: published before the check of the sampler, as a claim is before the check of the pool's word.
      let displaced = worker.use { $0.ownSlot.exchangeSeqCst(UInt64(queue.address)) }
      if displaced == 0 { return leavesToWorker() }
      return submitShared(displaced)
    }
    share(queue, as: serviceClass)
  }

  /// Puts a queue on the list of the class where its kind belongs: a serial one, which is promised a thread, on that of
  /// turns; a concurrent one of a lower band, which a thread waits for, on one of its own. Its root may be another
  /// engine's: the turn stays with its submitter's.
  func share(_ queue: DispatchQueue, as serviceClass: ServiceClass) {
    let turn = Slot.turn(UInt64(queue.address))
    guard queue.isBounded else { return share(turn, .turns, of: serviceClass) }
    let home = queue.serviceClass
    if _slowPath(home.band.rawValue > band.rawValue), !isPrivate { return shareDisplaced(turn, from: home, to: serviceClass) }
    share(turn, .items, of: serviceClass)
  }

  /// Whether a queue that a worker of this pool drains belongs to another band by now.
  @inline(__always) func isToLose(_ queue: DispatchQueue) -> Bool {
    !isPrivate && queue.isMisplaced(in: band) && !standIn.servesOtherLists
  }

  /// Puts a queue from a worker's own slot on the shared list where it belongs.
  func submitShared(_ queue: UInt64) {
    Lent<DispatchQueue>(at: queue).use { $0.moveToBand() }
    workArrived()  // whatever share() left to a running worker: that may be this one, about to sleep
  }
}

// MARK: the process's pools

// They are made at the first need, out of the global queues' lists. What a pool is, is Workers/.

extension Pools {
  static let ofProcess: Pools = {
    let roots = GlobalQueues.processes
    let lists = PoolLists(shards: PoolLists.shards(for: Tuning.processorsPresent)) { roots.root($0).use { $0.itemsAsPoolList } }
    let pools = Pools { Pool($0, lists, roots.addresses, .ofQueues) }
    Blocking.hearOfLocks()
    ThreadEnd.isNoticed
    EventThread.shared.isServed(by: pools.main.kept)
    pools.areThere()
    PoolDescription.write(pools, lists)
    return pools
  }()

  /// The pool that serves the class, for the calling thread's engine.
  @inline(__always) static func serving(_ serviceClass: ServiceClass) -> Lent<Pool> {
    if _slowPath(ThreadSlot.current.pointee.engine != nil) { return ofPrivateEngine() }
    return ofProcess.serving(serviceClass)
  }
  /// The one that serves a global queue.
  @inline(__always) static func serving(_ root: DispatchQueue) -> Lent<Pool> { serving(root.serviceClass) }

  /// The calling worker's pool; of other threads, the normal band's of their engine.
  @inline(__always) static var ofThread: Lent<Pool> {
    if let worker = Pool.worker(ThreadSlot.current) { return worker.use { $0.touchedPool } }
    if _slowPath(ThreadSlot.current.pointee.engine != nil) { return ofPrivateEngine() }
    return ofProcess.main
  }

  @inline(never) private static func ofPrivateEngine() -> Lent<Pool> {
    PrivatePool.ofThread.map { $0.use { $0.touchedPool } } ?? ofProcess.main
  }
}

extension Pool {
  /// The process's, of the band in which most work is.
  static var shared: Pool { Pools.ofProcess.main.kept }

  /// The pool of a private engine, which serves all classes with roots and lists of its own.
  convenience init() {
    let roots = RootQueues()
    let lists = PoolLists(shards: 1) { roots.root($0).use { $0.itemsAsPoolList } }
    self.init(nil, lists, roots.addresses, .ofQueues)
  }

  /// The global queue of the class, without counting a reference.
  @inline(__always) func root(_ serviceClass: ServiceClass) -> Lent<DispatchQueue> { Lent(at: rootAddress(of: serviceClass)) }
}

extension DispatchQueue {
  /// Of a global queue: its own list, and a lock beside it. Asked for once: global queues live forever.
  fileprivate final var itemsAsPoolList: PoolList { PoolList(listWords, lock: PoolList.madeLock()) }
}
