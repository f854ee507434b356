// DispatchWallTime.swift: a point in calendar time, which moves when the clock is set. Uptime is DispatchTime.swift.
public import SignalboxSystem

/// The C structure of seconds and nanoseconds, the same type as the C library's.
public typealias timespec = SignalboxSystem.timespec

/// A point in time on the wall clock: it is reached when the clock shows it, also if that happens because the clock was set.
///
/// Points reach from 1970 into the year 2116; later ones are the distant future.
///
/// Thread safety: a value.
public struct DispatchWallTime: Comparable, Sendable {
  /// The point in its opaque form, as the C-style functions take it.
  public let rawValue: dispatch_time_t

  /// A point from its opaque form.
  @inlinable
  package init(rawValue: dispatch_time_t) { self.rawValue = rawValue }

  /// The present moment.
  public static func now() -> DispatchWallTime { DispatchWallTime(rawValue: RawTime.adding(0, to: RawTime.wallNow)) }

  /// A point that is never reached: waiting for it has no end.
  public static let distantFuture = DispatchWallTime(rawValue: RawTime.forever)

  /// The point that many seconds and nanoseconds after 1970-01-01 00:00 UTC.
  ///
  /// - Parameter timespec: the nanoseconds need not be normalised. A sum that is negative, or at most one nanosecond, gives
  ///   the distant future, as on other platforms.
  public init(timespec: timespec) { self.init(rawValue: RawTime.wall(timespec)) }

  /// Whether `a` comes before `b`; nothing comes after the distant future.
  public static func < (a: DispatchWallTime, b: DispatchWallTime) -> Bool { a.order < b.order }

  /// Whether both name the same point.
  @inlinable
  public static func == (a: DispatchWallTime, b: DispatchWallTime) -> Bool { a.rawValue == b.rawValue }

  private var order: UInt64 { rawValue == RawTime.forever ? .max : 0 &- rawValue }
}
