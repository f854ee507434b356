// OperationQueue+Ready.swift: operations that were found to be ready, in the order of their turns, or that wait for
// nothing and yet are not. Which runner starts them is OperationQueue+Runners.swift; what may start now is
// OperationQueueState.swift.
import SignalboxSystem
import SignalboxWords

extension OperationQueue {
  /// Operations of this queue were found to be ready.
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

// MARK: reluctant operations

// They wait for nothing, but their class says that they are not ready. They are asked again when operations come and
// go, should the class not announce its change.

extension OperationQueue {
  /// How many are asked at a time.
  private static let share = 16

  /// `operation` was asked, and is not ready.
  @inline(never) final func noteReluctant(_ operation: Operation) {
    setFact(QueueFacts.reluctant)
    lock.withLock {
      guard operation.links.place == .pending, !operation.links.isReluctant else { return }
      operation.links.isReluctant = true
      innards.reluctant.append(operation)
    }
  }

  /// Asks some of those there are. Called with no lock held.
  // relaxed: one that is noted at this moment is asked the next time.
  @inline(__always) final func askReluctant() { if facts.hint()[QueueFacts.reluctant] == 1 { askSome() } }

  @inline(never) private final func askSome() {
    let some = lock.withLock { () -> ArraySlice<Operation> in
      let some = innards.reluctant.prefix(Self.share)
      innards.reluctant.removeFirst(some.count)
      for operation in some { operation.links.isReluctant = false }
      return some
    }
    for operation in some { operation.offerToQueue() }  // notes it again if it is not ready still
  }
}
