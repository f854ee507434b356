// OperationQueue+Snapshot.swift: a queue as one scan of the stall detector finds it. What is made of it is OperationSnapshot.swift.
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxSystem

/// What a queue holds, all of it read while its lock was held.
struct OperationQueueView {
  let queue: OperationQueue
  /// In the order of adding.
  var operations: [Operation] = []
  var places: [OperationLinks.Place] = []
  /// For each the barrier that comes before it: its index, or -1.
  var barriers: [Int] = []
  /// Where each operation is in the lists above.
  var index: [ObjectIdentifier: Int] = [:]
  var limit = 0
  var running = 0
  var isSuspended = false
  /// Where its operations run; nil: on threads of the pool.
  var underlying: DispatchQueue?

  /// Those that take a place.
  var started: [Operation] { operations.indices.filter { places[$0] == .started }.map { operations[$0] } }
  var isFull: Bool { running >= limit }
}

extension OperationQueue {
  /// The queue with at most `most` of its operations.
  final func view(atMost most: Int) -> OperationQueueView {
    lock.withLock {
      var view = OperationQueueView(queue: self)
      (view.limit, view.running, view.isSuspended) = (shape.limit, shape.running, shape.isSuspended)
      view.underlying = innards.underlying
      var next = first
      var barrier = -1
      while let here = next, view.operations.count < most {
        next = here.use { operation in
          view.index[ObjectIdentifier(operation)] = view.operations.count
          view.barriers.append(barrier)
          if operation.state.isBarrier { barrier = view.operations.count }
          view.operations.append(operation)
          view.places.append(operation.links.place)
          return operation.links.next
        }
      }
      return view
    }
  }
}
