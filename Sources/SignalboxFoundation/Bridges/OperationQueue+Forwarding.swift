// OperationQueue+Forwarding.swift: a queue of ours whose operations run inside of operations of a queue of Foundation's. The
// other way round is FoundationQueue.swift.
//
// Our queue's underlying queue belongs to no thread and no pool (RunLoopQueue). Each time it comes to hold something to be run,
// one operation goes to their queue, which runs one of ours and asks again if there are more.
public import Foundation
import SignalboxDispatch

extension OperationQueue {
  /// A queue whose operations run as part of operations of `queue`, one of theirs for each of ours, and one at a time: for code
  /// that has to take turns with a dependency that works on such a queue. Theirs have the ordinary priority.
  ///
  /// Order, priorities, suspension and dependencies among the new queue's operations are its own. What `queue` cancels is carried
  /// out all the same: cancel operations of the new queue. While `queue` is suspended it waits. It keeps `queue`; its
  /// `underlyingQueue` must not be changed.
  ///
  /// - Parameter name: the new queue's name; that of `queue` if nil.
  public static func forwarding(to queue: Foundation.OperationQueue, name: String? = nil) -> OperationQueue {
    let ours = OperationQueue()
    let name = name ?? queue.name ?? "forwarding"
    ours.name = name
    let root = RunLoopQueue(label: name, isBound: false) { root in queue.addOperation(Turn(of: root)) }
    ours.underlyingQueue = root  // which keeps it
    return ours
  }
}

/// An operation of theirs that performs one item of ours: also when it is cancelled, since the item was accepted.
// SAFETY of @unchecked: constant.
private final class Turn: Foundation.Operation, @unchecked Sendable {
  private let root: RunLoopQueue

  init(of root: RunLoopQueue) {
    self.root = root
    super.init()
  }

  override func start() {
    _ = root.perform()
    super.start()
  }
}
