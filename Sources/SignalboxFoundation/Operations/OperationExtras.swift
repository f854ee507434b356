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
  // Who is to be told of its end, until it comes: mostly one, which needs no list.
  private var firstDependent: WeakOperation?
  private var moreDependents: [WeakOperation] = []
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
    let entry = WeakOperation(operation: operation, identity: ObjectIdentifier(operation))
    if firstDependent == nil {
      firstDependent = entry
      return []
    }
    var alive: [Operation] = []
    if moreDependents.count >= dependentsLimit {
      alive = moreDependents.compactMap(\.operation)
      moreDependents = alive.map { WeakOperation(operation: $0, identity: ObjectIdentifier($0)) }
      dependentsLimit = max(16, moreDependents.count * 2)
    }
    moreDependents.append(entry)
    return alive
  }

  /// Whether it was one.
  func removeDependent(_ operation: Operation) -> Bool {
    let identity = ObjectIdentifier(operation)
    // From behind: an entry of one that is gone may have the same identity, and is older.
    if let index = moreDependents.lastIndex(where: { $0.identity == identity }) {
      moreDependents.remove(at: index)
      return true
    }
    guard let first = firstDependent, first.identity == identity else { return false }
    firstDependent = nil
    return true
  }

  var dependents: (first: WeakOperation?, more: [WeakOperation]) { (firstDependent, moreDependents) }

  func takeDependents() -> (first: WeakOperation?, more: [WeakOperation]) {
    defer { (firstDependent, moreDependents) = (nil, []) }
    return dependents
  }
}
