// FoundationQueue.swift: a queue of operations of Foundation's type, whose operations run as operations of Signalbox's.
// The other way round is Forwarding.swift.
public import Foundation
import SignalboxLocks
import SignalboxSystem

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
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// queue.maxConcurrentOperationCount = 1
  /// let delegateQueue = queue.makeFoundationQueue()  // for URLSession(configuration:delegate:delegateQueue:)
  /// delegateQueue.addOperation { print("an operation of Signalbox's queue") }
  /// ```
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

// MARK: an operation that is one of Foundation's: ready when that is, started by starting it, finished with it

// SAFETY of @unchecked: `theirs` is constant, the rest atomic.
final class Ferry: Operation, @unchecked Sendable {
  private static let waiting: UInt32 = 0, executing: UInt32 = 1, finished: UInt32 = 2
  private static let longestPause = 50
  private let theirs: Foundation.Operation
  private let stage = Atomic32(Ferry.waiting)
  private let isClear = Atomic32(0)

  init(_ theirs: Foundation.Operation) {
    self.theirs = theirs
    super.init()
    name = theirs.name
    queuePriority = QueuePriority(rawValue: theirs.queuePriority.rawValue) ?? .normal
    qualityOfService = theirs.qualityOfService
    pollForReadiness(pause: 1)
  }

  // acquire F1: pairs with F2; a thread that sees it finished sees what Foundation's has done, one that sees it ready
  // sees what made it so.
  override var isExecuting: Bool { stage.loadAcquire() == Self.executing }
  override var isFinished: Bool { stage.loadAcquire() == Self.finished }  // acquire F1
  override var isReady: Bool { (isClear.loadAcquire() == 1 || isCancelled) && super.isReady }  // acquire F1
  override var isAsynchronous: Bool { true }

  override func start() {
    tell(["isExecuting"]) { stage.storeRelease(Self.executing) }  // release F2: see F1
    if isCancelled { theirs.cancel() }
    waitForLateDependencies()
    theirs.start()
    if theirs.isFinished { end() } else { Herald.afterTheirs([theirs]) { self.end() } }
  }

  override func cancel() {
    super.cancel()
    theirs.cancel()
  }

  /// Foundation does not report when its operation becomes ready: that is asked when all that it depends on is
  /// finished, and then, since a moment may pass in between and a subclass may have a condition of its own, again after
  /// pauses of `pause` milliseconds and more.
  private func pollForReadiness(pause: Int) {
    if theirs.isReady || isCancelled { return tell(["isReady"]) { isClear.storeRelease(1) } }  // release F2: see F1
    let pending = theirs.dependencies.filter { !$0.isFinished }
    if pending.isEmpty {
      DispatchQueue.global(qos: .default).asyncAfter(deadline: .now() + .milliseconds(pause)) {
        self.pollForReadiness(pause: min(2 * pause, Self.longestPause))
      }
    } else {
      Herald.afterTheirs(pending) { self.pollForReadiness(pause: 1) }
    }
  }

  /// Those that were added since it became ready, which no program should do: here they cost a waiting thread. Foundation stops the
  /// program when an operation is started that is not ready.
  private func waitForLateDependencies() {
    while !theirs.isCancelled, !theirs.isReady {
      if let pending = theirs.dependencies.first(where: { !$0.isFinished }) {
        pending.waitUntilFinished()
      } else {
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
  }

  private func end() {
    tell(["isExecuting", "isFinished"]) { stage.storeRelease(Self.finished) }  // release F2: see F1
  }

  private func tell(_ keys: [String], change: () -> Void) {
    for key in keys { willChangeValue(forKey: key) }
    change()
    for key in keys.reversed() { didChangeValue(forKey: key) }
  }
}
