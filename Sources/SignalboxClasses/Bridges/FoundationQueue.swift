// FoundationQueue.swift: a queue of operations of Foundation's type, whose operations run as operations of ours. The other way
// round is OperationQueue+Forwarding.swift.
public import Foundation
import SignalboxLocks

extension OperationQueue {
  /// A queue of Foundation's type, for API that asks for one (`URLSession(configuration:delegate:delegateQueue:)`): what is
  /// added to it becomes operations of this queue, with their priority, class of service and name, in the order, number and
  /// time that this queue gives them.
  ///
  /// Suspension, limit, name and service are this queue's, to be asked and set on either. Cancelling all, and waiting for all,
  /// concerns what came through the bridge. Foundation's `operations` and `operationCount` cannot be overridden: they stay empty,
  /// and `OperationQueue.current` of Foundation's knows nothing of it; ask this queue, or its class, instead.
  ///
  /// A subclass's own `isReady` cannot be watched: it is asked every 50 ms at most. The bridge keeps this queue. Thread safety: any
  /// thread.
  public func makeFoundationQueue() -> Foundation.OperationQueue { FoundationQueue(over: self) }
}

// SAFETY of @unchecked: `ours` is constant, `crossing` guarded by `lock`; Foundation's own state is left alone.
private final class FoundationQueue: Foundation.OperationQueue, @unchecked Sendable {
  private let ours: OperationQueue
  private let under = DispatchGroup()
  private let lock = UnfairLock()
  private var crossing: [ObjectIdentifier: Operation] = [:]

  init(over queue: OperationQueue) {
    ours = queue
    super.init()
  }

  // MARK: adding

  override func addOperation(_ op: Foundation.Operation) { add(Ferry(op)) }
  override func addOperation(_ block: @escaping @Sendable () -> Void) { add(BlockOperation(block: block)) }
  override func addOperations(_ ops: [Foundation.Operation], waitUntilFinished wait: Bool) {
    let ferries = ops.map(Ferry.init)
    for ferry in ferries { add(ferry) }
    if wait { for ferry in ferries { ferry.waitUntilFinished() } }
  }
  override func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    let crossing = Crossing(under)
    ours.addBarrierBlock {
      barrier()
      withExtendedLifetime(crossing) {}
    }
  }

  /// A member of a group until it is gone: a barrier that is cancelled never runs, but its closure is destroyed.
  private final class Crossing: Sendable {
    private let group: DispatchGroup
    init(_ group: DispatchGroup) {
      self.group = group
      group.enter()
    }
    deinit { group.leave() }
  }

  /// The completion block comes once, whether the operation has run or not.
  private func add(_ operation: Operation) {
    let name = ObjectIdentifier(operation)
    under.enter()
    lock.withLock { crossing[name] = operation }
    operation.completionBlock = { [self] in
      lock.withLock { crossing[name] = nil }
      under.leave()
    }
    ours.addOperation(operation)
  }

  // MARK: all at once

  override func cancelAllOperations() { for operation in lock.withLock({ Array(crossing.values) }) { operation.cancel() } }
  override func waitUntilAllOperationsAreFinished() { under.wait() }

  // MARK: traits

  override var isSuspended: Bool {
    get { ours.isSuspended }
    set { ours.isSuspended = newValue }
  }
  override var maxConcurrentOperationCount: Int {
    get { ours.maxConcurrentOperationCount }
    set { ours.maxConcurrentOperationCount = newValue }
  }
  override var name: String? {
    get { ours.name }
    set { ours.name = newValue }
  }
  override var qualityOfService: QualityOfService {
    get { ours.qualityOfService }
    set { ours.qualityOfService = newValue }
  }
  override var progress: Progress { ours.progress }
}
