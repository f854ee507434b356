// DispatchQueue+Create.swift: making queues and asking what they are, with what a queue gets when it is made. C may
// give a class of service afterwards, while the queue is inactive.
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  /// Creates a queue; serial unless `attributes` contains `.concurrent`.
  ///
  /// - Parameters:
  ///   - label: a name for reports, thread names and `label`. Reverse-DNS by convention; need not be unique.
  ///   - qos: the quality of service of its items; unspecified means the target's.
  ///   - attributes: `.concurrent`, `.initiallyInactive`.
  ///   - autoreleaseFrequency: accepted and ignored; Linux has no autorelease pools.
  ///   - target: the queue in whose turns this queue's items run; nil means the global queue of the quality of service.
  /// - Complexity: O(1): one allocation, and one for the label.
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

  /// The label given at creation.
  public final var label: String { name }

  /// The label; of a queue made without, the one it was given later (CLabel).
  package final var name: String { givenName.isEmpty ? lateName : givenName }

  /// The quality of service given at creation, or that of the global queue given as target; otherwise unspecified.
  public final var qos: DispatchQoS { ownQoS }

  /// The global queue for a quality of service; unspecified means default. Every call returns the same object.
  public final class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { GlobalQueues.queue(for: qos) }

  /// The global queue for a legacy priority.
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
  public final class var main: DispatchQueue { PrivateQueues.ofCaller.map { $0.use { $0.main } } ?? MainQueue.queue }

  /// The label of the queue that runs the calling code; nil outside of any queue.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store")
  /// store.sync { print(DispatchQueue.currentLabel ?? "no queue") }  // store
  /// ```
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

/// A queue that runs one item at a time, in order.
///
/// ```swift
/// let log = DispatchSerialQueue(label: "log")
/// log.async { print("first") }
/// log.sync { print("second") }
/// ```
///
/// - Note: Thread safety: any thread.
public final class DispatchSerialQueue: DispatchQueue, @unchecked Sendable {
  // SAFETY of @unchecked: nothing is added to the state of its superclass.
  /// The options for creating a serial queue.
  ///
  /// ```swift
  /// let log = DispatchSerialQueue(label: "log", attributes: .initiallyInactive)
  /// log.async { print("runs after activate()") }
  /// log.activate()
  /// log.sync { print(DispatchSerialQueue.Attributes.initiallyInactive.rawValue) }  // 4
  /// ```
  public struct Attributes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt64
    /// Creates the set from its bits.
    ///
    /// ```swift
    /// let attributes = DispatchSerialQueue.Attributes(rawValue: 4)
    /// print(attributes == .initiallyInactive, attributes.rawValue)  // true 4
    /// ```
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// The queue runs no items until `activate()`.
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

/// A queue that runs several items at the same time.
///
/// ```swift
/// let prices = DispatchConcurrentQueue(label: "prices")
/// nonisolated(unsafe) var table = ["tea": 3]  // guarded by `prices`
/// prices.async(flags: .barrier) { table["coffee"] = 4 }  // alone
/// print(prices.sync { table.count })  // 2, beside other readers
/// ```
///
/// - Note: Thread safety: any thread.
public final class DispatchConcurrentQueue: DispatchQueue, @unchecked Sendable {
  // SAFETY of @unchecked: nothing is added to the state of its superclass.
  /// The options for creating a concurrent queue.
  ///
  /// ```swift
  /// let readers = DispatchConcurrentQueue(label: "readers", attributes: .initiallyInactive)
  /// readers.async { print("runs after activate()") }
  /// readers.activate()
  /// readers.sync(flags: .barrier) { print(DispatchConcurrentQueue.Attributes.initiallyInactive.rawValue) }  // 4
  /// ```
  public struct Attributes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt64
    /// Creates the set from its bits.
    ///
    /// ```swift
    /// let attributes = DispatchConcurrentQueue.Attributes(rawValue: 4)
    /// print(attributes == .initiallyInactive, attributes.rawValue)  // true 4
    /// ```
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// The queue runs no items until `activate()`.
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

// MARK: what a queue gets when it is made

extension DispatchQueue {
  /// Options for creating a queue; empty means a serial queue that is active at once.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store", attributes: [.concurrent, .initiallyInactive])
  /// store.async { print("a reader, beside other readers") }
  /// store.activate()
  /// store.sync(flags: .barrier) { print("alone") }
  /// ```
  public struct Attributes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt64

    /// Creates the set from its bits; unknown bits are kept and ignored.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Items run at the same time, except barriers.
    public static let concurrent = Attributes(rawValue: 1 << 1)
    /// The queue accepts items but runs none until `activate()`; until then its target may be changed.
    public static let initiallyInactive = Attributes(rawValue: 1 << 2)
  }

  /// How often an autorelease pool is drained around items. Accepted for source compatibility and ignored: Linux has no such
  /// pools.
  ///
  /// ```swift
  /// let log = DispatchQueue(label: "log", autoreleaseFrequency: .workItem)
  /// log.sync { print("as with .inherit") }
  /// ```
  public enum AutoreleaseFrequency: Sendable {
    /// As the target queue does.
    case inherit
    /// Around every item.
    case workItem
    /// Never.
    case never
  }

  /// The legacy priorities of the global queues.
  ///
  /// ```swift
  /// let done = DispatchGroup()
  /// DispatchQueue.global(qos: .utility).async(group: done) { print("in place of global(priority: .low)") }
  /// done.wait()
  /// ```
  public enum GlobalQueuePriority: Sendable {
    /// `QoSClass.userInitiated`.
    @available(*, deprecated, message: "use a service class: .userInitiated")
    case high
    /// `QoSClass.default`.
    @available(*, deprecated, message: "use a service class: .default")
    case `default`
    /// `QoSClass.utility`.
    @available(*, deprecated, message: "use a service class: .utility")
    case low
    /// `QoSClass.background`.
    @available(*, deprecated, message: "use a service class: .background")
    case background
  }
}

// MARK: its class, given later

extension DispatchQueue {
  /// Sets the class and rank; the queue's items are served as that class's are, unless it has a target of its own.
  package final func setQoS(_ qos: DispatchQoS, _ function: String) {
    checkMaySetQoS(function)
    ownQoS = qos
    serveAs(qos.qosClass)
  }

  /// Sets what the queue's items are served as while it has no class of its own.
  package final func setQoSFallback(_ qosClass: DispatchQoS.QoSClass, _ function: String) {
    checkMaySetQoS(function)
    if ownQoS == .unspecified { serveAs(qosClass) }
  }

  private final func serveAs(_ qosClass: DispatchQoS.QoSClass) {
    guard let target, target.isRoot else { return }
    setTargetAssumingQuiet(GlobalQueues.queue(for: qosClass))
  }

  private final func checkMaySetQoS(_ function: String) {
    if isShared || isRunLoops {
      Misuse.stop("\(function) is called for \(title), whose class is fixed: use a queue of your own")
    }
    if isWorkloop {
      Misuse.stop(
        "\(function) is called for workloop \"\(name)\": dispatch_set_qos_class_floor is the call for workloops")
    }
    // relaxed: who sets a queue up and who activates it are ordered by the caller
    if state.hint()[QueueState.inactive] == 1 { return }
    Misuse.stop("\(function) is called for \(title) after it was activated: make it inactive, set it up, activate it")
  }
}
