// DispatchWorkItemFlags.swift: what one submission asks of its queue, beyond the closure.

/// What one submission, or one work item, asks of its queue.
///
/// Thread safety: a value.
public struct DispatchWorkItemFlags: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// Flags from their bits; unknown ones are kept and ignored.
  @inlinable
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// On a concurrent queue of its own the work waits for everything submitted before and runs alone; elsewhere no effect.
  public static let barrier = DispatchWorkItemFlags(rawValue: 1 << 0)
  /// The work is not tied to the caller's execution context and takes no service class from it.
  public static let detached = DispatchWorkItemFlags(rawValue: 1 << 1)
  /// The item takes the service class current where it is created, not the one current where it is submitted.
  public static let assignCurrentContext = DispatchWorkItemFlags(rawValue: 1 << 2)
  /// The item has no service class.
  public static let noQoS = DispatchWorkItemFlags(rawValue: 1 << 3)
  /// The queue's service class goes before the item's: what asynchronous work does anyway.
  public static let inheritQoS = DispatchWorkItemFlags(rawValue: 1 << 4)
  /// The item's service class goes before the queue's unless it is lower: what synchronous work does anyway.
  public static let enforceQoS = DispatchWorkItemFlags(rawValue: 1 << 5)
}
