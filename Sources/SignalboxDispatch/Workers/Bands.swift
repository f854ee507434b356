// Bands.swift: which classes share threads, and how the kernel serves those. The threads themselves are Pool.swift.
//
// Without a right for it a thread that was given more niceness never gets it back: so a thread stays in its band, and work moves.
import SignalboxSystem

enum Band: Int, CaseIterable {
  /// The three more urgent classes. Which of their items is next is the pool's choice.
  case normal
  case utility
  case background

  /// Whether there is more than the normal one. A bound on all threads and threads for some classes alone do not go together: where the
  /// environment sets the bound, the normal band serves every class.
  static let areSeveral = PoolEnvironment.bound == nil
  /// Those that there are.
  static var used: [Band] { areSeveral ? allCases : [.normal] }

  /// Where its classes stand in GlobalQueues.
  var places: Range<Int> {
    switch self {
    case .normal: 0..<(Self.areSeveral ? 3 : GlobalQueues.count)
    case .utility: 3..<4
    case .background: 4..<5
    }
  }

  /// The classes in a word.
  var name: String {
    switch self {
    case .normal: "default"
    case .utility: "utility"
    case .background: "background"
    }
  }

  init(place: Int) { self = place < 3 || !Self.areSeveral ? .normal : place == 3 ? .utility : .background }

  /// How its threads stand among others; nil: as the process's do. Of a processor that it shares with a thread of the normal band, a
  /// thread gets a third at niceness 3, a quarter at 5, a tenth at 10. Where niceness is never given back the threads have less of it,
  /// because little helps whoever waits for their items. Their turns are the shortest that the kernel has, so that they come more often:
  /// beside two computing threads on two processors a background thread waits 4 ms for its next turn (median) and not 23.
  var rank: ThreadRank? {
    switch self {
    case .normal: nil
    case .utility: ThreadRank(niceness: 5, lastingNiceness: 3, isBatch: true, slice: ThreadRank.shortSlice)
    case .background: ThreadRank(niceness: 10, lastingNiceness: 5, isBatch: true, slice: ThreadRank.shortSlice)
    }
  }

  /// The niceness of its threads, as the kernel counts it. Once a thread was lowered.
  var niceness: Int { rank?.absoluteNiceness ?? ThreadRank.commonNiceness }
}

/// The process's pools: one for each band.
struct Pools: Sendable {
  /// That of the normal band.
  let main: Lent<Pool>
  /// By the place of a class.
  private let byPlace: InlineArray<5, Lent<Pool>>

  static let ofProcess = Pools()

  private init() {
    let lists = PoolLists({ GlobalQueues.processes.root($0) }, shards: PoolLists.shards(for: Tuning.processors))
    let pools = Band.used.map { Unmanaged.passRetained(Pool($0, lists)) }  // they live for ever
    main = Lent(pools[0])
    byPlace = InlineArray { Lent(pools[Band(place: $0).rawValue]) }
    ForkGuard.arm()
    Blocking.hearOfLocks()
    ThreadEnd.isNoticed
    EventThread.shared.isServed(by: main.kept)
    Self.made.storeRelease(1)  // release: pairs with isMade
  }

  /// Whether there are pools: for those who ask without making any.
  static var isMade: Bool { made.loadAcquire() == 1 }  // acquire: pairs with the store at the end of init
  private static let made = Atomic32(0)

  /// The pool that serves the class at `place`, for the calling thread's engine.
  @inline(__always) static func serving(_ place: Int) -> Lent<Pool> {
    if _slowPath(ThreadSlot.current.pointee.engine != nil) { return ofPrivateEngine() }
    return ofProcess.byPlace[place]
  }
  /// The one that serves a global queue.
  @inline(__always) static func serving(_ root: DispatchQueue) -> Lent<Pool> { serving(root.classPlace) }

  /// The calling worker's pool; of other threads, the normal band's of their engine.
  @inline(__always) static var ofThread: Lent<Pool> {
    if let worker = Pool.worker(ThreadSlot.current) { return worker.use { $0.touchedPool } }
    if _slowPath(ThreadSlot.current.pointee.engine != nil) { return ofPrivateEngine() }
    return ofProcess.main
  }

  /// All pools of the calling thread's engine.
  static var all: [Lent<Pool>] {
    if ThreadSlot.current.pointee.engine != nil { return [ofPrivateEngine()] }
    return Band.used.map { ofProcess.byPlace[$0.places.lowerBound] }
  }

  @inline(never) private static func ofPrivateEngine() -> Lent<Pool> {
    PrivateEngine.ofCaller.map {
      $0.use {
        $0.pool.touch(); return Lent($0.pool)
      }
    } ?? ofProcess.main
  }
}
