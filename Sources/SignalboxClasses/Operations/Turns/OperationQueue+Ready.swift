// OperationQueue+Ready.swift: operations that were found to be ready, in the order of their turns. Who starts them is
// OperationQueue+Runners.swift; what may start now is OperationQueueState.swift.
import SignalboxSystem
import SignalboxWords

extension OperationQueue {
  /// Operations of ours were found to be ready.
  final func offer(_ operations: UnsafeBufferPointer<Lent<Operation>>) {
    let owes = OperationFrame.owes(self)
    let asked = lock.withLock { () -> Int in
      for operation in operations {
        operation.use { if $0.links.place == .pending { list($0) } }
      }
      return owes ? 0 : shape.runnersToAsk()
    }
    submitRunners(asked)
  }

  /// Assumes the lock, and that it is pending.
  final func list(_ operation: Operation) {
    guard operation.state.isListed || operation.moved({ $0.afterListed() }) else { return }
    pending -= 1
    if shape.isCurrent(operation.links.epoch) { makeReady(operation) } else { operation.links.place = .held }
  }

  private final func makeReady(_ operation: Operation) {
    operation.links.place = .ready
    let state = operation.state
    lists.insert(Lent(operation))
    shape.listed(isUrgent: state.asksForService && noteUrgentAssumingLocked(state))
    readyHint.storeRelaxed(1)  // relaxed: a hint, asked again under the lock
  }

  /// Its priority may have changed: behind all others of the new one.
  final func reorder(_ operation: Operation) {
    lock.withLock {
      guard operation.links.place != .outside else { return }  // it gets its turn when it is linked
      if UInt64(operation.links.level) == operation.state[OperationState.priority] { return }
      let isListed = operation.links.place == .ready
      if isListed { lists.remove(Lent(operation)) }
      giveTurn(to: operation)
      if isListed { lists.insert(Lent(operation)) }
    }
  }

  /// The last of its priority.
  final func giveTurn(to operation: Operation) {
    turns += 1
    operation.links.turn = turns
    operation.links.level = UInt8(operation.state[OperationState.priority])
  }

  /// Everything before the first barrier has left: nothing else is in the lists, and the barrier is the first of all.
  final func listDueBarrier() {
    guard shape.barrierIsDue, let barrier = first else { return }
    barrier.use { if $0.links.place == .held { makeReady($0) } }
  }

  /// What was held behind the barrier that has just left, up to the next one.
  final func releaseHeld(from start: Lent<Operation>?) {
    var next = start
    while let here = next {
      next = here.use { operation in
        if operation.state.isBarrier { return nil }
        if operation.links.place == .held { makeReady(operation) }
        return operation.links.next
      }
    }
  }
}
