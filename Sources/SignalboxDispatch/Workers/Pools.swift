// Pools.swift: which pools there are: the process's, one for each band, and those of engines beside it. Each leaves
// some duties to the room whose items it holds. The process's are made, out of the global queues' lists, in
// Pool+Queue.swift (Queues/).
import SignalboxSystem
import SignalboxWords

struct Pools: Sendable {
  /// That of the normal band.
  let main: Lent<Pool>
  /// By their classes.
  let byClass: InlineArray<5, Lent<Pool>>

  /// Out of one pool for each of the bands that there are; they live forever from now on.
  init(_ make: (Band) -> Pool) {
    let pools = Band.used.map { Unmanaged.passRetained(make($0)) }
    main = Lent(pools[0])
    byClass = InlineArray { Lent(pools[ServiceClass(known: $0).band.rawValue]) }
  }

  /// The pool that serves the class.
  // SAFETY: the numbers of the classes are those of the five.
  @inline(__always) func serving(_ serviceClass: ServiceClass) -> Lent<Pool> { byClass[unchecked: serviceClass.rawValue] }

  // MARK: those that there are

  // SAFETY: written once, before `isMade` says so.
  nonisolated(unsafe) private static var known: Pools?
  private static let made = Atomic32(0)

  /// These are the process's from now on.
  func areThere() {
    Self.known = self
    Self.made.storeRelease(1)  // release: pairs with isMade
  }

  /// Whether there are pools: for those who ask without making any.
  static var isMade: Bool { made.loadAcquire() == 1 }  // acquire: pairs with the store in areThere

  /// The process's: for the pools' own business, which there is none of before.
  static var present: Pools {
    guard let known else { fatalError("the pool is asked for before there is one") }
    return known
  }

  /// All pools of the calling thread's engine that there are.
  static var all: [Lent<Pool>] {
    if let engine = PrivatePool.ofThread { return [engine.use { $0.touchedPool }] }
    return isMade ? Band.used.map { present.serving($0.classes.mostUrgent) } : []
  }
}

extension Pool {
  /// The pool of this one's engine that serves the class. Seldom asked for, out of what each taking is inlined into.
  @inline(never) func serving(_ serviceClass: ServiceClass) -> Lent<Pool> {
    guard isPrivate else { return Pools.present.serving(serviceClass) }
    isTouched()
    return Lent(self)
  }
}

// MARK: the pool of an engine beside the process's

// The pool that such an engine's threads have. Its queues are GlobalQueues.swift (Queues/), the whole of it is
// PrivateEngine.swift.

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

// MARK: what a pool leaves to those whose items it holds

// A pool knows two words of each item, and not what they are.
//
// All of it is rare: nothing here is called for each item, nor for each turn.

struct PoolDuties: Sendable {
  /// What the thread of a worker does: runs what the pool has for it, until it is to end.
  let live: @Sendable (Worker) -> Void
  /// Puts a turn, which was taken out of a worker's own slot, with its reference on the list where it belongs.
  let putBack: @Sendable (_ turn: UInt64) -> Void
  /// Notes of a turn that it was taken off a list which is served here only for now.
  let isServedElsewhere: @Sendable (_ turn: UInt64) -> Void
  /// Has a worker tell, between two items, which of its turns hold members of groups that threads wait for.
  let findMembers: @Sendable (Worker) -> Void
}
