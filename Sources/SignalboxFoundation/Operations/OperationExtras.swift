// OperationExtras.swift: what only some operations have: a name, dependencies, dependents, a completion block, observers. Made at
// first need, so that the others stay small.

/// An operation that is told of another's end. Weak: it need not live for that.
struct WeakOperation {
  weak var operation: Operation?
  let identity: ObjectIdentifier
}

/// Touched only while the operation's lock is held; nothing of the program's may be freed then.
final class OperationExtras {
  var name: String?
  var completionBlock: (@Sendable () -> Void)?
  /// What it depends on, in the order in which they were added; finished ones stay.
  var dependencies: [Operation] = []
  /// The same for looking one up; used once there are many.
  var dependencySet: Set<ObjectIdentifier> = []
  /// Who is to be told of its end, until it comes.
  var dependents: [WeakOperation] = []
  private var dependentsLimit = 16
  var observations: [ObservationRecord] = []
  var threadPriority = 0.5

  private static let manyDependencies = 8

  func dependsOn(_ operation: Operation) -> Bool {
    dependencies.count < Self.manyDependencies
      ? dependencies.contains { $0 === operation } : dependencySet.contains(ObjectIdentifier(operation))
  }

  func appendDependency(_ operation: Operation) {
    dependencies.append(operation)
    if dependencies.count == Self.manyDependencies {
      dependencySet = Set(dependencies.map { ObjectIdentifier($0) })
    } else if dependencies.count > Self.manyDependencies {
      dependencySet.insert(ObjectIdentifier(operation))
    }
  }

  /// Whether it was one.
  func removeDependency(_ operation: Operation) -> Bool {
    guard let index = dependencies.lastIndex(where: { $0 === operation }) else { return false }
    dependencies.remove(at: index)
    dependencySet.remove(ObjectIdentifier(operation))
    if dependencies.count < Self.manyDependencies { dependencySet = [] }
    return true
  }

  /// Entries whose operation is gone are thrown out whenever the list has doubled. The operations found alive are returned: a
  /// reference must not be let go of while the lock is held, for it may be the last.
  func appendDependent(_ operation: Operation) -> [Operation] {
    var alive: [Operation] = []
    if dependents.count >= dependentsLimit {
      alive = dependents.compactMap(\.operation)
      dependents = alive.map { WeakOperation(operation: $0, identity: ObjectIdentifier($0)) }
      dependentsLimit = max(16, dependents.count * 2)
    }
    dependents.append(WeakOperation(operation: operation, identity: ObjectIdentifier(operation)))
    return alive
  }

  /// Whether it was one.
  func removeDependent(_ operation: Operation) -> Bool {
    guard let index = dependents.lastIndex(where: { $0.identity == ObjectIdentifier(operation) }) else { return false }
    dependents.remove(at: index)
    return true
  }
}
