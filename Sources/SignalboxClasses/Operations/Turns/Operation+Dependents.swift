// Operation+Dependents.swift: how those that depend on an operation are told of its end: some at a time under its lock, then,
// without it, each queue of those that have become ready. Who depends on whom is Operation+Dependencies.swift.
import SignalboxSystem

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
        Self.follow(told[..<count])
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

  private static func follow(_ told: Slice<UnsafeMutableBufferPointer<Told>>) {
    withUnsafeTemporaryAllocation(of: Unmanaged<Operation>.self, capacity: max(1, told.count)) { room in
      var offer = Offer(room: room)
      for one in told {
        one.operation._withUnsafeGuaranteedRef { one.isCounted ? offer.append($0) : $0.dependencyMet() }
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
        if edge.pointee.hasStuckDependent { found.append(edge.pointee.dependent.takeUnretainedValue()) }
        return false
      }
      return found
    }
  }
  final var hasStuckDependent: Bool {
    lock.withLock { needing.first(.needing) { $0.pointee.hasStuckDependent } != nil }
  }
  final var hasStuckNeed: Bool {
    lock.withLock { needs.first(.needs) { $0.pointee.dependency._withUnsafeGuaranteedRef { $0.state.isStuck } } != nil }
  }

  /// Before the queue lets a cancelled one go: a dependency that has seen it waiting may be about to take a reference.
  final func passDependencies() {
    for dependency in needed(where: { !$0.state.isSettled }) { dependency.lock.withLock {} }
  }
}

extension OperationEdge {
  // acquire O1: as in Operation.
  fileprivate var hasStuckDependent: Bool { OperationState(rawValue: word.pointee.loadAcquire()).isStuck }

  /// Assumes the dependency's lock. Takes one from the dependent's counter; after that it is touched by reference only.
  fileprivate func countDown() -> Told? {
    var old = word.pointee.loadAcquire()  // acquire O1, release O2: as in Operation
    var isKept = false
    while true {
      let state = OperationState(rawValue: old)
      if state.isObserved { return isKept ? Told(operation: dependent, isCounted: false) : observedDependent() }
      if !isKept, state.isStuck, state[OperationState.unmet] == 1 {
        // SAFETY: a reference may be taken, README.md. Before the swap: afterwards it may run, and be gone.
        _ = dependent.retain()
        isKept = true
      }
      let swap = word.pointee.casAcqRel(old, state.afterDependencyMet().next.rawValue)
      if swap.exchanged { return isKept ? Told(operation: dependent, isCounted: true) : nil }
      old = swap.original
    }
  }

  /// nil if it is being freed.
  private func observedDependent() -> Told? {
    dependent._withUnsafeGuaranteedRef { $0.extras?.me?.operation }.map {
      Told(operation: .passRetained($0), isCounted: false)
    }
  }
}

/// Operations that have become ready, for one queue after the other.
private struct Offer {
  let room: UnsafeMutableBufferPointer<Unmanaged<Operation>>
  private var count = 0
  private var queue: OperationQueue?

  init(room: UnsafeMutableBufferPointer<Unmanaged<Operation>>) { self.room = room }

  mutating func append(_ operation: Operation) {
    guard operation.isToBeOffered() else { return }
    // relaxed: the queue of the others is alive, so no other has its address; anything else is asked for under the lock.
    if queue == nil || operation.queueBits.loadRelaxed() != queue!.bits {
      make()
      queue = operation.lock.withLock { operation.queueReference?.takeUnretainedValue() }
      if queue == nil { return }
    }
    room.initializeElement(at: count, to: .passUnretained(operation))
    count += 1
  }

  mutating func make() {
    if count > 0 { queue!.offer(UnsafeBufferPointer(rebasing: room[..<count])) }
    count = 0
  }
}
