// Operation+Dependencies.swift: who waits for whom: one counter in the one that waits, one list in the one that is waited for.
//
// An edge is registered while the lock of the operation waited for is held, and only if that is not finished; whoever takes it off
// the list (the end of that operation, or removeDependency) takes one from the counter. So each edge is counted down once.
import SignalboxSystem

extension Operation {
  final func addBase(dependency: Operation) {
    var isNew = false
    telling(.dependencies) {
      isNew = withExtras { extras in
        if extras.dependsOn(dependency) { return false }
        extras.appendDependency(dependency)
        return true
      }
    }
    guard isNew else { return }
    guard !dependency.state.isFinished else { return }
    let before = state
    let tells = before.isObserved && before.afterDependencyAdded().becameUnready
    if tells { announce(.isReady) }
    // Before it is registered: the end of the other can only count down what was counted up.
    _ = update { $0.afterDependencyAdded() }
    if state.isListed { withQueue { $0.setFact(OperationQueue.hasLateDependencies) } }
    if tells { tell(.isReady) }
    if !dependency.register(dependent: self) { dependencyMet() }
    OperationCycle.check(edgeFrom: self, to: dependency)
  }

  /// False if it has finished.
  private final func register(dependent: Operation) -> Bool {
    let found = withExtras { extras -> [Operation]? in
      guard moved({ $0.afterDependentRegistered() }) else { return nil }
      return extras.appendDependent(dependent)
    }
    return found != nil
  }

  final func removeBase(dependency: Operation) {
    var wasThere = false
    telling(.dependencies) { wasThere = ifExtras { $0.removeDependency(dependency) } ?? false }
    guard wasThere else { return }
    if dependency.ifExtras({ $0.removeDependent(self) }) == true { dependencyMet() }
  }

  /// One dependency has finished, or is none any more.
  final func dependencyMet() {
    let before = state
    let tells = before.isObserved && before.afterDependencyMet().becameReady
    if tells { announce(.isReady) }
    let becameReady = update { $0.afterDependencyMet() }
    if tells { tell(.isReady) }
    if becameReady { offerToQueue() }
  }

  /// It has finished. No recursion: a dependent that becomes ready is listed, not run.
  final func tellDependents() {
    guard let (first, more) = ifExtras({ $0.takeDependents() }) else { return }
    first?.operation?.dependencyMet()
    for dependent in more { dependent.operation?.dependencyMet() }
  }

  /// A chain of operations of which each keeps the one before it must not end in a recursion as deep as the chain is long.
  final func releaseDependencies() {
    guard var doomed = extras?.dependencies else { return }
    extras = nil
    while var operation = doomed.popLast() {
      // Nobody else has it: what it depends on goes into the same list, and the operation itself goes without.
      guard isKnownUniquelyReferenced(&operation) else { continue }
      let further = operation.ifExtras { extras in
        defer { extras.dependencies = [] }
        return extras.dependencies
      }
      doomed += further ?? []
    }
  }
}
