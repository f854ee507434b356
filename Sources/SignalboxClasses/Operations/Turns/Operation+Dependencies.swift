// Operation+Dependencies.swift: which operation waits for which: one counter in the one that waits, one list in the one
// that is waited for. How the end of an operation is announced is Operation+Dependents.swift.
//
// An edge is registered while the lock of the operation waited for is held, and only if that is not finished; the code
// that takes it off the list (the end of that operation, or removeDependency) takes one from the counter. So each edge
// is counted down once.
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

extension Operation {
  /// Whether that is news.
  final func addBase(dependency: Operation) -> Bool {
    passPoint(.dependencyChanged, self)
    var edge: Edge?
    telling(.dependencies) { edge = lock.withLock { appendNeed(dependency) } }
    guard let edge else { return false }
    let before = state
    let tells = before.isObserved && before.afterDependencyAdded().becameUnready
    if tells { announce(.isReady) }
    // Before it is registered: the end of the other can only count down what was counted up.
    _ = update { $0.afterDependencyAdded() }
    if state.isListed { withQueue { $0.setFact(QueueFacts.lateDependencies) } }
    if tells { tell(.isReady) }
    let stage = dependency.lock.withLock { dependency.register(edge) }
    if stage == .dropped { OperationEdge.free(edge).release() }
    if stage != .registered { dependencyMet(dependency) }
    return true
  }

  final func removeBase(dependency: Operation) {
    passPoint(.dependencyChanged, self)
    var edge: Edge?
    telling(.dependencies) { edge = lock.withLock { takeNeed(dependency) } }
    guard let edge else { return }
    let stage = dependency.lock.withLock { dependency.letGo(of: edge) }
    if stage != .fresh { OperationEdge.free(edge).release() }
    if stage == .registered { dependencyMet(nil) }
  }

  /// One dependency has finished, or (nil) is none any more.
  final func dependencyMet(_ dependency: Operation?) {
    let before = state
    let tells = before.isObserved && before.afterDependencyMet().becameReady
    if tells { announce(.isReady) }
    let becameReady = update { $0.afterDependencyMet() }
    if tells { tell(.isReady) }
    guard becameReady else { return }
    if Events.areWanted(.operationReady), state.isQueued { OperationEvents.ready(self, after: dependency) }
    offerToQueue()
  }

  // MARK: what it needs; assumes its lock

  private static let fewNeeds = 8

  /// nil if there is nothing to be waited for: it is there already, or has finished.
  private final func appendNeed(_ dependency: Operation) -> Edge? {
    var passed = 0
    if findNeed(dependency, &passed) != nil { return nil }
    let edge = OperationEdge.make(from: self, to: dependency)
    needs.append(edge, .needs)
    let isInTable: Void? = extras?.edgeTable?.insert(edge)
    if isInTable == nil, passed >= Self.fewNeeds { extrasMade.edgeTable = EdgeTable(needs) }
    guard dependency.state.isFinished else { return edge }
    edge.pointee.stage = .over
    return nil
  }

  private final func findNeed(_ dependency: Operation, _ passed: inout Int) -> Edge? {
    if extras?.edgeTable != nil { return extras?.edgeTable?.find(dependency) }  // in place: no copy of the table is kept
    return needs.first(.needs) { edge in
      passed += 1
      return edge.pointee.leads(to: dependency)
    }
  }

  private final func takeNeed(_ dependency: Operation) -> Edge? {
    var passed = 0
    guard let edge = findNeed(dependency, &passed) else { return nil }
    extras?.edgeTable?.remove(edge)
    needs.remove(edge, .needs)
    return edge
  }

  /// The operations it needs, those that `isWanted`.
  final func needed(where isWanted: (Operation) -> Bool = { _ in true }) -> [Operation] {
    lock.withLock {
      var found: [Operation] = []
      _ = needs.first(.needs) { edge in
        Lent(edge.pointee.dependency).use { if isWanted($0) { found.append($0) } }
        return false
      }
      return found
    }
  }

  final func hasNeed(_ dependency: Operation) -> Bool {
    var passed = 0
    return lock.withLock { findNeed(dependency, &passed) != nil }
  }

  // MARK: what needs it; assumes its lock

  /// Not registered if it has finished.
  private final func register(_ edge: Edge) -> OperationEdge.Stage {
    if edge.pointee.stage == .dropped { return .dropped }
    let state = state
    // With the bit set it is enough to check: the thread that finishes it takes this lock afterwards.
    let isOpen = state[OperationState.dependents] == 1 ? !state.isFinished : moved { $0.afterDependentRegistered() }
    edge.pointee.stage = isOpen ? .registered : .over
    if isOpen { needing.append(edge, .needing) }
    return edge.pointee.stage
  }

  /// Takes it off; what it was.
  private final func letGo(of edge: Edge) -> OperationEdge.Stage {
    let stage = edge.pointee.stage
    if stage == .registered { needing.remove(edge, .needing) }
    edge.pointee.stage = stage == .fresh ? .dropped : .over
    return stage
  }

  // MARK: its end

  /// A chain of operations of which each keeps the one before it must not end in a recursion as deep as the chain is long.
  final func releaseNeeds() {
    var doomed = EdgeList()
    takeAllNeeds(into: &doomed)
    while let edge = doomed.first {
      doomed.remove(edge, .needs)
      var operation = OperationEdge.free(edge).takeRetainedValue()
      // No other code has it: what it needs goes into the same list, and the operation itself goes without.
      if isKnownUniquelyReferenced(&operation) { operation.takeAllNeeds(into: &doomed) }
    }
  }

  /// No other code knows the operation. What it needs may know it by its edges.
  private final func takeAllNeeds(into doomed: inout EdgeList) {
    let mayBeRegistered = state[OperationState.unmet] != 0
    while let edge = needs.first {
      needs.remove(edge, .needs)
      if mayBeRegistered {
        Lent(edge.pointee.dependency).use { other in _ = other.lock.withLock { other.letGo(of: edge) } }
      }
      doomed.append(edge, .needs)
    }
    extras?.edgeTable = nil
  }
}
