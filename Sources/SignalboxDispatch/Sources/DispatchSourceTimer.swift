// DispatchSourceTimer.swift: what Swift programs see of a timer source. What its numbers mean is TimerSchedule.swift.
import SignalboxSystem

/// A source whose events are points in time. Every event's `data` is how many points have passed since the one before: more
/// than 1 if the handler, the queue or a suspension held it up.
///
/// Points after the first are the start and a multiple of the interval, however late a handler runs: a timer does not drift. It
/// never fires early. A schedule set again replaces the one before, events that have not been handled yet included; on a
/// cancelled source it has no effect.
///
/// Thread safety: every method may be called from any thread.
public protocol DispatchSourceTimer: DispatchSourceProtocol, Sendable {
  /// Fires once, at `deadline`.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  func scheduleOneshot(deadline: DispatchTime, leeway: DispatchTimeInterval)
  /// Fires once, when the wall clock shows `wallDeadline`.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  func scheduleOneshot(wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval)
  /// Fires at `deadline` and every `interval` after it.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  func scheduleRepeating(deadline: DispatchTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
  /// Fires at `deadline` and every `interval` seconds after it.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  func scheduleRepeating(deadline: DispatchTime, interval: Double, leeway: DispatchTimeInterval)
  /// Fires when the wall clock shows `wallDeadline` and every `interval` after it.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  func scheduleRepeating(wallDeadline: DispatchWallTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
  /// Fires when the wall clock shows `wallDeadline` and every `interval` seconds after it.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  func scheduleRepeating(wallDeadline: DispatchWallTime, interval: Double, leeway: DispatchTimeInterval)
}

extension DispatchSourceTimer {
  /// Fires at `deadline`, and every `interval` after it unless that is `never`.
  ///
  /// - Parameters:
  ///   - deadline: a time on the uptime clock; one that has passed fires at once, the distant future never.
  ///   - interval: zero counts as a nanosecond. A negative one stops the program.
  ///   - leeway: how late a fire may come to share a wake-up with others; it comes at the latest point that serves all. After
  ///     the first point at most half the interval; none unless it is given, also without the flag `strict`; `never` counts as
  ///     a second. A negative one stops the program.
  /// - Complexity: O(1).
  public func schedule(
    deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { asSource { $0.schedule(deadline.rawValue, interval.timerNanoseconds("interval"), leeway) } }

  /// Fires at `deadline`, and every `interval` seconds after it. An infinite or too large interval fires once; a negative one,
  /// or one that is no number, stops the program. The rest is as of the other form.
  public func schedule(
    deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { asSource { $0.schedule(deadline.rawValue, interval.timerNanoseconds, leeway) } }

  /// Fires when the wall clock shows `wallDeadline`, and every `interval` after it; follows that clock when it is set. The rest
  /// is as of the other form.
  public func schedule(
    wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { asSource { $0.schedule(wallDeadline.rawValue, interval.timerNanoseconds("interval"), leeway) } }

  /// Fires when the wall clock shows `wallDeadline`, and every `interval` seconds after it; follows that clock when it is set.
  /// The rest is as of the other forms.
  public func schedule(
    wallDeadline: DispatchWallTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { asSource { $0.schedule(wallDeadline.rawValue, interval.timerNanoseconds, leeway) } }

  /// An older name of `schedule(deadline:repeating:leeway:)`.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  public func scheduleOneshot(deadline: DispatchTime, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    schedule(deadline: deadline, leeway: leeway)
  }
  /// An older name of `schedule(wallDeadline:repeating:leeway:)`.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  public func scheduleOneshot(wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    schedule(wallDeadline: wallDeadline, leeway: leeway)
  }
  /// An older name of `schedule(deadline:repeating:leeway:)`.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  public func scheduleRepeating(
    deadline: DispatchTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { schedule(deadline: deadline, repeating: interval, leeway: leeway) }
  /// An older name of `schedule(deadline:repeating:leeway:)`.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  public func scheduleRepeating(
    deadline: DispatchTime, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { schedule(deadline: deadline, repeating: interval, leeway: leeway) }
  /// An older name of `schedule(wallDeadline:repeating:leeway:)`.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  public func scheduleRepeating(
    wallDeadline: DispatchWallTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway) }
  /// An older name of `schedule(wallDeadline:repeating:leeway:)`.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  public func scheduleRepeating(
    wallDeadline: DispatchWallTime, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway) }
}

extension DispatchSource: DispatchSourceTimer {
  /// How a timer is made.
  public struct TimerFlags: OptionSet, RawRepresentable, Sendable {
    /// The bits, as the C constants have them.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The leeway is kept exactly; that is so for every timer here.
    public static let strict = TimerFlags(rawValue: 1)
  }

  /// A timer whose handlers run on `queue`; nil means the default global queue. Inactive, and without a schedule.
  public class func makeTimerSource(flags: TimerFlags = [], queue: DispatchQueue? = nil) -> any DispatchSourceTimer {
    TimerSource(queue: queue, flags: flags.rawValue)
  }

  fileprivate final func schedule(_ start: dispatch_time_t, _ interval: UInt64, _ leeway: DispatchTimeInterval) {
    guard let timer = core as? TimerCore else {
      Misuse.stop(
        "schedule is called on \(core.sourceName), whose events come from elsewhere: make a timer by makeTimerSource()")
    }
    core.passPoint(.timerSchedule)
    timer.set(start: start, interval: interval, leeway: leeway.timerNanoseconds("leeway"))
  }
}

extension DispatchTimeInterval {
  /// For a timer; `never` is the largest number.
  fileprivate func timerNanoseconds(_ role: StaticString) -> UInt64 {
    if self == .never { return .max }
    guard let nanoseconds = UInt64(exactly: clampedNanoseconds) else {
      Misuse.stop("a timer's \(role) is negative (\(self)): use zero or more, or .never")
    }
    return nanoseconds
  }
}

extension Double {
  /// For a timer: these seconds; what is too large is the largest number.
  fileprivate var timerNanoseconds: UInt64 {
    guard self >= 0 else { Misuse.stop("a timer's interval is \(self) seconds: use zero or more, or .infinity for one fire") }
    let nanoseconds = self * 1_000_000_000
    return nanoseconds < 0x1p63 ? UInt64(nanoseconds) : .max
  }
}
