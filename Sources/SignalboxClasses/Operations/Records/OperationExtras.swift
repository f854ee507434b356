// OperationExtras.swift: what only some operations have: a name, a completion block, observers, many dependencies. Made at first
// need, so that the others stay small. A few dependencies need none: OperationEdge.swift.

/// A reference that does not keep the operation.
struct WeakOperation { weak var operation: Operation? }

/// Touched only while the operation's lock is held, but for `me`; nothing of the program's may be freed then.
final class OperationExtras {
  @exclusivity(unchecked) var name: String?
  @exclusivity(unchecked) var completionBlock: (@Sendable () -> Void)?
  /// Finds a dependency, once there are many.
  @exclusivity(unchecked) var edgeTable: EdgeTable?
  @exclusivity(unchecked) var observations: [ObservationRecord] = []
  /// The operation itself. SAFETY: set before the state says that it is observed, and constant from then on: whoever has seen
  /// that reads it without the lock.
  @exclusivity(unchecked) var me: WeakOperation?
  @exclusivity(unchecked) var threadPriority = 0.5
}
