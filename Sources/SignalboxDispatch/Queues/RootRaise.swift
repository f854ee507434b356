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

  /// Work of the class waits for an item of the global queue `root`.
  static func begin(_ root: DispatchQueue, to serviceClass: ServiceClass) {
    lock.withLock {
      _ = root.extrasMade().raise.begin(serviceClass)
      tellPools(root)
    }
    callWorkers(to: serviceClass)
  }

  /// As much less.
  static func end(_ root: DispatchQueue, to serviceClass: ServiceClass) {
    let left = lock.withLock {
      root.extras?.raise.end(serviceClass)
      tellPools(root)
      return root.askedClass
    }
    // Queues of that class which its workers drain are to go back.
    Pools.serving(serviceClass).use { for worker in $0.workers { worker.ask(Worker.Asked.toYield) } }
    // Those who still ask may be of another band, which has not served it so far.
    if let left, left.band != serviceClass.band { callWorkers(to: left) }
  }

  private static func callWorkers(to serviceClass: ServiceClass) {
    Pools.serving(serviceClass).use { pool in
      pool.servesOthers()
      pool.workArrived(class: serviceClass)
    }
  }

  private static func tellPools(_ root: DispatchQueue) {
    let asked = root.askedClass
    for pool in Pools.all {
      pool.use { pool in
        pool.standIn.setRaised(root.serviceClass, to: asked?.band == pool.band ? asked : nil)
      }
    }
  }
}
