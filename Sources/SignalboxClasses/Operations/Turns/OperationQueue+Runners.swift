// OperationQueue+Runners.swift: runners, items of dispatch queues that start operations one after another. Which may start now is
// OperationQueueState.swift.
import Foundation
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

extension OperationQueue {
  final func submitRunners(_ count: Int) {
    guard count > 0 else { return }
    if let carrier {
      for _ in 0..<count { carrier { [self] in runSome(0, Self.anyRank) } }  // there never is another underlying queue
      return
    }
    let (place, generation) = lock.withLock { (runnersPlaceAssumingLocked(), innards.generation) }
    for _ in 0..<count { place.queue.async { [self] in runSome(generation, place.rank) } }
  }

  /// An item of the dispatch queue: starts operations one after another while there are any, for a while.
  private final func runSome(_ generation: UInt32, _ rank: UInt8) {
    guard var budget = arrive(generation) else { return }
    while true {
      while let (operation, elsewhere) = takeNext(generation, rank) {
        if let elsewhere = elsewhere ?? placeIfAsleep(rank) {
          elsewhere.async { [self] in runOne(operation) }
        } else {
          perform(operation)
          operation.release()
        }
        budget -= 1
        if budget == 0 || DispatchQueue.itemIsToGiveWay { return submitRunners(lock.withLock { shape.runnersToAsk() }) }
      }
      guard lingers(generation) else { return }
    }
  }

  /// Where to start the operation that was just taken, if the runner's thread has slept for the lock so long that
  /// another took its place: two would be one too many. On an underlying queue it starts here: its item has a place
  /// among that queue's others.
  private final func placeIfAsleep(_ rank: UInt8) -> DispatchQueue? {
    rank != Self.anyRank && DispatchQueue.itemIsCountedOut ? lock.withLock { placeAssumingLocked(ofRank: rank) } : nil
  }

  /// How many operations the runner may start; nil if it was asked for before the underlying queue was set.
  private final func arrive(_ generation: UInt32) -> Int? {
    lock.withLock {
      guard generation == innards.generation else { return nil }
      shape.runnerCame()
      return shape.isBatching ? 64 : 1
    }
  }

  /// Stays for a moment with nothing to start: a thread that adds an operation meanwhile saves a round through the
  /// pool. Whether there may be something.
  private final func lingers(_ generation: UInt32) -> Bool {
    guard Self.lingerPauses > 0 else { return false }
    let stays = lock.withLock { generation == innards.generation && shape.runnerStays() }
    guard stays else { return false }
    var left = Self.lingerPauses
    while left > 0, readyHint.loadRelaxed() == 0 {  // relaxed: asked again under the lock
      spinPause()
      left -= 1
    }
    // Even if nothing was seen: what came since has asked for no runner, because this runner was to check once more.
    guard arrive(generation) != nil else { return false }
    return lock.withLock { shape.mayStart > 0 }
  }
  /// About 2 µs.
  private static let lingerPauses = Processors.available() > 1 ? 80 : 0

  /// An operation, +1, that a runner of another class of service has taken.
  private final func runOne(_ operation: Unmanaged<Operation>) {
    perform(operation)
    operation.release()
    submitRunners(lock.withLock { shape.runnersToAsk() })  // the search that was left to the thread that runs it
  }

  /// The next operation to start, +1, and where if its class of service is not `rank`, the runner's. Asks for another runner if
  /// there is still more. None for a runner on a queue that is the underlying one no more.
  private final func takeNext(_ generation: UInt32, _ rank: UInt8) -> (Unmanaged<Operation>, elsewhere: DispatchQueue?)? {
    typealias Taken = (Unmanaged<Operation>, elsewhere: DispatchQueue?)
    let (taken, asked) = lock.withLock { () -> (Taken?, Int) in
      guard generation == innards.generation, shape.mayStart > 0, let first = lists.takeFirst() else { return (nil, 0) }
      shape.started()
      let operation = first.counted.retain()
      if shape.ready == 0 { readyHint.storeRelaxed(0) }  // relaxed: a hint, asked again under the lock
      let state = first.use { operation -> OperationState in
        operation.links.place = .started
        return operation.state
      }
      return ((operation, placeAssumingLocked(of: state, unless: rank)), shape.runnersToAsk())
    }
    submitRunners(asked)
    return taken
  }

  private final func perform(_ reference: Unmanaged<Operation>) {
    Lent(reference).use { operation in
      guard operation.isReady else { return putBack(operation) }
      let me = ThreadSlot.owner()
      OperationFrame.inside(operation, of: Lent(self)) { frame in
        frame.pointee.isRunner = true
        operation.runner.storeRelaxed(me)  // relaxed: for reports, and for this thread itself
        if operation.state.isWaiting { startNow(operation) }
        if operation.state.isFinished { return }
        if operation.isFinished { return operation.finishFromOutside() }  // a subclass that does not announce it
        // It goes on elsewhere. relaxed: a name for reports; a thread that has put its own there since keeps it.
        _ = operation.runner.casRelaxed(me, 0)
      }
    }
  }

  @inline(__always) private final func startNow(_ operation: Operation) {
    guard Events.areWanted(.operationBegan) else { return operation.start() }
    OperationEvents.run(operation, of: self) { operation.start() }
  }

  /// It has got a new dependency since it was listed.
  private final func putBack(_ operation: Operation) {
    let asked = lock.withLock { () -> Int in
      guard operation.links.place == .started else { return 0 }
      operation.links.place = .pending
      pending += 1
      shape.unstart()
      _ = operation.moved { $0.afterUnlisted() }
      return shape.runnersToAsk()
    }
    submitRunners(asked)
    operation.offerToQueue()  // ready again since it was asked: the thread that made it so found it listed
  }

  /// A thread of a queue is about to sleep although it owes its queue a search for the next operation: another is asked for.
  static func payRunner() {
    guard let frame = OperationFrame.innermost, frame.pointee.owesRunner, let queue = frame.pointee.queue else { return }
    frame.pointee.owesRunner = false
    queue.use { queue in queue.submitRunners(queue.lock.withLock { queue.shape.runnersToAsk() }) }
  }
}
