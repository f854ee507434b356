// Pools.swift: the process's pools, one for each band. Who makes them, out of the global queues' lists, is Pool+Queue.swift (Queues/).
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
