// Operation.swift: a piece of work that can be queued, depended on, cancelled and observed: its words, its traits. How it runs is
// Operation+Run.swift.
public import Foundation
import SignalboxLocks
import SignalboxSystem

/// A piece of work with a state: pending, ready, executing, finished; cancelled in any of the first three.
///
/// Subclasses override either `main()`, and are finished when it returns; or `start()` with `isExecuting` and `isFinished`, which
/// they then change between `willChangeValue` and `didChangeValue`, on any thread. An operation runs once. Two references keep
/// one alive that is in a queue: the queue's, until it is finished, and whatever runs it.
///
/// Thread safety: every member may be used from any thread. Memory: what an operation did before it was finished is visible to
/// those that depended on it, to its completion block, and after `waitUntilFinished()`.
// SAFETY of @unchecked: the state is an atomic word, the extras are guarded by `lock`, the links by the queue's lock; what else an
// object has of a subclass is the subclass's business.
open class Operation: NSObject, @unchecked Sendable {
  final let word: AtomicState<OperationState>
  /// The thread that executes it, by ThreadSlot, or that finishes it; 0: none, or none that is known.
  final let runner = Atomic64(0)
  /// The queue it is in, +0; 0 before and after. Changes to 0 while `lock` is held: the queue is alive for whoever sees it there.
  final let queueBits = Atomic64(0)
  /// What threads sleep on that wait for it.
  final let gate = Atomic32(0)
  final let lock = UnfairLock()
  @exclusivity(unchecked) final var extras: OperationExtras?
  /// What it depends on, in the order in which that was added, finished ones too; and what is to be told of its end.
  @exclusivity(unchecked) final var needs = EdgeList(), needing = EdgeList()
  /// Guarded by the queue's lock.
  @exclusivity(unchecked) final var links = OperationLinks()

  /// Creates an operation that is ready.
  public override init() {
    word = AtomicState(.initial)
    super.init()
  }

  init(state: OperationState) {
    word = AtomicState(state)
    super.init()
  }

  deinit { if needs.first != nil { releaseNeeds() } }

  // O1 acquires, O2 (the swap of every step) releases and acquires: who finds a state sees what came before the step that made it.
  @inline(__always) final var state: OperationState { word.load() }  // acquire O1: pairs with the release in O2
  /// Applies a step that is always possible: O2.
  @inline(__always) final func update<A>(_ step: (OperationState) -> (OperationState, A)) -> A { word.update(step) }
  /// Applies a step that may refuse: O2; whether it did not.
  @inline(__always) final func moved(_ step: (OperationState) -> OperationState?) -> Bool { word.moved(step) }
  final func set(_ field: Field, _ value: UInt64) {
    _ = moved { state in
      var next = state
      next[field] = value
      return next
    }
  }

  final func withExtras<R>(_ body: (OperationExtras) -> R) -> R { lock.withLock { body(extrasMade) } }
  /// Assumes the lock. Once made they stay the same.
  final var extrasMade: OperationExtras {
    if let extras { return extras }
    let made = OperationExtras()
    extras = made
    return made
  }
  /// nil if there are none.
  final func ifExtras<R>(_ body: (OperationExtras) -> R?) -> R? { lock.withLock { extras.flatMap(body) } }

  // MARK: the work

  /// Runs the operation on the calling thread, unless it is cancelled or finished; either way it is finished afterwards.
  ///
  /// Subclasses that override it do not call it on `super`; they say when they execute and when they are finished.
  /// - Precondition: ready and not executing: the program is stopped otherwise.
  open func start() { startBase() }

  /// The work: nothing, until a subclass overrides it. `super` need not be called. Do not call it, call `start()`.
  open func main() {}

  /// Asks the operation to stop: it is up to `main()` to look at `isCancelled`. If it has not started it never will, waits for
  /// no dependency any more, and is finished as soon as its queue has a place for it or `start()` is called.
  ///
  /// No effect on a finished operation.
  open func cancel() { cancelBase() }

  // MARK: the state

  /// Whether `cancel()` was called before it was finished.
  open var isCancelled: Bool { state.isCancelled }
  /// Whether it runs.
  open var isExecuting: Bool { state.isExecuting }
  /// Whether it has run, or never will.
  open var isFinished: Bool { state.isFinished }
  /// Whether nothing it depends on is unfinished, or it is cancelled.
  open var isReady: Bool { state.isReady }
  /// Whether `start()` returns before it is finished: false. Queues do not ask.
  open var isAsynchronous: Bool { isConcurrent }
  /// The former name of `isAsynchronous`.
  open var isConcurrent: Bool { false }

  /// Class, address, name and state at this moment. Thread safety: any thread. For people: the words may change.
  open override var description: String { text }

  // MARK: traits

  /// Where a ready operation stands among the other ready ones of its queue.
  public enum QueuePriority: Int, Sendable {
    case veryLow = -8
    case low = -4
    case normal = 0
    case high = 4
    case veryHigh = 8

    /// As the operation's word has it, from 0 on.
    var level: UInt64 { UInt64(rawValue / 4 + 2) }
    init(level: UInt64) {
      self =
        switch level {
        case 0: .veryLow
        case 1: .low
        case 3: .high
        case 4: .veryHigh
        default: .normal
        }
    }
  }

  /// Its priority among the ready operations of its queue; may be changed while it waits, which puts it behind the others of the
  /// new one. Dependencies come first.
  open var queuePriority: QueuePriority {
    get { QueuePriority(level: state[OperationState.priority]) }
    set { telling(.queuePriority) { setPriority(newValue.level) } }
  }

  /// The class of service asked for it; `.default` is none. In a queue it runs in the more urgent of this and the queue's, as an
  /// item under that class's global queue; on an underlying queue as an item of that one, by hand on the caller's thread.
  ///
  /// Looked at when it is started.
  open var qualityOfService: QualityOfService {
    get { QualityOfService(code: state[OperationState.qos]) }
    set { telling(.qualityOfService) { set(OperationState.qos, newValue.code) } }
  }

  /// The priority of the thread while it runs `main()`, from 0 to 1, 0.5 being the usual: what the kernel grants of it. The thread
  /// has its own again afterwards; where the process may not give that back, it keeps it all the time.
  @available(*, deprecated, message: "use qualityOfService")
  open var threadPriority: Double {
    get { ifExtras { $0.threadPriority } ?? 0.5 }
    set {
      let priority = min(1, max(0, newValue))
      withExtras { $0.threadPriority = priority }
      set(OperationState.prioritized, priority == 0.5 ? 0 : 1)
    }
  }

  /// What reports call it; nil at first.
  open var name: String? {
    get { ifExtras { $0.name } }
    set { telling(.name) { withExtras { $0.name = newValue } } }
  }

  /// Runs once, on a thread of Signalbox's pool, after the operation was finished; nil from then on. May be replaced until then.
  ///
  /// One that is set after the operation was finished does not run.
  open var completionBlock: (@Sendable () -> Void)? {
    get { ifExtras { $0.completionBlock } }
    set { telling(.completionBlock) { setCompletionBlock(newValue) } }
  }

  // MARK: dependencies

  /// What must be finished before this one is ready, in the order in which it was added; finished ones stay in it.
  open var dependencies: [Operation] { needed() }

  /// Makes this operation wait for the end of `op`, whatever queue that is in; nothing if it does already.
  ///
  /// Without effect once it executes. Operations that wait for one another in a circle are reported as soon as all of them are
  /// in queues.
  open func addDependency(_ op: Operation) { if addBase(dependency: op) { OperationCycle.check(edgeFrom: self, to: op) } }

  /// Takes `addDependency` back.
  open func removeDependency(_ op: Operation) { removeBase(dependency: op) }

  /// Blocks until it is finished, has left its queue, and those that depend on it have been told; also if another thread waits.
  ///
  /// - Precondition: some other thread finishes it. A wait from within the operation, or one that it waits for, is reported.
  @available(*, noasync, message: "a task may not block its thread: use completionBlock, or a dependency")
  open func waitUntilFinished() { waitBase() }

  // MARK: telling of changes

  /// Announces a change of the property `key`. Names that are not the operation's are accepted and mean nothing.
  open func willChangeValue(forKey key: String) { if let key = ObservedKey(key) { willChange(key) } }
  /// Tells of a change announced by `willChangeValue(forKey:)`: the queue, dependents and observers look at the property.
  open func didChangeValue(forKey key: String) { if let key = ObservedKey(key) { didChange(key) } }
  /// Announces a change of a property.
  public func willChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    if let key = ObservedKey(keyPath) { willChange(key) }
  }
  /// Tells of a change announced by `willChangeValue(for:)`.
  public func didChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    if let key = ObservedKey(keyPath) { didChange(key) }
  }
}
