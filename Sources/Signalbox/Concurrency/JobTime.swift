// JobTime.swift: when a sleeping task is due, as the engine's clocks have it.
import SignalboxDispatch

enum JobTime {
  /// The point that lies `delay` after now; nil if the clock counts in other units than the standard library's. A point further off than
  /// the engine's clocks reach is never reached.
  static func after<C: Clock>(_ delay: C.Duration, on clock: C) -> dispatch_time_t? {
    guard let delay = delay as? Duration else { return nil }
    // All clocks but this one go on while the system sleeps, as far as is known.
    return UnboundJob.time(after: nanoseconds(delay), isUptime: clock is SuspendingClock)
  }

  /// Rounded up, so that nobody wakes too early; 0 for what is over.
  static func nanoseconds(_ delay: Duration) -> UInt64 {
    let (seconds, attoseconds) = delay.components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let rest = (UInt64(attoseconds) + 999_999_999) / 1_000_000_000
    let (sum, overflowsToo) = whole.addingReportingOverflow(rest)
    return overflows || overflowsToo ? .max : sum
  }
}
