// OperationFields.swift: what lies in an operation besides its words: what its queue keeps there, and what only some
// operations have. Its dependencies are OperationEdge.swift.
import SignalboxSystem

// MARK: where it is in its queue, and its neighbours in the queue's lists

/// What a queue keeps in an operation: guarded by the queue's lock.
struct OperationLinks {
  /// Where the operation is, for its queue.
  enum Place: UInt8 {
    /// Not linked yet.
    case outside
    /// Among all, not listed.
    case pending
    /// Listed, but behind a barrier.
    case held
    /// Among the ready.
    case ready
    /// Takes a place of the queue: started by it.
    case started
    /// Finished and gone.
    case left
  }
  var place = Place.outside
  /// Whether the queue has it among those that are to be asked again.
  var isReluctant = false
  /// The priority by which it is listed.
  var level: UInt8 = 0
  /// Whether it is in the heap of those that have become ready out of turn.
  var isInHeap = false
  /// How many barriers were added before it.
  var epoch: UInt32 = 0
  /// Which comes first of those of one priority: the one that was added, or got that priority, first.
  var turn: UInt64 = 0
  // An operation that is linked is kept by its queue.
  var next: Lent<Operation>?
  var previous: Lent<Operation>?
  var nextReady: Lent<Operation>?
  var previousReady: Lent<Operation>?
  var child: Lent<Operation>?
}

// MARK: a name, a completion block, observers, many dependencies

// Made at first need, so that the others stay small. A few dependencies need none.
/// A reference that does not keep the operation.
struct WeakOperation { weak var operation: Operation? }

/// Touched only while the operation's lock is held, but for `me`; nothing of the program's may be freed then.
final class OperationExtras {
  @exclusivity(unchecked) var name: String?
  @exclusivity(unchecked) var completionBlock: (@Sendable () -> Void)?
  /// Finds a dependency, once there are many.
  @exclusivity(unchecked) var edgeTable: EdgeTable?
  @exclusivity(unchecked) var observations: [ObservationRecord] = []
  /// The operation itself. SAFETY: set before the state says that it is observed, and constant from then on: a thread
  /// that has seen that reads it without the lock.
  @exclusivity(unchecked) var me: WeakOperation?
  @exclusivity(unchecked) var threadPriority = 0.5
}
