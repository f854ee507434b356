// DispatchQoS.swift: how urgent work is, and what else one submission asks of its queue, beyond the closure. What the
// pool makes of it is described in Workers/, in which order the classes stand ServiceClass.swift (SignalboxWords).
import SignalboxWords

/// A service class as a number, the same numbers as on Apple's systems.
///
/// ```swift
/// let number: qos_class_t = DispatchQoS.QoSClass.utility.rawValue
/// print(number == 0x11, DispatchQoS.QoSClass(rawValue: number) == .utility)  // true true
/// ```
public typealias qos_class_t = UInt32

/// The urgency of a queue or work item: a class, and a relative priority within the class.
///
/// Thread safety: a value.
///
/// ```swift
/// let thumbnails = DispatchQueue(label: "thumbnails", qos: .utility)
/// thumbnails.sync { print(thumbnails.qos.qosClass) }  // utility
/// print(DispatchQoS(qosClass: .userInitiated, relativePriority: -5).relativePriority)  // -5
/// ```
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
  ///
  /// ```swift
  /// let done = DispatchGroup()
  /// DispatchQueue.global(qos: .background).async(group: done) { print("work that may take minutes") }
  /// done.wait()
  /// ```
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

// MARK: the classes of service as programs name them

// What is served as which class is the pool's to say (Workers/), and which class an item has the queues' (ItemClass).

extension ServiceClass {
  /// That of a program's class; unspecified means default.
  init(_ qos: DispatchQoS.QoSClass) {
    self =
      switch qos {
      case .userInteractive: .interactive
      case .userInitiated: .initiated
      case .default, .unspecified: .standard
      case .utility: .utility
      case .background: .background
      }
  }

  /// What programs call it.
  var qos: DispatchQoS {
    switch self {
    case .interactive: .userInteractive
    case .initiated: .userInitiated
    case .standard: .default
    case .utility: .utility
    case .background: .background
    }
  }

  /// What its global queue is called after.
  var name: String {
    switch self {
    case .interactive: "user-interactive"
    case .initiated: "user-initiated"
    case .standard: "default"
    case .utility: "utility"
    case .background: "background"
    }
  }
}

// MARK: options of one submission

// The options are computed: a stored one would be read through a function of this module where `sync` is inlined.

/// Options for one submission or one work item.
///
/// Thread safety: a value.
///
/// ```swift
/// let store = DispatchQueue(label: "store", attributes: .concurrent)
/// store.async { print("beside other readers") }
/// store.sync(flags: .barrier) { print("alone, after the item above") }
/// ```
public struct DispatchWorkItemFlags: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// Creates the set from its bits; unknown bits are kept and ignored.
  @inlinable
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The work waits for all items submitted before it and runs alone. Applies to concurrent queues that a program created; has
  /// no effect on other queues.
  public static var barrier: DispatchWorkItemFlags { @inlinable get { DispatchWorkItemFlags(rawValue: 1 << 0) } }
  /// The work is not part of the caller's execution context and takes no class from it.
  public static var detached: DispatchWorkItemFlags { @inlinable get { DispatchWorkItemFlags(rawValue: 1 << 1) } }
  /// The item takes the class that is current where it is created, not where it is submitted.
  public static var assignCurrentContext: DispatchWorkItemFlags { @inlinable get { DispatchWorkItemFlags(rawValue: 1 << 2) } }
  /// The item has no class.
  public static var noQoS: DispatchWorkItemFlags { @inlinable get { DispatchWorkItemFlags(rawValue: 1 << 3) } }
  /// The queue's class takes precedence over the item's. This is the default for asynchronous work.
  public static var inheritQoS: DispatchWorkItemFlags { @inlinable get { DispatchWorkItemFlags(rawValue: 1 << 4) } }
  /// The item's class takes precedence over the queue's, unless it is lower. This is the default for synchronous work.
  public static var enforceQoS: DispatchWorkItemFlags { @inlinable get { DispatchWorkItemFlags(rawValue: 1 << 5) } }
}
