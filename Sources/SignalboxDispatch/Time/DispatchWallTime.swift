// DispatchWallTime.swift: a point in calendar time, which moves when the clock is set. Uptime is DispatchTime.swift.
public import SignalboxSystem

/// The C library's structure of seconds and nanoseconds.
public typealias timespec = SignalboxSystem.timespec

/// A point in time on the wall clock. It is reached when the clock shows it, even if the clock was set to it.
///
/// Times range from 1970 to the year 2116; later ones are `distantFuture`.
///
/// Thread safety: a value.
public struct DispatchWallTime: Comparable, Sendable {
  /// The time in the form that the C functions take.
  public let rawValue: dispatch_time_t

  /// A point from its opaque form.
  @inlinable
  package init(rawValue: dispatch_time_t) { self.rawValue = rawValue }

  /// The current time.
  public static func now() -> DispatchWallTime { DispatchWallTime(rawValue: RawTime.adding(0, to: RawTime.wallNow)) }

  /// A time that is never reached: waiting for it never times out.
  public static let distantFuture = DispatchWallTime(rawValue: RawTime.forever)

  /// Creates the time that many seconds and nanoseconds after 1970-01-01 00:00 UTC.
  ///
  /// - Parameter timespec: its nanoseconds need not be normalized. A negative sum, or one of at most one nanosecond, gives
  ///   `distantFuture`, as on other platforms.
  public init(timespec: timespec) { self.init(rawValue: RawTime.wall(timespec)) }

  /// Whether `a` is before `b`; nothing is after `distantFuture`.
  public static func < (a: DispatchWallTime, b: DispatchWallTime) -> Bool { a.order < b.order }

  /// Whether both are the same time.
  @inlinable
  public static func == (a: DispatchWallTime, b: DispatchWallTime) -> Bool { a.rawValue == b.rawValue }

  private var order: UInt64 { rawValue == RawTime.forever ? .max : 0 &- rawValue }
}
