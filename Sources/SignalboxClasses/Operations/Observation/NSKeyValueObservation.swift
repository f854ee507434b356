// NSKeyValueObservation.swift: what an observer of a property asks for, gets and holds, under the names that Apple
// gives it; and which properties there are. How an observation begins is Operation+Observing.swift.
public import Foundation

/// Options of an observation.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt
  /// Creates the set from its bits.
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
public struct NSKeyValueObservedChange<Value> {
  /// The kinds of change.
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
