// OperationLinks.swift: what a queue keeps in an operation: where it is, and its neighbours in the queue's lists.
import SignalboxSystem

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
