// RootRaise.swift: a global queue that work of a more urgent band waits for an item of is served by that band's pool as well, as the class
// that waits, until nobody waits any more. Other queues move instead: DispatchQueue+Raise.swift. What the pool takes from there is
// RaisedRoots.swift (Workers/).
//
// Who asks is counted in the queue's QueueRaise, as for any queue. What lies there before the awaited item goes first, in its order; so
// does what lies behind it until the wait is over. A queue that is taken from there by the way goes back afterwards. The queue's own band
// goes on serving it: its worker is preferred for each item that it takes from there meanwhile.
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

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
      pool.use { pool in
        let isHere = asked != QueueRaise.none && Band(place: asked) == pool.band
        pool.standIn.setRaised(root.classPlace, to: isHere ? asked : nil)
      }
    }
  }
}
