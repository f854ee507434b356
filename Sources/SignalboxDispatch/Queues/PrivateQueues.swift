// PrivateQueues.swift: the queues of an engine beside the process's: its main queue, and its global ones, which its pool has. The pool is
// PrivatePool.swift (Workers/), the whole of it PrivateEngine.swift.
import SignalboxSystem

package class PrivateQueues: PrivatePool, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass.
  /// What `DispatchQueue.main` is on the engine's threads: a serial queue like others.
  final let main: DispatchQueue

  init() {
    _ = Pools.ofProcess
    _ = MainQueue.queue
    main = DispatchQueue(label: "com.apple.main-thread")
    super.init(Pool())
  }

  /// The calling thread's; nil if it has the process's.
  @inline(__always) static var ofCaller: Lent<PrivateQueues>? {
    // SAFETY: set by `adopt` to an engine that lives forever, and which is one of these.
    ThreadSlot.current.pointee.engine.map { Lent(at: UnsafeRawPointer($0)) }
  }

  /// The queue that stands in for one of the process's when a thread of the engine submits to it; nil for any other.
  @inline(never) static func standIn(for queue: DispatchQueue) -> DispatchQueue? {
    guard queue.isShared, let engine = ofCaller else { return nil }
    return engine.use { engine in
      if queue.isMain { return engine.main }
      let root = engine.pool.root(queue.serviceClass)
      return root.address == UInt64(queue.address) ? nil : root.kept
    }
  }
}
