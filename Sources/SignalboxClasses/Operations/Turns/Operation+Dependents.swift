// Operation+Dependents.swift: how those that depend on an operation are notified of its end: some at a time under its lock, then,
// without it, each queue of those that have become ready. Which operation depends on which is
// Operation+Dependencies.swift.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// A dependent, +1, that something is still to be done for without the lock.
private struct Told {
  let operation: Unmanaged<Operation>
  /// Whether it was counted down already; else it has observers, and they come first.
  let isCounted: Bool
}

extension Operation {
  /// It has finished. No recursion: a dependent that becomes ready is listed, not run.
  final func tellDependents() {
    withUnsafeTemporaryAllocation(of: Told.self, capacity: 64) { told in
      var count = told.count
      while count == told.count {
        count = lock.withLock { takeDependents(into: told) }
        follow(told[..<count])
      }
    }
  }

  /// Assumes the lock. As many as there is room for.
  private final func takeDependents(into told: UnsafeMutableBufferPointer<Told>) -> Int {
    var count = 0
    while count < told.count, let edge = needing.first {
      needing.remove(edge, .needing)
      edge.pointee.stage = .over
      guard let one = edge.pointee.countDown() else { continue }
      told.initializeElement(at: count, to: one)
      count += 1
    }
    return count
  }

  private final func follow(_ told: Slice<UnsafeMutableBufferPointer<Told>>) {
    withUnsafeTemporaryAllocation(of: Lent<Operation>.self, capacity: max(1, told.count)) { room in
      var offer = Offer(room: room)
      for one in told {
        Lent(one.operation).use { dependent in
          guard one.isCounted else { return dependent.dependencyMet(self) }
          if Events.areWanted(.operationReady) { OperationEvents.ready(dependent, after: self) }
          offer.append(dependent)
        }
      }
      offer.make()
    }
    for one in told { one.operation.release() }
  }

  /// Its dependents that are in queues and wait for their dependencies.
  final func stuckDependents() -> [Operation] {
    lock.withLock {
      var found: [Operation] = []
      _ = needing.first(.needing) { edge in
        // SAFETY: a reference may be taken, README.md.
        if edge.pointee.hasStuckDependent { found.append(edge.pointee.dependent.kept) }
        return false
      }
      return found
    }
  }
  final var hasStuckDependent: Bool {
    lock.withLock { needing.first(.needing) { $0.pointee.hasStuckDependent } != nil }
  }
  final var hasStuckNeed: Bool {
    lock.withLock { needs.first(.needs) { Lent($0.pointee.dependency).use { $0.state.isStuck } } != nil }
  }

  /// Before the queue lets a cancelled one go: a dependency that has seen it waiting may be about to take a reference.
  final func passDependencies() {
    for dependency in needed(where: { !$0.state.isSettled }) { dependency.lock.withLock {} }
  }
}

extension OperationEdge {
  // acquire O1: as in Operation.
  fileprivate var hasStuckDependent: Bool { word.pointee.load().isStuck }

  /// Assumes the dependency's lock. Takes one from the dependent's counter; after that it is touched by reference only.
  fileprivate func countDown() -> Told? {
    var isKept = false
    // O1, O2: as in Operation.
    let isCounted = word.pointee.moved { state in
      if state.isObserved { return nil }
      if !isKept, state.isStuck, state[OperationState.unmet] == 1 {
        word.pointee.word.passStep()
        // SAFETY: a reference may be taken, README.md. Before the swap: afterwards it may run, and be gone.
        _ = dependent.counted.retain()
        isKept = true
      }
      return state.afterDependencyMet().next
    }
    if isKept { return Told(operation: dependent.counted, isCounted: isCounted) }
    return isCounted ? nil : observedDependent()
  }

  /// nil if it is being freed.
  private func observedDependent() -> Told? {
    dependent.use { $0.extras?.me?.operation }.map {
      Told(operation: .passRetained($0), isCounted: false)
    }
  }
}

/// Operations that have become ready, for one queue after the other.
private struct Offer {
  let room: UnsafeMutableBufferPointer<Lent<Operation>>
  private var count = 0
  private var queue: OperationQueue?

  init(room: UnsafeMutableBufferPointer<Lent<Operation>>) { self.room = room }

  mutating func append(_ operation: Operation) {
    guard operation.isToBeOffered() else { return }
    // relaxed: the queue of the others is alive, so no other has its address; anything else is asked for under the lock.
    if queue == nil || operation.queueBits.loadRelaxed() != queue?.bits {
      make()
      queue = operation.lock.withLock { operation.queueReference?.kept }
      if queue == nil { return }
    }
    room.initializeElement(at: count, to: Lent(operation))
    count += 1
  }

  mutating func make() {
    if count > 0 { queue?.offer(UnsafeBufferPointer(rebasing: room[..<count])) }
    count = 0
  }
}
