// FoundationQueue.swift: a queue of operations of Foundation's type, whose operations run as operations of ours. The other way
// round is OperationQueue+Forwarding.swift.
public import Foundation
import SignalboxLocks

extension OperationQueue {
  /// A queue of Foundation's type for API that requires one, such as `URLSession(configuration:delegate:delegateQueue:)`. What
  /// is added to it becomes operations of this queue, with their priority, quality of service and name. This queue decides
  /// their order, when they start and how many run at a time.
  ///
  /// Suspension, limit, name and quality of service belong to this queue; they can be read and set on either. Cancelling all
  /// operations, and waiting for all, affects only those added through the bridge. Foundation's `operations` and
  /// `operationCount` cannot be overridden: they stay empty, and Foundation's `OperationQueue.current` does not return the
  /// bridge. Use the properties of this queue instead.
  ///
  /// Changes of a subclass's own `isReady` cannot be observed: it is polled every 50 ms or more often. The bridge retains this
  /// queue. Thread safety: any thread.
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
