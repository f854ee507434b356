// Operation.swift: a piece of work that can be queued, depended on, cancelled and observed: its words, its traits. How it runs is
// Operation+Run.swift.
public import Foundation
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// A unit of work with a state: pending, ready, executing or finished. It can be cancelled in the first three states.
///
/// A subclass overrides one of two things: `main()`, and the operation finishes when it returns; or `start()` together with
/// `isExecuting` and `isFinished`. These may then change on any thread, between calls of `willChangeValue` and
/// `didChangeValue`. An operation runs once. It is kept alive by its queue until it has finished, and by the thread that runs
/// it.
///
/// Thread safety: every member may be used from any thread. Memory: everything an operation did before it finished is visible
/// to its dependents, to its completion block, and after `waitUntilFinished()`.
///
/// ```swift file
/// final class Square: Operation, @unchecked Sendable {
///   let number: Int
///   init(_ number: Int) { self.number = number }
///   override func main() { if !isCancelled { print(number * number) } }
/// }
/// func addSquares(of numbers: [Int], to queue: OperationQueue) {
///   for number in numbers { queue.addOperation(Square(number)) }
/// }
/// ```
// SAFETY of @unchecked: the state is an atomic word, the extras are guarded by `lock`, the links by the queue's lock; what else an
// object has of a subclass is the subclass's business.
open class Operation: NSObject, @unchecked Sendable {
  final let word: AtomicState<OperationState>
  /// The thread that executes it, by ThreadSlot, or that finishes it; 0: none, or none that is known.
  final let runner = Atomic64(0)
  /// The queue it is in, +0; 0 before and after. Changes to 0 while `lock` is held: the queue is alive for a thread
  /// that sees it there.
  final let queueBits = Atomic64(0)
  /// What threads sleep on that wait for it.
  final let gate = Atomic32(0)
  final let lock = UnfairLock()
  @exclusivity(unchecked) final var extras: OperationExtras?
  /// What it depends on, in the order in which that was added, finished ones too; and what is to be notified of its end.
  @exclusivity(unchecked) final var needs = EdgeList(), needing = EdgeList()
  /// Guarded by the queue's lock.
  @exclusivity(unchecked) final var links = OperationLinks()

  /// Creates an operation that is ready.
  public override init() {
    word = AtomicState(.initial)
    super.init()
    Events.emit(.untoldUsed, 0)
  }

  init(state: OperationState) {
    word = AtomicState(state)
    super.init()
    Events.emit(.untoldUsed, 0)
  }

  deinit {
    Events.emit(.forgotten, UInt(Lent(self).address))
    if needs.first != nil { releaseNeeds() }
  }

  // O1 acquires, O2 (the swap of every step) releases and acquires: a thread that finds a state sees what came before
  // the step that made it.
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

  /// Runs the operation on the calling thread, unless it is cancelled or finished. In every case it is finished afterwards.
  ///
  /// A subclass that overrides this method must not call `super`; it reports itself when it is executing and when it has
  /// finished.
  /// - Precondition: the operation is ready and not executing; otherwise the program is stopped.
  open func start() { startBase() }

  /// Does the work; empty in this class. Overrides need not call `super`. Call `start()` instead of this method.
  open func main() {}

  /// Asks the operation to stop: `main()` should check `isCancelled`. An operation that has not started will never call
  /// `main()`. It no longer waits for its dependencies, and finishes when its queue starts it or `start()` is called.
  ///
  /// Has no effect on a finished operation.
  open func cancel() { cancelBase() }

  // MARK: the state

  /// Whether `cancel()` was called before the operation finished.
  open var isCancelled: Bool { state.isCancelled }
  /// Whether the operation is executing.
  open var isExecuting: Bool { state.isExecuting }
  /// Whether the operation has run, or will never run.
  open var isFinished: Bool { state.isFinished }
  /// Whether all dependencies have finished, or the operation is cancelled.
  open var isReady: Bool { state.isReady }
  /// Whether `start()` may return before the operation has finished; false by default. Queues ignore it.
  open var isAsynchronous: Bool { isConcurrent }
  /// The old name of `isAsynchronous`.
  open var isConcurrent: Bool { false }

  /// Class, address, name and current state. Thread safety: any thread. Meant for people: the wording may change.
  ///
  /// ```swift
  /// let upload = BlockOperation { print("uploaded") }
  /// upload.name = "upload"
  /// print(upload)  // <BlockOperation: 0x…>{name = "upload", ready}
  /// ```
  open override var description: String { text }

  // MARK: traits

  /// The priority of a ready operation among the ready operations of its queue.
  ///
  /// ```swift
  /// let queue = OperationQueue(), urgent = BlockOperation { print("first") }
  /// queue.maxConcurrentOperationCount = 1
  /// queue.isSuspended = true
  /// urgent.queuePriority = .veryHigh
  /// queue.addOperation { print("second") }
  /// queue.addOperation(urgent)
  /// queue.isSuspended = false
  /// ```
  public enum QueuePriority: Int, Sendable {
    /// After all others.
    case veryLow = -8
    /// After those of normal priority.
    case low = -4
    /// The default.
    case normal = 0
    /// Before those of normal priority.
    case high = 4
    /// Before all others.
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

  /// The priority among the ready operations of the queue. Changing it moves a waiting operation behind the others of the new
  /// priority. Dependencies take precedence over priority.
  open var queuePriority: QueuePriority {
    get { QueuePriority(level: state[OperationState.priority]) }
    set { telling(.queuePriority) { setPriority(newValue.level) } }
  }

  /// The requested quality of service; `.default` requests none. In a queue, the more urgent of this one and the queue's
  /// applies. The operation then runs as an item of the global queue for that class, or of the underlying queue; started by
  /// hand, it runs on the caller's thread.
  ///
  /// Read when the operation starts.
  open var qualityOfService: QualityOfService {
    get { QualityOfService(code: state[OperationState.qos]) }
    set { telling(.qualityOfService) { set(OperationState.qos, newValue.code) } }
  }

  /// The priority of the thread during `main()`, from 0 to 1; 0.5 is normal. The kernel may not grant all of it. Afterwards the
  /// thread's own priority is restored; if the process is not allowed to restore it, a lower priority has no effect.
  @available(*, deprecated, message: "use qualityOfService")
  open var threadPriority: Double {
    get { ifExtras { $0.threadPriority } ?? 0.5 }
    set {
      let priority = min(1, max(0, newValue))
      withExtras { $0.threadPriority = priority }
      set(OperationState.prioritized, priority == 0.5 ? 0 : 1)
    }
  }

  /// The name shown in reports; nil at first.
  open var name: String? {
    get { ifExtras { $0.name } }
    set { telling(.name) { withExtras { $0.name = newValue } } }
  }

  /// Runs once after the operation has finished, on a thread of Signalbox's pool, and is then set to nil. Until then it may be
  /// replaced.
  ///
  /// A block set after the operation has finished does not run.
  open var completionBlock: (@Sendable () -> Void)? {
    get { ifExtras { $0.completionBlock } }
    set { telling(.completionBlock) { setCompletionBlock(newValue) } }
  }

  // MARK: dependencies

  /// The operations that must finish before this one is ready, in the order in which they were added, including finished ones.
  open var dependencies: [Operation] { needed() }

  /// Makes this operation wait until `op` has finished, in whatever queue that is. Adding a dependency twice has no effect.
  ///
  /// Has no effect once this operation is executing. A dependency cycle is reported as soon as all its operations are in
  /// queues.
  open func addDependency(_ op: Operation) { if addBase(dependency: op) { OperationCycle.check(edgeFrom: self, to: op) } }

  /// Removes the dependency on `op`.
  open func removeDependency(_ op: Operation) { removeBase(dependency: op) }

  /// Blocks until the operation has finished, has left its queue, and its dependents have been notified. Several threads may
  /// wait.
  ///
  /// - Precondition: another thread finishes the operation. A wait inside the operation, or inside one that it waits for, is
  ///   reported.
  @available(*, noasync, message: "a task may not block its thread: use completionBlock, or a dependency")
  open func waitUntilFinished() { waitBase() }

  // MARK: announcing changes

  /// Announces a change of the property `key`. Other names than those of `Operation` are accepted and ignored.
  open func willChangeValue(forKey key: String) { if let key = ObservedKey(key) { willChange(key) } }
  /// Completes a change announced by `willChangeValue(forKey:)`: the queue, dependents and observers read the property.
  open func didChangeValue(forKey key: String) { if let key = ObservedKey(key) { didChange(key) } }
  /// Announces a change of a property.
  public func willChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    if let key = ObservedKey(keyPath) { willChange(key) }
  }
  /// Completes a change announced by `willChangeValue(for:)`.
  public func didChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    if let key = ObservedKey(keyPath) { didChange(key) }
  }
}
