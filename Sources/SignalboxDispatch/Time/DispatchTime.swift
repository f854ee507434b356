// DispatchTime.swift: a point in time that no clock change moves. Calendar time is DispatchWallTime.swift.
import SignalboxSystem

/// A point in time on the uptime clock. That clock starts at boot, stops while the machine sleeps, and is never set.
///
/// Thread safety: a value.
public struct DispatchTime: Comparable, Sendable {
  /// The time in the form that the C functions take.
  public let rawValue: dispatch_time_t

  /// A point from its opaque form.
  @inlinable
  package init(rawValue: dispatch_time_t) { self.rawValue = rawValue }

  /// The current time.
  public static func now() -> DispatchTime { DispatchTime(rawValue: SignalboxSystem.Clock.uptime()) }

  /// A time that is never reached: waiting for it never times out.
  public static let distantFuture = DispatchTime(rawValue: RawTime.forever)

  /// Creates the time that many nanoseconds of uptime after boot.
  ///
  /// - Parameter uptimeNanoseconds: 0 means the current time wherever the value is used, the largest value means
  ///   `distantFuture`. Values of 2^63 and above are kept unchanged, but denote times on other clocks.
  @inlinable
  public init(uptimeNanoseconds: UInt64) { self.init(rawValue: uptimeNanoseconds) }

  /// The nanoseconds of uptime between boot and this time; the largest value for `distantFuture`.
  @inlinable
  public var uptimeNanoseconds: UInt64 { rawValue }

  /// Whether `a` is before `b`; nothing is after `distantFuture`.
  @inlinable
  public static func < (a: DispatchTime, b: DispatchTime) -> Bool { a.rawValue < b.rawValue }

  /// Whether both are the same time.
  @inlinable
  public static func == (a: DispatchTime, b: DispatchTime) -> Bool { a.rawValue == b.rawValue }
}

extension DispatchTime {
  /// The time `n` after this one, or before it if `n` is negative; saturates as `+` does.
  public func advanced(by n: DispatchTimeInterval) -> DispatchTime { self + n }

  /// The nanoseconds from this time to `other`; negative if `other` is earlier.
  ///
  /// - Returns: at most 292 years in either direction; longer distances, such as to `distantFuture`, are clamped to that.
  public func distance(to other: DispatchTime) -> DispatchTimeInterval {
    if other < self { return .nanoseconds(-Int(clamping: uptimeNanoseconds - other.uptimeNanoseconds)) }
    return .nanoseconds(Int(clamping: other.uptimeNanoseconds - uptimeNanoseconds))
  }
}
