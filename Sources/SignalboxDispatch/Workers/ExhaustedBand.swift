// ExhaustedBand.swift: a band has all the threads that it may have, and all of them wait. What they wait for may be a queue that they have
// raised to their band: then nobody there would ever serve it. So the other bands' threads serve the band's queues, the lists of turns and of
// displaced queues, until one of its own runs again. README.md, "A band whose threads all wait".
import SignalboxSystem
import SignalboxWords

extension Pool {
  /// Whether all of its workers wait and there may be no more. seq_cst: after the caller's claim, or its change of who serves the lists;
  /// pairs with the swap by which the last worker stops running, and after which it checks the lists
  var isExhausted: Bool {
    let state = lateSnapshot
    return state[PoolState.running] == 0 && state[PoolState.total] - state[PoolState.idle] >= bound
  }

  /// Work lies on a list of this pool, which may have no other worker.
  func askOthersIfExhausted() {
    guard !isPrivate, isExhausted else { return }
    for other in Pools.all where other != Lent(self) {
      other.use {
        $0.standIn.beginQueues(of: band)
        $0.servesOthers()
        $0.callAnother()
      }
    }
  }

  /// A queue of a band all of whose threads wait.
  func takeOfExhausted(_ worker: Worker?) -> PoolJob? {
    guard standIn.servesQueues else { return nil }
    for serviceClass in ServiceClass.all where standIn.servesQueues(of: serviceClass) {
      let other = serving(serviceClass)
      if other.use({ $0.isExhausted }) {
        if let job = take(.turns, of: serviceClass) ?? takeDisplacedAnyway(to: serviceClass, worker) { return job }
        continue
      }
      let band = serviceClass.band
      standIn.endQueues(of: band)
      // Its last worker may have stopped in between, and have found the bit still set.
      if other.use({ $0.isExhausted }) { standIn.beginQueues(of: band) }
    }
    return nil
  }
}
