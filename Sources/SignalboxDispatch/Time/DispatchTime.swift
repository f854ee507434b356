// DispatchTime.swift: points in time, spans of time, and the sums of the two. Uptime is a point that no clock change
// moves, calendar time one that moves when the clock is set. The saturating sums themselves are RawTime.swift.
public import SignalboxSystem

/// A point in time on the uptime clock. That clock starts at boot, stops while the machine sleeps, and is never set.
///
/// Thread safety: a value.
///
/// ```swift
/// let begin = DispatchTime.now(), done = DispatchSemaphore(value: 0)
/// DispatchQueue.global().asyncAfter(deadline: begin + .milliseconds(20)) { done.signal() }
/// done.wait()
/// print(DispatchTime.now() >= begin + .milliseconds(20))  // true
/// ```
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

// MARK: calendar time

/// The C library's structure of seconds and nanoseconds.
///
/// ```swift
/// let newYear = DispatchWallTime(timespec: timespec(tv_sec: 1_767_225_600, tv_nsec: 0))  // 2026-01-01 00:00 UTC
/// print(newYear < .now())  // true
/// ```
public typealias timespec = SignalboxSystem.timespec

/// A point in time on the wall clock. It is reached when the clock shows it, even if the clock was set to it.
///
/// Times range from 1970 to the year 2116; later ones are `distantFuture`.
///
/// Thread safety: a value.
///
/// ```swift
/// let soon = DispatchWallTime.now() + .milliseconds(10)  // moves when the clock is set
/// let alarm = DispatchSemaphore(value: 0)
/// print(alarm.wait(wallTimeout: soon))  // timedOut
/// ```
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

// MARK: spans, in a unit of the caller's choice

/// A length of time, which may be negative.
///
/// Two intervals are equal if they have the same length, whatever their units. Lengths beyond the range of 64-bit nanoseconds
/// (292 years) are clamped to it; `never` is equal only to itself.
///
/// Thread safety: a value.
///
/// ```swift
/// let pause: DispatchTimeInterval = .milliseconds(1_500)
/// print(pause == .microseconds(1_500_000), DispatchTime.now() + pause > .now())  // true true
/// ```
public enum DispatchTimeInterval: Equatable, Sendable {
  /// Whole seconds.
  case seconds(Int)
  /// Thousandths of a second.
  case milliseconds(Int)
  /// Millionths of a second.
  case microseconds(Int)
  /// Billionths of a second.
  case nanoseconds(Int)
  /// An interval without end: any time plus this is `distantFuture`.
  case never

  /// The length in nanoseconds, cut to the range of 64 bits; `never` is the upper end.
  package var clampedNanoseconds: Int64 {
    switch self {
    case .seconds(let count): Self.clamp(count, times: 1_000_000_000)
    case .milliseconds(let count): Self.clamp(count, times: 1_000_000)
    case .microseconds(let count): Self.clamp(count, times: 1000)
    case .nanoseconds(let count): Int64(count)
    case .never: .max
    }
  }

  private static func clamp(_ count: Int, times unit: Int64) -> Int64 {
    let (product, overflows) = Int64(count).multipliedReportingOverflow(by: unit)
    guard overflows else { return product }
    return count < 0 ? .min : .max
  }

  /// Whether two intervals have the same length; `never` is equal only to itself.
  public static func == (lhs: DispatchTimeInterval, rhs: DispatchTimeInterval) -> Bool {
    switch (lhs, rhs) {
    case (.never, .never): true
    case (.never, _), (_, .never): false
    default: lhs.clampedNanoseconds == rhs.clampedNanoseconds
    }
  }
}

// MARK: + and -

// All of them saturate: past the last point is the distant future, before the first is the earliest time of that clock,
// and the distant future stays what it is. None of them traps.

/// The time `interval` after `time`. Saturates at `distantFuture`; any time plus `never` is `distantFuture`.
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(interval.clampedNanoseconds, to: time.rawValue))
}

/// The time `interval` before `time`. Saturates at the earliest time; any time minus `never` is the earliest time.
public func - (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(interval.clampedNanoseconds.negatedSaturating, to: time.rawValue))
}

/// The time `seconds` after `time`, with fractions of a nanosecond dropped; NaN gives `distantFuture`.
public func + (time: DispatchTime, seconds: Double) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: seconds), to: time.rawValue))
}

/// The time `seconds` before `time`, with fractions of a nanosecond dropped; NaN gives `distantFuture`.
public func - (time: DispatchTime, seconds: Double) -> DispatchTime {
  DispatchTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: -seconds), to: time.rawValue))
}

/// The time `interval` after `time`. Saturates at `distantFuture`; any time plus `never` is `distantFuture`.
public func + (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(interval.clampedNanoseconds, to: time.rawValue))
}

/// The time `interval` before `time`. Saturates at the earliest time; any time minus `never` is the earliest time.
public func - (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(interval.clampedNanoseconds.negatedSaturating, to: time.rawValue))
}

/// The time `seconds` after `time`, with fractions of a nanosecond dropped; NaN gives `distantFuture`.
public func + (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: seconds), to: time.rawValue))
}

/// The time `seconds` before `time`, with fractions of a nanosecond dropped; NaN gives `distantFuture`.
public func - (time: DispatchWallTime, seconds: Double) -> DispatchWallTime {
  DispatchWallTime(rawValue: RawTime.adding(Int64(nanosecondsSaturating: -seconds), to: time.rawValue))
}

// MARK: how a wait with a deadline ended

/// The result of a wait with a timeout.
///
/// ```swift
/// let answer = DispatchSemaphore(value: 0)
/// switch answer.wait(timeout: .now() + .milliseconds(10)) {
/// case .success: print("answered")
/// case .timedOut: print("not in time")
/// }
/// ```
public enum DispatchTimeoutResult: Sendable {
  /// The event happened in time.
  case success
  /// The timeout passed first; the event may still happen.
  case timedOut
}
