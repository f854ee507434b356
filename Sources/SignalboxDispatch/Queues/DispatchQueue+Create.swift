// DispatchQueue+Create.swift: making queues and asking what they are.
import SignalboxSystem

extension DispatchQueue {
  /// Creates a queue; serial unless `attributes` contains `.concurrent`.
  ///
  /// - Parameters:
  ///   - label: for people: reports, thread names, `label`. Reverse-DNS by custom; need not be unique.
  ///   - qos: the quality of service of its items; unspecified takes the target's.
  ///   - attributes: `.concurrent`, `.initiallyInactive`.
  ///   - autoreleaseFrequency: accepted; Linux has no autorelease pools.
  ///   - target: the queue whose turns decide when this one's items run; nil means a global queue of its quality of service.
  /// - Complexity: O(1): one allocation besides the label.
  @_disfavoredOverload  // the subclasses' initialisers differ in the attributes' type only, and are meant where both fit
  public convenience init(
    label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
    autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
  ) {
    self.init(
      name: label, kind: attributes.contains(.concurrent) ? .concurrent : .serial, qos: qos,
      isInactive: attributes.contains(.initiallyInactive), target: TargetChoice(target, qos))
  }

  /// Creates a queue under C rules: its target may change while it is active.
  package convenience init(
    legacyLabel label: String, isConcurrent: Bool, isInactive: Bool, qos: DispatchQoS, target: DispatchQueue?
  ) {
    self.init(
      cLabel: label, isConcurrent: isConcurrent, isInactive: isInactive, isLegacy: true, qos: qos, target: target)
  }

  /// Creates a queue for C; a legacy one's target may change while it is active.
  package convenience init(
    cLabel label: String, isConcurrent: Bool, isInactive: Bool, isLegacy: Bool, qos: DispatchQoS, target: DispatchQueue?
  ) {
    self.init(
      name: label, kind: isConcurrent ? .concurrent : .serial, qos: qos, isInactive: isInactive, isLegacy: isLegacy,
      target: TargetChoice(target, qos))
  }

  /// Whether the queue is the process's rather than the program's: the main queue or a global one.
  package final var isShared: Bool { kind == .global || kind == .main }

  /// The label given at creation.
  public final var label: String { name }

  /// The label; of a queue made without, the one it was given later (CLabel).
  final var name: String { givenName.isEmpty ? lateName : givenName }

  /// The quality of service the queue was made with, or that of the global queue it was made on; unspecified otherwise.
  public final var qos: DispatchQoS { ownQoS }

  /// The global queue of a quality of service; unspecified means default. The same object at every call.
  public final class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { GlobalQueues.queue(for: qos) }

  /// The global queue of a legacy priority.
  @available(*, deprecated, message: "use global(qos:)")
  public final class func global(priority: GlobalQueuePriority) -> DispatchQueue {
    switch priority {
    case .high: GlobalQueues.queue(for: .userInitiated)
    case .default: GlobalQueues.queue(for: .default)
    case .low: GlobalQueues.queue(for: .utility)
    case .background: GlobalQueues.queue(for: .background)
    }
  }

  /// The queue of the main thread.
  public final class var main: DispatchQueue { PrivateEngine.ofCaller.map { $0.use { $0.main } } ?? MainQueue.queue }

  /// The label of the queue whose item the calling code is; nil outside of any queue.
  public static var currentLabel: String? { current?.name }

  /// The queue whose item the calling code is; on the main thread outside of items, the main queue.
  package static var current: DispatchQueue? {
    currentReference?.kept
  }

  static var currentReference: Lent<DispatchQueue>? {
    if let frame = ThreadSlot.current.innermostFrame { return reference(of: frame.pointee) }
    return MainThreadHost.isMainThread ? Lent(MainQueue.queue) : nil
  }
}

/// A queue that runs its items one after another.
public final class DispatchSerialQueue: DispatchQueue, @unchecked Sendable {
  // SAFETY of @unchecked: nothing is added to the state of its superclass.
  /// What a serial queue may be created with.
  public struct Attributes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt64
    /// Creates the set from its bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Items wait until `activate()`.
    public static let initiallyInactive = Attributes(rawValue: 1 << 2)
  }

  /// Creates a serial queue; parameters as for `DispatchQueue`.
  public convenience init(
    label: String, qos: DispatchQoS = .unspecified, attributes: DispatchSerialQueue.Attributes = [],
    autoreleaseFrequency: DispatchQueue.AutoreleaseFrequency = .workItem, target: DispatchQueue? = nil
  ) {
    self.init(
      name: label, kind: .serial, qos: qos, isInactive: attributes.contains(.initiallyInactive),
      target: TargetChoice(target, qos))
  }
}

/// A queue that runs several items at once.
public final class DispatchConcurrentQueue: DispatchQueue, @unchecked Sendable {
  // SAFETY of @unchecked: nothing is added to the state of its superclass.
  /// What a concurrent queue may be created with.
  public struct Attributes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt64
    /// Creates the set from its bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Items wait until `activate()`.
    public static let initiallyInactive = Attributes(rawValue: 1 << 2)
  }

  /// Creates a concurrent queue; parameters as for `DispatchQueue`.
  public convenience init(
    label: String, qos: DispatchQoS = .unspecified, attributes: DispatchConcurrentQueue.Attributes = [],
    autoreleaseFrequency: DispatchQueue.AutoreleaseFrequency = .workItem, target: DispatchQueue? = nil
  ) {
    self.init(
      name: label, kind: .concurrent, qos: qos, isInactive: attributes.contains(.initiallyInactive),
      target: TargetChoice(target, qos))
  }
}
