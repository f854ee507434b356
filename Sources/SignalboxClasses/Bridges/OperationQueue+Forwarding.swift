// OperationQueue+Forwarding.swift: a queue of ours whose operations run inside of operations of a queue of Foundation's. The
// other way round is FoundationQueue.swift.
//
// Our queue submits its runners, one for each operation that may start, not to a dispatch queue but to theirs: each becomes an
// operation of theirs. So as many of ours run at a time as both queues allow, and what comes first is decided by ours.
public import Foundation
import SignalboxDispatch
import SignalboxSystem

extension OperationQueue {
  /// A queue whose operations run as part of operations of `queue`, one of theirs for each of ours: for code that has to take turns
  /// with a dependency that works on such a queue. Theirs have the ordinary priority.
  ///
  /// As many run at a time as both queues allow: one after another if `queue` is serial. Order, priorities, limit, suspension and
  /// dependencies among the new queue's operations are its own. What `queue` cancels is carried out all the same: cancel operations
  /// of the new queue. While `queue` is suspended it waits. It keeps `queue`.
  ///
  /// - Parameter name: the new queue's name; that of `queue` if nil.
  /// - Precondition: its `underlyingQueue` is not set: the program is stopped otherwise.
  public static func forwarding(to queue: Foundation.OperationQueue, name: String? = nil) -> OperationQueue {
    let ours = OperationQueue(carriedBy: { runner in
      RetrySoon.until { OtherPool.use { queue.addOperation(Turn(runner)) } }
    })
    ours.name = name ?? queue.name ?? "forwarding"
    return ours
  }
}

/// An operation of theirs that starts one of ours: also when it is cancelled, since what it is for was accepted.
// SAFETY of @unchecked: constant.
private final class Turn: Foundation.Operation, @unchecked Sendable {
  private let runner: @Sendable () -> Void

  init(_ runner: @escaping @Sendable () -> Void) {
    self.runner = runner
    super.init()
  }

  override func start() {
    runner()
    super.start()
  }
}
