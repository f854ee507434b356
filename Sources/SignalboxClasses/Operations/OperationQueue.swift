// OperationQueue.swift: a queue of operations: what can be asked of it and set. How operations get their turn is
// OperationQueue+Adding.swift and its neighbours.
public import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

/// Starts operations that are ready, those of higher priority first, then in the order of adding, as many at a time as it may.
///
/// Operations that wait (for dependencies, for a place, for a barrier, for the queue to be resumed) take no thread. A queue that
/// has operations keeps itself until they are finished: it may be let go of at once.
///
/// Thread safety: every member may be used from any thread. The numbers it tells are those of the moment; asked from within an
/// operation of the queue they count that one.
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

  /// Creates a queue that starts as many operations at a time as the machine bears.
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

  // MARK: the queues there are

  private static let mainQueue = OperationQueue(mainOn: .main)
  /// The queue whose operations run on the main thread, one at a time, as items of the main dispatch queue.
  open class var main: OperationQueue { mainQueue }

  /// The queue that started the operation that the calling thread is inside of, or inside of which a `Thread` was started, until that
  /// operation is finished; outside of operations the main queue on the main thread, else nil.
  ///
  /// An item that an operation submits to a dispatch queue has none: only threads belong to the operation that started them.
  open class var current: OperationQueue? {
    if let queue = OperationFrame.innermost?.pointee.queue { return queue.kept }
    if let queue = OperationFrame.inheritedQueue { return queue }
    return MainThreadHost.isMainThread ? mainQueue : nil
  }

  /// For `maxConcurrentOperationCount`: as many as the machine bears.
  public static let defaultMaxConcurrentOperationCount = -1

  // MARK: traits

  /// How many operations the queue may have started that are not finished; at first the default: no limit of the queue's own.
  ///
  /// Changes count at once for operations that have not started; 0 starts none. The main queue's is always 1.
  /// - Precondition: not negative, or the default: the program is stopped otherwise.
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

  /// Whether the queue starts no more operations; those that run go on.
  open var isSuspended: Bool {
    get { lock.withLock { shape.isSuspended } }
    set { changing(.isSuspended) { $0.shape.isSuspended = newValue } }
  }

  /// What reports call it. One is made up until one is set.
  open var name: String? {
    get { lock.withLock { innards.name } ?? "NSOperationQueue 0x\(hexAddress)" }
    set {
      changing(.name) {
        $0.innards.name = newValue ?? ""
        $0.forgetOwnDispatchQueue()
      }
    }
  }

  /// The class of service of operations started from now on that ask for none, or for a less urgent one; `.default` is none. Of no
  /// effect if there is an `underlyingQueue`.
  open var qualityOfService: QualityOfService {
    get { lock.withLock { innards.service } }
    set {
      changing(.qualityOfService) {
        $0.innards.service = newValue
        $0.forgetOwnDispatchQueue()
      }
    }
  }

  /// The queue as whose items the operations run, one item each; nil: one of the operation queue's own.
  ///
  /// It is kept alive; the main operation queue's is the main queue.
  /// - Precondition: set while there are no operations, to another than the main queue: the program is stopped otherwise.
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

  /// Changes something while locked, tells observers, and starts what may start now.
  private final func changing(_ key: ObservedKey, _ change: (OperationQueue) -> Void) {
    telling([key]) {
      let asked = lock.withLock { () -> Int in
        change(self)
        return shape.runnersToAsk()
      }
      submitRunners(asked)
    }
  }

  // MARK: contents

  /// The operations that are not finished, in the order in which they were added.
  open var operations: [Operation] { snapshot(withBarriers: false) }

  /// How many operations are not finished.
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

  /// How many of the operations counted on have finished: nothing is counted until its `totalUnitCount` is set.
  ///
  /// Each operation that is finished by the end of its `main()` counts one; those that override `start()` do not, nor do
  /// cancelled ones that never ran.
  open var progress: Progress { progressMade }

  // MARK: adding

  /// Adds an operation; it is started once it is ready and there is a place.
  ///
  /// - Precondition: it was in no queue before, does not execute and is not finished: the program is stopped otherwise.
  open func addOperation(_ op: Operation) {
    let isBehindBarrier = add(op)
    OperationCycle.check(queued: op, isBehindBarrier: isBehindBarrier)
  }

  /// Adds operations in this order, and waits for the end of all of them if `wait`.
  @available(*, noasync, message: "a task may not block its thread: add a barrier block, or an operation that depends on them")
  open func addOperations(_ ops: [Operation], waitUntilFinished wait: Bool) {
    let isBehindBarrier = add(all: ops)
    for operation in ops { OperationCycle.check(queued: operation, isBehindBarrier: isBehindBarrier) }
    if wait { for operation in ops { operation.waitUntilFinished() } }
  }

  /// Adds `block` as an operation.
  open func addOperation(_ block: @escaping @Sendable () -> Void) {
    add(new: BlockOperation(state: BlockOperation.queuedState, block: block))
  }

  /// Adds `barrier`, which runs once everything added before it has finished, and before anything added after it starts.
  open func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    var state = OperationState.initial
    state[OperationState.barrier] = 1
    state[OperationState.queued] = 1
    OperationCycle.noteBarrier()
    let stuck = add(barrier: BlockOperation(state: state, block: barrier))
    OperationCycle.check(barred: stuck)
  }

  /// Cancels all operations that are not finished.
  open func cancelAllOperations() { for operation in snapshot(withBarriers: true) { operation.cancel() } }

  /// Blocks until the queue has no operations.
  ///
  /// - Precondition: not called from within one of them: that is reported.
  @available(*, noasync, message: "a task may not block its thread: add a barrier block instead")
  open func waitUntilAllOperationsAreFinished() { waitUntilEmpty() }

  // MARK: names

  /// Class, address, name, and how many operations there are at this moment. For people: the words may change.
  open override var description: String { text }
}
