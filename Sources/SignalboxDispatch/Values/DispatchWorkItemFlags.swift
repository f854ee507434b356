// DispatchWorkItemFlags.swift: what one submission asks of its queue, beyond the closure.

// The options are computed: a stored one would be read through a function of this module where `sync` is inlined.

/// Options for one submission or one work item.
///
/// Thread safety: a value.
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
