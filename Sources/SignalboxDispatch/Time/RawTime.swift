// RawTime.swift: the arithmetic of raw times, saturating and without traps. What waiters make of one is Deadline.swift.
import SignalboxSystem

/// A point in time as one word, in the form that all layers use. Its upper bits name the clock.
///
/// ```
///   0                 now                     bit 63 clear       nanoseconds of uptime
///   2^64 - 1          never reached           bits 63:62 = 10    nanoseconds of continuous time (low 62 bits)
///   2^64 - 2          now, on the wall clock  bits 63:62 = 11    nanoseconds since 1970, negated
/// ```
/// Programs may rely on 0 and 2^64 - 1 only. Times reach 2^62 - 1 nanoseconds, 146 years.
public typealias dispatch_time_t = UInt64

/// Constants, clocks and sums of raw times.
package enum RawTime {
  @usableFromInline static let continuousBits: UInt64 = 0b10 << 62
  @usableFromInline static let clockBits: UInt64 = 0b11 << 62
  /// The last point that every clock can name.
  @usableFromInline static let latestPoint: UInt64 = (1 << 62) - 1
  /// Wall points start here: the negations of 0 and 1 are taken, by "now" and by "never reached".
  @usableFromInline static let earliestWallPoint: UInt64 = 2

  /// The present moment of the uptime clock, read when it is used.
  package static let now: dispatch_time_t = 0
  /// The present moment of the continuous clock, read when it is used.
  @usableFromInline static let continuousNow: dispatch_time_t = continuousBits
  /// The present moment of the wall clock, read when it is used.
  package static let wallNow: dispatch_time_t = ~1
  /// A time that is never reached.
  package static let forever: dispatch_time_t = ~0

  /// Which clock a raw time is read on.
  @usableFromInline enum Clock {
    case uptime, continuous, wall

    @inlinable init(of raw: dispatch_time_t) {
      switch raw & RawTime.clockBits {
      case RawTime.clockBits: self = .wall
      case RawTime.continuousBits: self = .continuous
      default: self = .uptime
      }
    }

    /// Uptime 0 and continuous 0 mean "now", so the earliest point that can be named is 1.
    var earliestPoint: UInt64 { self == .wall ? RawTime.earliestWallPoint : 1 }

    var kernelClock: Alarm.Clock {
      switch self {
      case .uptime: .uptime
      case .continuous: .continuous
      case .wall: .wall
      }
    }

    /// What it shows.
    var present: UInt64 {
      switch self {
      case .uptime: SignalboxSystem.Clock.uptime()
      case .continuous: SignalboxSystem.Clock.continuous()
      case .wall: SignalboxSystem.Clock.wall()
      }
    }
  }

  /// The nanoseconds that `raw` names on its clock; meaningless for the four special values.
  @inlinable
  static func point(of raw: dispatch_time_t) -> UInt64 {
    switch Clock(of: raw) {
    case .uptime: raw
    case .continuous: raw & ~clockBits
    case .wall: 0 &- raw
    }
  }

  @usableFromInline
  static func encode(_ point: UInt64, on clock: Clock) -> dispatch_time_t {
    switch clock {
    case .uptime: point
    case .continuous: point | continuousBits
    case .wall: 0 &- point
    }
  }

  /// `raw` moved by `nanoseconds`: a "now" is read first, forever stays forever, a sum past the last point is forever and
  /// one before the first is the earliest time of that clock.
  package static func adding(_ nanoseconds: Int64, to raw: dispatch_time_t) -> dispatch_time_t {
    guard raw != forever else { return forever }
    let clock = Clock(of: raw)
    let isNow = raw == now || raw == continuousNow || raw == wallNow
    let start = isNow ? clock.present : point(of: raw)
    guard start <= latestPoint else { return forever }
    guard nanoseconds < 0 else {
      let sum = start + nanoseconds.magnitude
      return sum < latestPoint ? encode(sum, on: clock) : forever
    }
    let difference = start > nanoseconds.magnitude ? start - nanoseconds.magnitude : 0
    return encode(max(difference, clock.earliestPoint), on: clock)
  }

  /// The wall time `time` moved by `nanoseconds`.
  ///
  /// - Returns: a sum past the last point is forever. So is a sum of at most one nanosecond after 1970, unless it was
  ///   reached by going back (`nanoseconds` negative): then it is the earliest wall time. Both as on other platforms.
  package static func wall(_ time: timespec, adding nanoseconds: Int64 = 0) -> dispatch_time_t {
    let sum = Int128(time.tv_sec) * 1_000_000_000 + Int128(time.tv_nsec) + Int128(nanoseconds)
    guard sum >= Int128(earliestWallPoint) else {
      return nanoseconds >= 0 ? forever : encode(earliestWallPoint, on: .wall)
    }
    return sum <= Int128(latestPoint) ? encode(UInt64(sum), on: .wall) : forever
  }
}

extension Int64 {
  /// `seconds` in nanoseconds, fractions of one dropped; NaN and whatever does not fit count as the nearest end, NaN as the
  /// upper one.
  init(nanosecondsSaturating seconds: Double) {
    let nanoseconds = seconds * 1_000_000_000
    guard nanoseconds > -0x1p63 else {
      self = nanoseconds.isNaN ? .max : .min
      return
    }
    self = nanoseconds < 0x1p63 ? Int64(nanoseconds) : .max
  }

  /// The negation; the one value that has none becomes the largest.
  var negatedSaturating: Int64 { self == .min ? .max : -self }
}
