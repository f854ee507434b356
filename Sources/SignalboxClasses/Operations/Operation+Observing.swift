// Operation+Observing.swift: `observe`, for operations and queues. What an observer is told is Observation/NSKeyValueObservation.swift.
public import Foundation
import SignalboxLocks
import SignalboxSystem

/// What can be observed: operations and operation queues.
public protocol SignalboxObservable: NSObject {}
extension Operation: SignalboxObservable {}
extension OperationQueue: SignalboxObservable {}

extension SignalboxObservable where Self: Operation {
  /// Calls `changeHandler` with each change of a property that `Operation` has, overridden or not, until the token ends.
  ///
  /// Calls come on the thread that makes the change, after it and before what follows from it (dependents, completion block);
  /// observers in the order in which they began; changes of one thread in their order, of several threads as they come. The
  /// handler may use the operation, but a wait for it from another thread ends only after it has returned.
  ///
  /// - Parameter keyPath: a property, as in `\.isFinished`. A subclass's own `isFinished` counts if the subclass tells of its
  ///   changes.
  /// - Returns: the token: the observation ends when it is freed or invalidated. It does not keep the operation alive.
  public func observe<Value>(
    _ keyPath: KeyPath<Operation, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    guard let key = ObservedKey(keyPath) else { return observe(changesOf: keyPath, options, changeHandler) }
    return observe(TypedRecord<Self, Value>(key, options, read: { $0[keyPath: keyPath] }, changeHandler))
  }

  /// Calls `changeHandler` with changes of a property that a subclass has: of the value found at any change that is told, if it
  /// is another than before.
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
  /// Calls `changeHandler` with each change of a property of the queue until the token ends; see `Operation.observe`.
  ///
  /// `operations` and `operationCount` are told of by the threads that add and finish operations; where several do at once, the
  /// value told is one of the moment.
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
