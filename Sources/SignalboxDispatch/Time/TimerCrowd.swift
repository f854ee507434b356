// TimerCrowd.swift: when timers fire so close together that an alarm for each would cost several times what they do, they share alarms. Pure: no
// clock, no thread, no lock.

/// Counts timers that fire close together: each counts one, and one is forgotten in every `spacing`.
struct TimerCrowd {
  /// Nanoseconds: more than one timer in each such span, for a while, is a crowd.
  static let spacing: UInt64 = 5_000
  /// How many must be counted to make one, and how many are remembered at most.
  static let enough: UInt64 = 16, most: UInt64 = 64
  /// Nanoseconds from the end of a serving to the next alarm in a crowd, at least: by as much Linux lets any thread sleep longer than it asked for
  /// (PR_SET_TIMERSLACK's default).
  static let pause: UInt64 = 50_000

  private var count: UInt64 = 0
  private var last: UInt64 = 0

  /// `timers` is the number of those that have fired at `now`.
  mutating func fired(_ timers: Int, at now: UInt64) {
    let forgotten = (now &- last) / Self.spacing  // a clock that was set back has forgotten all
    count = min(Self.most, (count > forgotten ? count - forgotten : 0) + UInt64(timers))
    last = now
  }

  /// Whether there is one.
  var isThere: Bool { count >= Self.enough }

  /// Where the alarm belongs for what is due at `next`, after a serving that ended at `now`.
  func alarm(for next: UInt64, after now: UInt64) -> UInt64 {
    guard isThere, next < now &+ Self.pause else { return next }
    return now &+ Self.pause
  }
}
