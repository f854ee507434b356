// Pools+Process.swift: the process's pools as queues reach them: made at the first need, out of the global queues' lists. What a pool is, is
// Workers/.
import SignalboxSystem
import SignalboxWords

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
