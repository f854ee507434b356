// OperationQueue+Reluctant.swift: operations that wait for nothing, but whose class says that they are not ready. They are asked
// again when operations come and go, should the class not announce its change.
import SignalboxWords

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
