// PrivatePool.swift: an engine beside the process's, as the pool sees it: the pool that its threads have. Its queues are GlobalQueues.swift
// (Queues/), the whole of it is PrivateEngine.swift.
import SignalboxSystem

/// Lives forever.
package class PrivatePool: @unchecked Sendable {
  // SAFETY of @unchecked: nothing of it changes; subclasses add what never changes either.
  final let pool: Pool

  init(_ pool: Pool) { self.pool = pool }

  /// That of the calling thread; nil if it has the process's.
  @inline(__always) static var ofThread: Lent<PrivatePool>? {
    // SAFETY: set by `adopt` to an engine that lives forever.
    ThreadSlot.current.pointee.engine.map { Lent(at: UnsafeRawPointer($0)) }
  }

  /// The calling thread belongs to this engine from now on.
  final func isOfThread() { ThreadSlot.current.pointee.engine = Unmanaged.passUnretained(self).toOpaque() }

  /// Its pool, in which the calling thread is about to do something.
  final var touchedPool: Lent<Pool> {
    pool.isTouched()
    return Lent(pool)
  }
}
