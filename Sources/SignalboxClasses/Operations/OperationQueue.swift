// OperationQueue.swift: a queue of operations: what can be asked of it and set. How operations get their turn is
// OperationQueue+Adding.swift and its neighbours.
public import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// Runs operations that are ready: those of higher priority first, then in the order in which they were added, up to a maximum
/// number at the same time.
///
/// Operations that wait (for dependencies, for a place, for a barrier, or for the queue to be resumed) occupy no thread. A
/// queue keeps itself alive until its operations have finished, so it may be released at once.
///
/// Thread safety: every member may be used from any thread. Counts are those of the moment; inside an operation of the queue,
/// they include that operation.
///
/// ```swift
/// let queue = OperationQueue()
/// queue.maxConcurrentOperationCount = 2
/// func resizeAll() {
///   for number in 1...4 { queue.addOperation { print("image \(number)") } }
///   queue.addBarrierBlock { print("all four are done") }
///   queue.waitUntilAllOperationsAreFinished()
/// }
/// resizeAll()
/// ```
// SAFETY of @unchecked: all mutable state is atomic or guarded by `lock`; what else an object has of a subclass is the subclass's
// business.
open class OperationQueue: NSObject, ProgressReporting, @unchecked Sendable {
  final let lock = UnfairLock()
  /// What threads sleep on that wait for the queue to be empty.
  final let gate = Atomic32(0)
  /// Whether there are ready operations, for a runner that stays a moment: read without the lock.
  final let readyHint = Atomic32(0)
  /// Read without the lock, as hints.
  final let facts = AtomicState(QueueFacts(rawValue: 0))

  // Guarded by `lock`, up to `innards`.
  @exclusivity(unchecked) final var shape: OperationQueueState
  @exclusivity(unchecked) final var lists = ReadyLists()
  // All there are: the queue has a reference to each.
  @exclusivity(unchecked) final var first: Lent<Operation>?
  @exclusivity(unchecked) final var last: Lent<Operation>?
  @exclusivity(unchecked) final var turns: UInt64 = 0
  @exclusivity(unchecked) final var hasSleepers = false
  /// How many operations are in their place `pending`.
  @exclusivity(unchecked) final var pending = 0
  @exclusivity(unchecked) final var innards = Innards()

  struct Innards {
    /// Where runners are submitted: the queue that was given,
    var underlying: DispatchQueue?
    /// or else one of the operation queue's own, made at first need.
    var ownQueue: DispatchQueue?
    /// The same for classes of service that only operations have asked for, by rank.
    var otherClasses: [UInt8: DispatchQueue] = [:]
    /// The class of the runner to be submitted next, if that is not the queue's.
    var urgentRank: UInt8?
    /// Which underlying queue this is: runners that were submitted to an earlier one do nothing.
    var generation: UInt32 = 0
    var name: String?
    var service = QualityOfService.default
    var progress: Progress?
    var observations: [ObservationRecord] = []
    /// Operations that wait for nothing and are not ready, because their class says so.
    var reluctant: [Operation] = []
  }
  final let isMain: Bool
  /// Where runners run in place of the dispatch queue: those of a forwarding queue.
  final let carrier: Carrier?
  typealias Carrier = @Sendable (_ runner: @escaping @Sendable () -> Void) -> Void

  /// Creates a queue whose maximum number of concurrent operations depends on the machine.
  public override init() {
    _ = OperationFrame.endIsNoticed
    shape = OperationQueueState()
    isMain = false
    carrier = nil
    super.init()
  }

  /// Creates a queue whose operations are each run by a runner that is given to `carrier`.
  init(carriedBy carrier: @escaping Carrier) {
    _ = OperationFrame.endIsNoticed
    shape = OperationQueueState(isBatching: false)
    isMain = false
    self.carrier = carrier
    super.init()
  }

  private init(mainOn queue: DispatchQueue) {
    _ = OperationFrame.endIsNoticed
    shape = OperationQueueState(limit: 1, isBatching: false)
    isMain = true
    carrier = nil
    super.init()
    innards.underlying = queue
    innards.service = .userInteractive
    innards.name = "NSOperationQueue Main Queue"
  }

  deinit { Events.emit(.forgotten, UInt(bits)) }

  // MARK: the queues there are

  private static let mainQueue = OperationQueue(mainOn: .main)
  /// The queue that runs its operations on the main thread, one at a time, as items of the main dispatch queue.
  open class var main: OperationQueue { mainQueue }

  /// The queue of the operation that the calling thread is running. A `Thread` started inside an operation belongs to that
  /// queue, too, until the operation has finished. Outside of operations it is the main queue on the main thread, otherwise
  /// nil.
  ///
  /// In an item that an operation submits to a dispatch queue it is nil: only threads belong to the operation that started
  /// them.
  open class var current: OperationQueue? {
    if let queue = OperationFrame.innermost?.pointee.queue { return queue.kept }
    if let queue = OperationFrame.inheritedQueue { return queue }
    return MainThreadHost.isMainThread ? mainQueue : nil
  }

  /// The default of `maxConcurrentOperationCount`: as many as suit the machine.
  public static let defaultMaxConcurrentOperationCount = -1

  // MARK: traits

  /// The largest number of operations that are started and not finished at the same time. The default sets no limit of the
  /// queue's own.
  ///
  /// A change applies at once to operations that have not started; 0 starts none. The main queue's value is always 1.
  /// - Precondition: the value is not negative, or is the default; otherwise the program is stopped.
  open var maxConcurrentOperationCount: Int {
    get { lock.withLock { shape.limit == .max ? Self.defaultMaxConcurrentOperationCount : shape.limit } }
    set {
      if newValue < Self.defaultMaxConcurrentOperationCount {
        Misuse.stop("maxConcurrentOperationCount of \(title) is set to \(newValue): give 0 or more, or the default, -1")
      }
      if isMain { return }
      changing(.maxConcurrentOperationCount) { $0.shape.limit = newValue == -1 ? .max : newValue }
    }
  }

  /// Whether the queue has stopped starting operations; those that are executing continue.
  open var isSuspended: Bool {
    get { lock.withLock { shape.isSuspended } }
    set { changing(.isSuspended) { $0.shape.isSuspended = newValue } }
  }

  /// The name shown in reports; generated until one is set.
  open var name: String? {
    get { lock.withLock { innards.name } ?? "NSOperationQueue 0x\(hexAddress)" }
    set {
      changing(.name) {
        $0.innards.name = newValue ?? ""
        $0.forgetOwnDispatchQueue()
      }
    }
  }

  /// The quality of service of operations that request none or a less urgent one, if they are started from now on; `.default`
  /// sets none. Has no effect if there is an `underlyingQueue`.
  open var qualityOfService: QualityOfService {
    get { lock.withLock { innards.service } }
    set {
      changing(.qualityOfService) {
        $0.innards.service = newValue
        $0.forgetOwnDispatchQueue()
      }
    }
  }

  /// The dispatch queue that runs each operation as one item; nil means a queue of the operation queue's own.
  ///
  /// It is retained. For the main operation queue it is the main dispatch queue.
  /// - Precondition: set only while there are no operations, and not to the main queue; otherwise the program is stopped.
  unowned(unsafe) open var underlyingQueue: DispatchQueue? {
    get { lock.withLock { innards.underlying } }
    set { setUnderlyingQueue(newValue) }
  }

  private final func setUnderlyingQueue(_ queue: DispatchQueue?) {
    if carrier != nil {
      Misuse.stop("the underlyingQueue of \(title) is set: it forwards to a queue of Foundation's; make a queue of your own")
    }
    if isMain { Misuse.stop("the underlyingQueue of \(title) is set: it is always the main queue; make a queue of your own") }
    if let queue, queue === DispatchQueue.main {
      Misuse.stop("the underlyingQueue of \(title) is set to the main queue: use OperationQueue.main")
    }
    let before = underlyingQueue  // goes outside of the lock
    defer { _ = consume before }
    changing(.underlyingQueue) {
      if !$0.shape.isEmpty {
        Misuse.stop("the underlyingQueue of \($0.titleAssumingLocked) is set while it has operations: set it before adding any")
      }
      ($0.innards.underlying, $0.innards.ownQueue) = (queue, nil)
      $0.innards.generation &+= 1
      $0.shape = OperationQueueState(limit: $0.shape.limit, isSuspended: $0.shape.isSuspended, isBatching: queue == nil)
    }
  }

  private final func forgetOwnDispatchQueue() {
    (innards.ownQueue, innards.otherClasses) = (nil, [:])
  }

  /// Changes something while locked, calls observers, and starts what may start now.
  private final func changing(_ key: ObservedKey, _ change: (OperationQueue) -> Void) {
    passPoint(.operationQueueSet, self)
    telling([key]) {
      let asked = lock.withLock { () -> Int in
        change(self)
        return shape.runnersToAsk()
      }
      submitRunners(asked)
    }
  }

  // MARK: contents

  /// The operations that have not finished, in the order in which they were added.
  open var operations: [Operation] { snapshot(withBarriers: false) }

  /// The number of operations that have not finished.
  public final var operationCount: Int { lock.withLock { shape.count } }

  final func snapshot(withBarriers: Bool) -> [Operation] {
    lock.withLock {
      var all: [Operation] = []
      all.reserveCapacity(shape.count)
      var next = first
      while let here = next {
        next = here.use {
          if withBarriers || !$0.state.isBarrier { all.append($0) }
          return $0.links.next
        }
      }
      return all
    }
  }

  /// The number of finished operations, out of `totalUnitCount`; nothing is counted until that is set.
  ///
  /// An operation counts if it finishes by returning from `main()`. Operations that override `start()`, and cancelled ones that
  /// never ran, do not count.
  open var progress: Progress { progressMade }

  // MARK: adding

  /// Adds an operation, which starts when it is ready and the queue has a place for it.
  ///
  /// - Precondition: it was never in a queue, and is neither executing nor finished; otherwise the program is stopped.
  open func addOperation(_ op: Operation) {
    let isBehindBarrier = add(op)
    OperationCycle.check(queued: op, isBehindBarrier: isBehindBarrier)
  }

  /// Adds operations in this order; if `wait` is true, blocks until all of them have finished.
  /// - Complexity: O(n) for n operations, each of which is added as by `addOperation(_:)`.
  @available(*, noasync, message: "a task may not block its thread: add a barrier block, or an operation that depends on them")
  open func addOperations(_ ops: [Operation], waitUntilFinished wait: Bool) {
    let isBehindBarrier = add(all: ops) { OperationCycle.check(queuedAmongOthers: $0) }
    OperationCycle.check(addedTogether: ops, isBehindBarrier: isBehindBarrier)
    if wait { for operation in ops { operation.waitUntilFinished() } }
  }

  /// Adds `block` as an operation.
  open func addOperation(_ block: @escaping @Sendable () -> Void) {
    add(new: BlockOperation(state: BlockOperation.queuedState, block: block))
  }

  /// Adds `barrier`, which runs after everything added before it has finished, and before anything added after it starts.
  /// - Complexity: O(1), beside the submission of the block.
  open func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    var state = OperationState.initial
    state[OperationState.barrier] = 1
    state[OperationState.queued] = 1
    OperationCycle.noteBarrier()
    let stuck = add(barrier: BlockOperation(state: state, block: barrier))
    OperationCycle.check(barred: stuck)
  }

  /// Cancels all operations that have not finished.
  /// - Complexity: O(n) for n operations in the queue.
  open func cancelAllOperations() {
    passPoint(.operationsCancelled, self)
    for operation in snapshot(withBarriers: true) { operation.cancel() }
  }

  /// Blocks until the queue has no operations.
  ///
  /// - Precondition: not called inside one of its operations; such a call is reported.
  @available(*, noasync, message: "a task may not block its thread: add a barrier block instead")
  open func waitUntilAllOperationsAreFinished() { waitUntilEmpty() }

  // MARK: names

  /// Class, address, name and the current number of operations. Meant for people: the wording may change.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// queue.name = "resize"
  /// print(queue)  // <OperationQueue: 0x…>{name = "resize", 0 operations}
  /// ```
  open override var description: String { text }
}
