// Operation+Observing.swift: `observe`, for operations and queues, and what can be observed by key path. What an
// observer gets, and what can be observed by name, is Observation/NSKeyValueObservation.swift.
public import Foundation
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

/// The types that can be observed: operations and operation queues.
///
/// ```swift
/// let operation = BlockOperation { print("runs") }
/// let observation = operation.observe(\.isExecuting) { operation, _ in print(operation.isExecuting) }  // true, false
/// operation.start()
/// observation.invalidate()
/// ```
///
/// - Note: Thread safety: observing may begin and end on any thread; a change is reported on the thread that makes it.
public protocol SignalboxObservable: NSObject {}
extension Operation: SignalboxObservable {}
extension OperationQueue: SignalboxObservable {}

extension SignalboxObservable where Self: Operation {
  /// Calls `changeHandler` for each change of a property of `Operation`, overridden or not, until the token is invalidated or
  /// deallocated.
  ///
  /// The handler is called on the thread that makes the change, after the change and before its consequences (dependents,
  /// completion block). Observers are called in the order in which they were added. Changes made by one thread are reported in
  /// order; those of several threads as they happen. The handler may use the operation, but a wait for the operation in another
  /// thread ends only after the handler has returned.
  ///
  /// ```swift
  /// let upload = BlockOperation { print("uploaded") }
  /// let observation = upload.observe(\.isFinished, options: .new) { _, change in print(change.newValue ?? false) }
  /// upload.start()  // prints true after the block
  /// observation.invalidate()
  /// ```
  ///
  /// - Parameter keyPath: a property, such as `\.isFinished`. A subclass's own `isFinished` is used if the subclass calls
  ///   `willChangeValue` and `didChangeValue`.
  /// - Returns: the token. It does not retain the operation.
  public func observe<Value>(
    _ keyPath: KeyPath<Operation, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    guard let key = ObservedKey(keyPath) else { return observe(changesOf: keyPath, options, changeHandler) }
    return observe(TypedRecord<Self, Value>(key, options, read: { $0[keyPath: keyPath] }, changeHandler))
  }

  /// Calls `changeHandler` for changes of a property that a subclass declares. The value is read whenever any change is
  /// announced, and the handler is called if the value differs from the previous one.
  ///
  /// ```swift file
  /// final class Download: Operation, @unchecked Sendable {
  ///   private(set) var received = 0
  ///   override func main() { received = 512 }  // read when the operation announces its end
  /// }
  /// func follow(_ download: Download) -> NSKeyValueObservation {
  ///   download.observe(\.received) { download, _ in print(download.received, "bytes") }
  /// }
  /// ```
  @_disfavoredOverload
  public func observe<Value: Equatable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    observe(TypedRecord<Self, Value>(nil, options, read: { $0[keyPath: keyPath] }, differ: { $0 != $1 }, changeHandler))
  }

  private func observe<Value>(
    changesOf keyPath: KeyPath<Operation, Value>, _ options: NSKeyValueObservingOptions,
    _ handler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    observe(TypedRecord<Self, Value>(nil, options, read: { $0[keyPath: keyPath] }, handler))
  }

  private func observe<Value>(_ record: TypedRecord<Self, Value>) -> NSKeyValueObservation {
    // What is over goes outside of the lock: its closure may hold anything.
    let before = withExtras { extras in
      if extras.me == nil { extras.me = WeakOperation(operation: self) }
      defer { extras.observations = extras.observations.filter { !$0.isOver } + [record] }
      return extras.observations
    }
    _ = consume before
    set(OperationState.observed, 1)
    record.begin(self)
    return NSKeyValueObservation(record)
  }
}

extension SignalboxObservable where Self: OperationQueue {
  /// Calls `changeHandler` for each change of a property of the queue, until the token is invalidated or deallocated; see
  /// `Operation.observe`.
  ///
  /// Changes of `operations` and `operationCount` are reported on the threads that add and finish operations. If several do so
  /// at the same time, the value is one that was current at some moment in between.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// let observation = queue.observe(\.isSuspended, options: .new) { _, change in print(change.newValue ?? false) }
  /// queue.isSuspended = true  // prints true
  /// observation.invalidate()
  /// ```
  public func observe<Value>(
    _ keyPath: KeyPath<OperationQueue, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let record = TypedRecord<Self, Value>(ObservedKey(keyPath), options, read: { $0[keyPath: keyPath] }, changeHandler)
    let before = lock.withLock {
      defer { innards.observations = innards.observations.filter { !$0.isOver } + [record] }
      return innards.observations
    }
    _ = consume before  // outside of the lock: closures may hold anything
    setFact(QueueFacts.observed)
    record.begin(self)
    return NSKeyValueObservation(record)
  }
}

// MARK: observed properties by their key paths

extension ObservedKey {
  /// nil for key paths to anything else. A property that a subclass overrides has another key path in the subclass: those that
  /// callers write where a path from the base class is asked for are the base's.
  init?<Value>(_ keyPath: KeyPath<Operation, Value>) {
    switch keyPath {
    case \Operation.isFinished: self = .isFinished
    case \Operation.isExecuting: self = .isExecuting
    case \Operation.isReady: self = .isReady
    case \Operation.isCancelled: self = .isCancelled
    case \Operation.isAsynchronous, \Operation.isConcurrent: self = .isAsynchronous
    case \Operation.dependencies: self = .dependencies
    case \Operation.queuePriority: self = .queuePriority
    case \Operation.qualityOfService: self = .qualityOfService
    case \Operation.name: self = .name
    case \Operation.completionBlock: self = .completionBlock
    default: return nil
    }
  }

  init?<Value>(_ keyPath: KeyPath<OperationQueue, Value>) {
    switch keyPath {
    case \OperationQueue.operations: self = .operations
    case \OperationQueue.operationCount: self = .operationCount
    case \OperationQueue.isSuspended: self = .isSuspended
    case \OperationQueue.maxConcurrentOperationCount: self = .maxConcurrentOperationCount
    case \OperationQueue.qualityOfService: self = .qualityOfService
    case \OperationQueue.name: self = .name
    case \OperationQueue.underlyingQueue: self = .underlyingQueue
    default: return nil
    }
  }
}
