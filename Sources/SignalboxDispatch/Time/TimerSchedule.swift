// TimerSchedule.swift: when a timer source fires: start, interval and leeway. Pure: no clock, no lock. What arms it is
// TimerSource.swift.

/// A start and an interval; never drifts: every point is the start and a number of intervals.
struct TimerSchedule: Equatable {
  /// What stands for "no upper limit" as a leeway is answered with this much: a timer that would never have to fire is lost.
  static let unlimitedLeeway: UInt64 = 1_000_000_000

  let clock: RawTime.Clock
  /// The next point; nil once a timer without interval has fired.
  private(set) var next: UInt64?
  /// Nanoseconds, at least 1; nil fires once.
  let interval: UInt64?
  private var leeway: UInt64

  /// - Parameters:
  ///   - start: a raw time; "now" is the clock's present. A start that is never reached gives nil.
  ///   - interval: nanoseconds; 0 counts as 1, and what is longer than 292 years fires once.
  ///   - leeway: nanoseconds that a fire may be delayed by, on points after the first at most half the interval.
  init?(start: dispatch_time_t, interval: UInt64, leeway: UInt64) {
    clock = RawTime.Clock(of: start)
    switch Deadline(start) {
    case .now: next = clock.present
    case .uptime(let point), .continuous(let point), .wall(let point): next = point
    case .forever: return nil
    }
    self.interval = interval < UInt64(Int64.max) ? max(1, interval) : nil
    self.leeway = leeway < UInt64(Int64.max) ? leeway : Self.unlimitedLeeway
  }

  /// Between which points the next fire may come.
  var window: TimerWindow? { next.map { TimerWindow($0, leeway: leeway) } }

  /// Moves to the first point after `now`; returns how many points that passes, 0 if the next has not come.
  mutating func advance(to now: UInt64) -> UInt {
    guard let point = next, point <= now else { return 0 }
    guard let interval else {
      next = nil
      return 1
    }
    let passed = (now - point) / interval + 1
    let (distance, isTooFar) = passed.multipliedReportingOverflow(by: interval)
    let sum = point.addingReportingOverflow(distance)
    next = isTooFar || sum.overflow || sum.partialValue > RawTime.latestPoint ? nil : sum.partialValue
    leeway = min(leeway, interval / 2)
    return UInt(passed)
  }
}
