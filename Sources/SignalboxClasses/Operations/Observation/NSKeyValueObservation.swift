// NSKeyValueObservation.swift: what an observer of a property asks for, is told, and holds, under the names that Apple gives it. How
// an observation begins is Operation+Observing.swift.
public import Foundation

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
