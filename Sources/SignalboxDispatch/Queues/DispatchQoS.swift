// DispatchQoS.swift: how urgent work is. What the pool makes of it is told in Workers/.

/// A service class as a number, the same numbers as on Apple's systems.
public typealias qos_class_t = UInt32

/// How urgent a queue or a work item is: a class, and a rank inside that class.
///
/// Thread safety: a value.
public struct DispatchQoS: Equatable, Sendable {
  /// The class.
  public let qosClass: QoSClass
  /// The rank inside the class: 0 is the highest, meaningful values reach down to -15. Kept as given, never checked.
  public let relativePriority: Int

  /// Nobody waits for it, it may take minutes or hours.
  @inlinable public static var background: DispatchQoS { DispatchQoS(qosClass: .background, relativePriority: 0) }
  /// The user knows it runs and does not wait for it.
  @inlinable public static var utility: DispatchQoS { DispatchQoS(qosClass: .utility, relativePriority: 0) }
  /// Neither urgent nor deferrable: what work without a class counts as.
  @inlinable public static var `default`: DispatchQoS { DispatchQoS(qosClass: .default, relativePriority: 0) }
  /// The user asked for it and waits.
  @inlinable public static var userInitiated: DispatchQoS { DispatchQoS(qosClass: .userInitiated, relativePriority: 0) }
  /// The user interface depends on it.
  @inlinable public static var userInteractive: DispatchQoS { DispatchQoS(qosClass: .userInteractive, relativePriority: 0) }
  /// No class of its own: taken from where it runs.
  @inlinable public static var unspecified: DispatchQoS { DispatchQoS(qosClass: .unspecified, relativePriority: 0) }

  /// A class with a rank inside it.
  @inlinable
  public init(qosClass: QoSClass, relativePriority: Int) {
    self.qosClass = qosClass
    self.relativePriority = relativePriority
  }

  /// A service class.
  public enum QoSClass: Sendable {
    /// Nobody waits for it, it may take minutes or hours.
    case background
    /// The user knows it runs and does not wait for it.
    case utility
    /// Neither urgent nor deferrable.
    case `default`
    /// The user asked for it and waits.
    case userInitiated
    /// The user interface depends on it.
    case userInteractive
    /// No class of its own: taken from where it runs.
    case unspecified

    /// The class with that number, nil if there is none.
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

    /// The number of the class; a more urgent class has a larger one, `unspecified` has 0.
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

/// Whether class and rank are the same.
@inlinable
public func == (a: DispatchQoS, b: DispatchQoS) -> Bool {
  a.qosClass == b.qosClass && a.relativePriority == b.relativePriority
}
