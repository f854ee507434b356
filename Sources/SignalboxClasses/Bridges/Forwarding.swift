// Forwarding.swift: queues of Signalbox's that run their work inside of items of the toolchain's Dispatch, or of
// operations of Foundation's. The other way round are ToolchainQueue.swift and FoundationQueue.swift.
public import Dispatch
public import Foundation
public import SignalboxDispatch
import SignalboxSystem

// MARK: dispatch queues

// Signalbox's queue belongs to no thread and no pool (RunLoopQueue). Each time it comes to hold something to be run,
// one item goes to the toolchain's queue. That item runs one of Signalbox's, and asks again if there are more. So
// neither side waits longer than it would among items of its own.
extension SignalboxDispatch.DispatchQueue {
  /// A serial queue that runs each of its items as one item of `queue`, a queue of the toolchain's Dispatch. It is for code
  /// that must take turns with a dependency that uses such a queue.
  ///
  /// Calling its `sync` from code that runs on `queue` would wait forever: call the code directly there. Suspending the new
  /// queue or setting its target has no effect: suspend `queue` instead. The new queue retains `queue`.
  ///
  /// ```swift file
  /// import Dispatch
  /// func store(inTurnWith theirs: Dispatch.DispatchQueue) {  // a queue of a dependency
  ///   let store = DispatchQueue.forwarding(to: theirs)
  ///   store.async { print("no item of the dependency runs meanwhile") }
  /// }
  /// ```
  ///
  /// - Parameter label: the new queue's label; nil means the label of `queue`.
  public static func forwarding(to queue: Dispatch.DispatchQueue, label: String? = nil) -> SignalboxDispatch.DispatchQueue {
    RunLoopQueue(label: label ?? queue.label, isBound: false) { ours in
      RetrySoon.until { OtherPool.use { queue.async { _ = ours.perform() } } }
    }
  }
}

// MARK: operation queues

// Signalbox's queue submits its runners, one for each operation that may start, not to a dispatch queue but to
// Foundation's queue: each becomes an operation there. So as many operations run at a time as both queues allow, and
// Signalbox's queue decides what comes first.
extension OperationQueue {
  /// A queue that runs each of its operations as part of one operation of `queue`, a queue of Foundation's. It is for code that
  /// must take turns with a dependency that uses such a queue. The operations of `queue` have normal priority.
  ///
  /// As many operations run at a time as both queues allow: one after another if `queue` is serial. Order, priorities, limit,
  /// suspension and dependencies of the new queue's operations are its own. Cancelling operations of `queue` does not cancel
  /// them: cancel the new queue's operations. While `queue` is suspended, the new queue waits. It retains `queue`.
  ///
  /// ```swift
  /// let theirs = Foundation.OperationQueue()  // of a dependency
  /// theirs.maxConcurrentOperationCount = 1
  /// let ours = OperationQueue.forwarding(to: theirs, name: "ours")
  /// ours.addOperation { print("no operation of the dependency runs meanwhile") }
  /// ```
  ///
  /// - Parameter name: the new queue's name; nil means the name of `queue`.
  /// - Precondition: the `underlyingQueue` of the new queue is not set; otherwise the program is stopped.
  public static func forwarding(to queue: Foundation.OperationQueue, name: String? = nil) -> OperationQueue {
    let ours = OperationQueue(carriedBy: { runner in
      RetrySoon.until { OtherPool.use { queue.addOperation(Turn(runner)) } }
    })
    ours.name = name ?? queue.name ?? "forwarding"
    return ours
  }
}

/// An operation of Foundation's that starts one of Signalbox's: also when it is cancelled, since what it is for was accepted.
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
