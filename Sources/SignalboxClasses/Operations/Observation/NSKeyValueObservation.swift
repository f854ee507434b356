// NSKeyValueObservation.swift: what an observer of a property asks for, gets and holds, under the names that Apple
// gives it; and which properties there are. How an observation begins is Operation+Observing.swift.
public import Foundation

/// Options of an observation.
///
/// ```swift
/// let operation = Operation()
/// let observation = operation.observe(\.isCancelled, options: [.initial, .prior, .old, .new]) { _, change in
///   print(change.isPrior, change.oldValue ?? false, change.newValue ?? false)
/// }
/// operation.cancel()
/// observation.invalidate()
/// ```
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt
  /// Creates the set from its bits.
  ///
  /// ```swift
  /// let options = NSKeyValueObservingOptions(rawValue: 3)
  /// print(options == [.new, .old], options.rawValue)  // true 3
  /// ```
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// Provides the value after the change.
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  /// Provides the value before the change.
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// Calls the handler once with the current value, before `observe` returns.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
  /// Calls the handler before each change as well.
  public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of change of a property.
///
/// ```swift
/// let operation = Operation()
/// let observation = operation.observe(\.isCancelled) { _, change in
///   switch change.kind {
///   case .setting: print("set")
///   case .insertion, .removal, .replacement: print("not reported for operations and queues")
///   }
/// }
/// withExtendedLifetime(observation) { operation.cancel() }
/// ```
public enum NSKeyValueChange: UInt, Sendable {
  /// The property was set: the only kind for operations and queues.
  case setting = 1
  /// Objects were added to a collection. Not reported here.
  case insertion = 2
  /// Objects were removed from a collection. Not reported here.
  case removal = 3
  /// Objects of a collection were replaced. Not reported here.
  case replacement = 4
}

/// One change of an observed property.
///
/// ```swift
/// let queue = OperationQueue()
/// let observation = queue.observe(\.isSuspended, options: [.old, .new]) { _, change in
///   print(change.oldValue ?? true, "to", change.newValue ?? false)  // false to true
///   print(change.kind == .setting, change.isPrior, change.indexes == nil)  // true false true
/// }
/// queue.isSuspended = true
/// observation.invalidate()
/// ```
public struct NSKeyValueObservedChange<Value> {
  /// The kinds of change.
  ///
  /// ```swift
  /// let kind: NSKeyValueObservedChange<Bool>.Kind = .setting
  /// print(kind == NSKeyValueChange.setting)  // true
  /// ```
  public typealias Kind = NSKeyValueChange
  /// The kind of this change.
  public let kind: Kind
  /// The value after the change, if `.new` was requested; nil in a call before the change.
  public let newValue: Value?
  /// The value before the change, if `.old` was requested; nil in the first call of `.initial`.
  public let oldValue: Value?
  /// Always nil: changes are not reported per element.
  public let indexes: IndexSet?
  /// Whether this call comes before the change.
  public let isPrior: Bool
}

/// The token of an observation. The observation ends when the token is deallocated.
///
/// Thread safety: any thread.
///
/// ```swift
/// let operation = BlockOperation { print("runs") }
/// let observation = operation.observe(\.isFinished) { _, _ in print("finished") }
/// operation.start()
/// observation.invalidate()
/// ```
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
  // SAFETY of @unchecked: a constant, which is safe itself.
  private let record: ObservationRecord
  init(_ record: ObservationRecord) { self.record = record }
  deinit { record.end() }

  /// Ends the observation: no call begins after this has returned. A call in progress on another thread may continue.
  public func invalidate() { record.end() }
}

// MARK: the properties of operations and queues that can be observed, by name

/// A property that reports its changes.
enum ObservedKey: UInt8, Sendable {
  case isFinished, isExecuting, isReady, isCancelled, isAsynchronous, dependencies, queuePriority, qualityOfService, name
  case completionBlock
  case operations, operationCount, isSuspended, maxConcurrentOperationCount, underlyingQueue

  /// nil for names that no property has. Both the name of the getter and that of the property behind it count.
  init?(_ name: String) {
    switch name {
    case "isFinished", "finished": self = .isFinished
    case "isExecuting", "executing": self = .isExecuting
    case "isReady", "ready": self = .isReady
    case "isCancelled", "cancelled": self = .isCancelled
    case "isAsynchronous", "asynchronous", "isConcurrent", "concurrent": self = .isAsynchronous
    case "dependencies": self = .dependencies
    case "queuePriority": self = .queuePriority
    case "qualityOfService": self = .qualityOfService
    case "name": self = .name
    case "completionBlock": self = .completionBlock
    case "operations": self = .operations
    case "operationCount": self = .operationCount
    case "isSuspended", "suspended": self = .isSuspended
    case "maxConcurrentOperationCount": self = .maxConcurrentOperationCount
    case "underlyingQueue": self = .underlyingQueue
    default: return nil
    }
  }
}
