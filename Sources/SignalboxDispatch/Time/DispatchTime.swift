// DispatchTime.swift: a point in time that no clock change moves. Calendar time is DispatchWallTime.swift.
import SignalboxSystem

/// A point in time on the uptime clock, which starts at boot, stands still while the machine sleeps and is never set.
///
/// Thread safety: a value.
public struct DispatchTime: Comparable, Sendable {
  /// The point in its opaque form, as the C-style functions take it.
  public let rawValue: dispatch_time_t

  /// A point from its opaque form.
  @inlinable
  package init(rawValue: dispatch_time_t) { self.rawValue = rawValue }

  /// The present moment.
  public static func now() -> DispatchTime { DispatchTime(rawValue: SignalboxSystem.Clock.uptime()) }

  /// A point that is never reached: waiting for it has no end.
  public static let distantFuture = DispatchTime(rawValue: RawTime.forever)

  /// The point that many nanoseconds of uptime after boot.
  ///
  /// - Parameter uptimeNanoseconds: 0 stands for the present moment wherever the time is used, the largest value for the
  ///   distant future. Values from 2^63 on are kept as they are, but name points on other clocks.
  @inlinable
  public init(uptimeNanoseconds: UInt64) { self.init(rawValue: uptimeNanoseconds) }

  /// Nanoseconds of uptime between boot and this point; the largest value for the distant future.
  @inlinable
  public var uptimeNanoseconds: UInt64 { rawValue }

  /// Whether `a` comes before `b`; nothing comes after the distant future.
  @inlinable
  public static func < (a: DispatchTime, b: DispatchTime) -> Bool { a.rawValue < b.rawValue }

  /// Whether both name the same point.
  @inlinable
  public static func == (a: DispatchTime, b: DispatchTime) -> Bool { a.rawValue == b.rawValue }
}

extension DispatchTime {
  /// The point `n` after this one, earlier if `n` is negative; saturates as `+` does.
  public func advanced(by n: DispatchTimeInterval) -> DispatchTime { self + n }

  /// The span from this point to `other` in nanoseconds, negative if `other` is earlier.
  ///
  /// - Returns: spans of more than 292 years, to or from the distant future above all, are cut to that length.
  public func distance(to other: DispatchTime) -> DispatchTimeInterval {
    if other < self { return .nanoseconds(-Int(clamping: uptimeNanoseconds - other.uptimeNanoseconds)) }
    return .nanoseconds(Int(clamping: other.uptimeNanoseconds - uptimeNanoseconds))
  }
}
