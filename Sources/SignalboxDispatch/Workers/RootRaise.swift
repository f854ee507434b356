// RootRaise.swift: a global queue that work of a more urgent band waits for an item of is served by that band's pool as well, as the class
// that waits, until nobody waits any more. Other queues move instead: Queues/DispatchQueue+Raise.swift.
//
// Who asks is counted in the queue's QueueRaise, as for any queue. What lies there before the awaited item goes first, in its order; so
// does what lies behind it until the wait is over. A queue that is taken from there by the way goes back afterwards. The queue's own band
// goes on serving it: its worker is preferred for each item that it takes from there meanwhile.
import SignalboxLocks
import SignalboxSystem

enum RootRaise {
  /// Orders the counts and what the pools know of them.
  private static let lock = UnfairLock()

  /// Work at `place` waits for an item of the global queue `root`.
  static func begin(_ root: DispatchQueue, to place: Int) {
    lock.withLock {
      _ = root.extrasMade().raise.begin(place)
      tellPools(root)
    }
    callWorkers(to: place)
  }

  /// As much less.
  static func end(_ root: DispatchQueue, to place: Int) {
    let left = lock.withLock {
      root.extras?.raise.end(place)
      tellPools(root)
      return root.placeAsked
    }
    // Queues of that class which its workers drain are to go back.
    Pools.serving(place).use { for worker in $0.workers { worker.ask(Worker.Asked.toYield) } }
    // Those who still ask may be of another band, which has not served it so far.
    if left != QueueRaise.none, Band(place: left) != Band(place: place) { callWorkers(to: left) }
  }

  private static func callWorkers(to place: Int) {
    Pools.serving(place).use { pool in
      pool.servesOthers()
      pool.workArrived(class: place)
    }
  }

  private static func tellPools(_ root: DispatchQueue) {
    let asked = root.placeAsked
    for pool in Pools.all {
      pool.use { $0.standIn.setRaised(root.classPlace, asked != QueueRaise.none && Band(place: asked) == $0.band) }
    }
  }
}

extension Pool {
  /// Beside the lists' bits in `overdue`: global queues of other bands may be raised to classes of this one, or have no thread left.
  static let mayServeOthers: UInt32 = 1 << 31
  static let overdueLists = ~mayServeOthers

  /// Has the workers check what lies in other bands in their turn. The sampler keeps the bit up to date.
  func servesOthers() {
    var old = overdue.loadRelaxed()  // relaxed: a hint, as told at the word
    while old & Self.mayServeOthers == 0 {
      let swap = overdue.casRelaxed(old, old | Self.mayServeOthers)  // relaxed: as above
      if swap.exchanged { break }
      old = swap.original
    }
    sampler.wake()
  }

  /// An item of a raised queue that work at `place` waits for.
  @inline(never) func takeRaised(at place: Int) -> PoolJob? {
    for lower in places.upperBound..<GlobalQueues.count where standIn.isRaised(lower) {
      if roots.root(lower).use({ $0.placeAsked }) == place, let job = takeRaised(from: lower) { return job }
    }
    return nil
  }

  /// An item of the raised queue of the class at `lower`. What is submitted when nobody waits any more is not taken.
  func takeRaised(from lower: Int) -> PoolJob? {
    guard let job = take(.items, lower, where: { standIn.isRaised(lower) }) else { return nil }
    // SAFETY: the job holds the queue.
    if job.first == SlotKind.queue { Lent<DispatchQueue>(at: job.second).use { $0.noteServedElsewhere() } }
    return job
  }

  /// Whether a raised queue that work at `place` waits for holds work.
  func isRaisedWaiting(_ place: Int) -> Bool {
    (places.upperBound..<GlobalQueues.count).contains { lower in
      standIn.isRaised(lower) && !lists.isEmpty(.items, lower) && roots.root(lower).use { $0.placeAsked == place }
    }
  }

  /// The place as which jobs of the class at `place` are served here: of a raised global queue that of who waits.
  func placeServed(_ place: Int) -> Int {
    guard place >= places.upperBound, standIn.isRaised(place) else { return place }
    let asked = roots.root(place).use { $0.placeAsked }
    return asked == QueueRaise.none ? place : asked
  }
}
