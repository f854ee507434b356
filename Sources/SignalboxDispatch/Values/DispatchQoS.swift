// DispatchQoS.swift: how urgent work is. What the pool makes of it is described in Workers/, in which order the classes
// stand ServiceClass.swift (SignalboxWords).

/// A service class as a number, the same numbers as on Apple's systems.
public typealias qos_class_t = UInt32

/// The urgency of a queue or work item: a class, and a relative priority within the class.
///
/// Thread safety: a value.
public struct DispatchQoS: Equatable, Sendable {
  /// The class.
  public let qosClass: QoSClass
  /// The priority within the class: 0 is the highest, -15 the lowest in use. Stored as given, not checked.
  public let relativePriority: Int

  /// For work that nobody waits for; it may take minutes or hours.
  @inlinable public static var background: DispatchQoS { DispatchQoS(qosClass: .background, relativePriority: 0) }
  /// For work whose progress the user may see but does not wait for.
  @inlinable public static var utility: DispatchQoS { DispatchQoS(qosClass: .utility, relativePriority: 0) }
  /// For work that is neither urgent nor deferrable; work without a class counts as this.
  @inlinable public static var `default`: DispatchQoS { DispatchQoS(qosClass: .default, relativePriority: 0) }
  /// For work that the user started and waits for.
  @inlinable public static var userInitiated: DispatchQoS { DispatchQoS(qosClass: .userInitiated, relativePriority: 0) }
  /// For work that the user interface depends on.
  @inlinable public static var userInteractive: DispatchQoS { DispatchQoS(qosClass: .userInteractive, relativePriority: 0) }
  /// No class of its own: it comes from the queue or thread that runs the work.
  @inlinable public static var unspecified: DispatchQoS { DispatchQoS(qosClass: .unspecified, relativePriority: 0) }

  /// Creates a quality of service from a class and a relative priority.
  @inlinable
  public init(qosClass: QoSClass, relativePriority: Int) {
    self.qosClass = qosClass
    self.relativePriority = relativePriority
  }

  /// A service class.
  public enum QoSClass: Sendable {
    /// For work that nobody waits for; it may take minutes or hours.
    case background
    /// For work whose progress the user may see but does not wait for.
    case utility
    /// For work that is neither urgent nor deferrable.
    case `default`
    /// For work that the user started and waits for.
    case userInitiated
    /// For work that the user interface depends on.
    case userInteractive
    /// No class of its own: it comes from the queue or thread that runs the work.
    case unspecified

    /// The class with this number, or nil if there is none.
    public init?(rawValue: qos_class_t) {
      switch rawValue {
      case 0x21: self = .userInteractive
      case 0x19: self = .userInitiated
      case 0x15: self = .default
      case 0x11: self = .utility
      case 0x09: self = .background
      case 0x00: self = .unspecified
      default: return nil
      }
    }

    /// The number of the class: more urgent classes have larger numbers, `unspecified` has 0.
    public var rawValue: qos_class_t {
      switch self {
      case .userInteractive: 0x21
      case .userInitiated: 0x19
      case .default: 0x15
      case .utility: 0x11
      case .background: 0x09
      case .unspecified: 0x00
      }
    }
  }
}

/// Whether class and relative priority are the same.
@inlinable
public func == (a: DispatchQoS, b: DispatchQoS) -> Bool {
  a.qosClass == b.qosClass && a.relativePriority == b.relativePriority
}
