// LockDeadline.swift: when a timed wait for a lock ends, on any of the three clocks.
import SignalboxSystem

/// The point in time at which a wait for a lock or condition times out.
///
/// ```swift
/// let deadlines: [LockDeadline] = [.never, .after(.seconds(1)), .uptime(0), .continuous(0), .wall(0)]
/// for deadline in deadlines { print(deadline, deadline.hasPassed) }  // the last three have passed
/// ```
@frozen
public enum LockDeadline: Equatable, Sendable {
  /// Never.
  case never
  /// Nanoseconds since boot, not counting time asleep.
  case uptime(UInt64)
  /// Nanoseconds since boot, counting time asleep.
  case continuous(UInt64)
  /// Nanoseconds since 1970 on the wall clock, which can be set.
  case wall(UInt64)

  /// The time `duration` from now on the uptime clock; now, if it is zero or negative.
  ///
  /// ```swift
  /// let cache = MutexLock(name: "cache")
  /// func refresh() -> Bool {
  ///   guard cache.lock(until: .after(.milliseconds(10))) else { return false }
  ///   defer { cache.unlock() }
  ///   print("refreshed")
  ///   return true
  /// }
  /// print(refresh())  // true: no other thread holds the lock
  /// ```
  public static func after(_ duration: Duration) -> LockDeadline {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return .uptime(0) }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (point, late) = Clock.uptime().addingReportingOverflow(whole)
    return overflow || late ? .never : .uptime(point &+ UInt64(attoseconds) / 1_000_000_000)
  }

  /// Whether the deadline has passed on its own clock.
  public var hasPassed: Bool {
    switch self {
    case .never: false
    case .uptime(let point): Clock.uptime() >= point
    case .continuous(let point): Clock.continuous() >= point
    case .wall(let point): Clock.wall() >= point
    }
  }

  /// For one park, not later than `limit` on the uptime clock. The kernel sleeps on two clocks; a continuous point is carried
  /// over to the uptime clock as the two stand now, and computed again at least every second.
  func park(before limit: UInt64? = nil) -> ParkDeadline {
    switch self {
    case .never: return limit.map { .uptime($0) } ?? .never
    case .uptime(let point): return .uptime(min(point, limit ?? .max))
    case .continuous(let point):
      let now = Clock.continuous()
      let rest = min(point > now ? point - now : 0, 1_000_000_000)
      return .uptime(min(Clock.uptime() &+ rest, limit ?? .max))
    case .wall(let point):
      guard let limit else { return .wall(point) }
      let now = Clock.wall()
      let rest = point > now ? point - now : 0
      return .uptime(min(Clock.uptime() &+ min(rest, 1_000_000_000), limit))
    }
  }
}
