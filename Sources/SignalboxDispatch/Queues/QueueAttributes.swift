// QueueAttributes.swift: what a queue gets when it is made. The queue itself is DispatchQueue.swift.

extension DispatchQueue {
  /// Options for creating a queue; empty means a serial queue that is active at once.
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
  public enum AutoreleaseFrequency: Sendable {
    /// As the target queue does.
    case inherit
    /// Around every item.
    case workItem
    /// Never.
    case never
  }

  /// The legacy priorities of the global queues.
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
