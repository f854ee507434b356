// QueueAttributes.swift: what a queue is told when it is made. The queue itself is DispatchQueue.swift.

extension DispatchQueue {
  /// What kind of queue to make; empty is a serial queue, active at once.
  public struct Attributes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt64

    /// Attributes from their bits; unknown ones are kept and ignored.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Items run at the same time, except for barriers.
    public static let concurrent = Attributes(rawValue: 1 << 1)
    /// The queue takes items but runs none before `activate()`, and may be retargeted until then.
    public static let initiallyInactive = Attributes(rawValue: 1 << 2)
  }

  /// How often an autorelease pool is emptied around items. Accepted for source compatibility: Linux has no such pools.
  public enum AutoreleaseFrequency: Sendable {
    /// As the target queue does.
    case inherit
    /// Around every item.
    case workItem
    /// Never.
    case never
  }

  /// The old names of the global queues' urgencies.
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
