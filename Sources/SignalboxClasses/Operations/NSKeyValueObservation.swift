// NSKeyValueObservation.swift: observing properties of operations and queues, under the names that Apple gives it.
public import Foundation
import SignalboxLocks
import SignalboxSystem

/// What an observer wants to hear.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The options' bits.
  public let rawValue: UInt
  /// Creates options from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// The value after the change.
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  /// The value before the change.
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// A call for the value at the time when the observation begins, before `observe` returns.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
  /// A call before each change as well.
  public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// How a property has changed.
public enum NSKeyValueChange: UInt, Sendable {
  /// It was set: the only kind there is for operations and queues.
  case setting = 1
  case insertion = 2
  case removal = 3
  case replacement = 4
}

/// One change of an observed property.
public struct NSKeyValueObservedChange<Value> {
  /// The ways in which a property can change.
  public typealias Kind = NSKeyValueChange
  /// How the property has changed.
  public let kind: Kind
  /// The value after the change, if `.new` was asked for; nil in a call before the change.
  public let newValue: Value?
  /// The value before the change, if `.old` was asked for; nil in the first call of `.initial`.
  public let oldValue: Value?
  /// Always nil: no property is told of by elements.
  public let indexes: IndexSet?
  /// Whether the change is only about to happen.
  public let isPrior: Bool
}

/// The token of an observation, which ends with it.
///
/// Thread safety: any thread.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
  // SAFETY of @unchecked: a constant, which is safe itself.
  private let record: ObservationRecord
  init(_ record: ObservationRecord) { self.record = record }
  deinit { record.end() }

  /// Ends the observation: no call begins after this has returned. One that another thread is in may still be under way.
  public func invalidate() { record.end() }
}

/// One observer's typed half.
// SAFETY of @unchecked: as the base class; `olds` is guarded by `lock`, the closure is called by whichever thread changes.
final class TypedRecord<Object: AnyObject, Value>: ObservationRecord, @unchecked Sendable {
  private let options: NSKeyValueObservingOptions
  private let read: (Object) -> Value
  private let handler: (Object, NSKeyValueObservedChange<Value>) -> Void
  /// Whether two values differ; nil: told changes count whatever the value.
  private let differ: ((Value, Value) -> Bool)?
  private let lock = UnfairLock()
  /// Values before changes that are under way, with the threads that make them.
  private var olds: [(thread: UInt64, value: Value)] = []

  init(
    _ key: ObservedKey?, _ options: NSKeyValueObservingOptions, read: @escaping (Object) -> Value,
    differ: ((Value, Value) -> Bool)? = nil, _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
  ) {
    (self.options, self.read, self.handler, self.differ) = (options, read, handler, differ)
    super.init(key: key)
  }

  func begin(_ object: Object) { if options.contains(.initial) { call(object, new: read(object), old: nil) } }

  override func willChange(_ object: AnyObject) {
    let object = unsafeDowncast(object, to: Object.self)
    let value = read(object)
    let me = ThreadSlot.owner()
    lock.withLock { olds.append((me, value)) }
    if options.contains(.prior) { call(object, new: nil, old: value, isPrior: true) }
  }

  override func didChange(_ object: AnyObject) {
    let object = unsafeDowncast(object, to: Object.self)
    let me = ThreadSlot.owner()
    let new = read(object)
    // The latest announcement of this thread; a change told without one has no old value.
    let old = lock.withLock { () -> Value? in
      guard let index = olds.lastIndex(where: { $0.thread == me }) else { return nil }
      let old = olds.remove(at: index).value
      // Any change may be ours: what announcements around this one have seen is told with it.
      if differ != nil { for index in olds.indices where olds[index].thread == me { olds[index].value = new } }
      return old
    }
    if let differ, let old, !differ(old, new) { return }
    call(object, new: new, old: old)
  }

  private func call(_ object: Object, new: Value?, old: Value?, isPrior: Bool = false) {
    if isOver { return }
    handler(
      object,
      .init(
        kind: .setting, newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil,
        indexes: nil, isPrior: isPrior))
  }
}

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
    setFact(Self.observed)
    record.begin(self)
    return NSKeyValueObservation(record)
  }
}
