// DispatchSourceTimer.swift: what Swift programs see of a timer source. What its numbers mean is TimerSchedule.swift.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// A source that fires at points in time. `data` is the number of points that have passed since the last event: more than 1 if
/// the handler, the queue or a suspension delayed it.
///
/// Every point is the start plus a multiple of the interval, however late a handler runs: a timer does not drift. It never
/// fires early. A new schedule replaces the old one, including events that are not handled yet; it has no effect on a cancelled
/// source.
///
/// Thread safety: every method may be called from any thread.
///
/// ```swift
/// let timer = DispatchSource.makeTimerSource(queue: .global()), fired = DispatchSemaphore(value: 0)
/// timer.schedule(deadline: .now() + .milliseconds(20), leeway: .milliseconds(5))
/// timer.setEventHandler { fired.signal() }
/// timer.activate()
/// fired.wait()
/// timer.cancel()
/// ```
public protocol DispatchSourceTimer: DispatchSourceProtocol, Sendable {
  /// Fires once, at `deadline`.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  func scheduleOneshot(deadline: DispatchTime, leeway: DispatchTimeInterval)
  /// Fires once, when the wall clock reaches `wallDeadline`.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  func scheduleOneshot(wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval)
  /// Fires at `deadline` and every `interval` after it.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  func scheduleRepeating(deadline: DispatchTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
  /// Fires at `deadline` and every `interval` seconds after it.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  func scheduleRepeating(deadline: DispatchTime, interval: Double, leeway: DispatchTimeInterval)
  /// Fires when the wall clock reaches `wallDeadline` and every `interval` after it.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  func scheduleRepeating(wallDeadline: DispatchWallTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
  /// Fires when the wall clock reaches `wallDeadline` and every `interval` seconds after it.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  func scheduleRepeating(wallDeadline: DispatchWallTime, interval: Double, leeway: DispatchTimeInterval)
}

extension DispatchSourceTimer {
  /// Fires at `deadline`, then after every `interval` unless that is `never`.
  ///
  /// - Parameters:
  ///   - deadline: a time on the uptime clock. A deadline that has passed fires at once; `distantFuture` never does.
  ///   - interval: zero counts as one nanosecond. A negative one stops the program.
  ///   - leeway: the delay allowed so that several timers can share one wake-up; the timer fires at the latest point that
  ///     serves all of them. After the first point at most half the interval applies. The default is none, with or without the
  ///     flag `strict`; `never` counts as one second. A negative one stops the program.
  /// - Complexity: O(1).
  public func schedule(
    deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { asSource { $0.schedule(deadline.rawValue, interval.timerNanoseconds("interval"), leeway) } }

  /// Fires at `deadline`, then every `interval` seconds. An infinite interval, or one that is too large, fires once; a negative
  /// one or NaN stops the program. Otherwise as `schedule(deadline:repeating:leeway:)`.
  public func schedule(
    deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { asSource { $0.schedule(deadline.rawValue, interval.timerNanoseconds, leeway) } }

  /// Fires when the wall clock reaches `wallDeadline`, then after every `interval`; follows the clock when it is set. Otherwise
  /// as `schedule(deadline:repeating:leeway:)`.
  public func schedule(
    wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { asSource { $0.schedule(wallDeadline.rawValue, interval.timerNanoseconds("interval"), leeway) } }

  /// Fires when the wall clock reaches `wallDeadline`, then every `interval` seconds; follows the clock when it is set.
  /// Otherwise as the other forms.
  public func schedule(
    wallDeadline: DispatchWallTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { asSource { $0.schedule(wallDeadline.rawValue, interval.timerNanoseconds, leeway) } }

  /// The old name of `schedule(deadline:repeating:leeway:)`.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  public func scheduleOneshot(deadline: DispatchTime, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    schedule(deadline: deadline, leeway: leeway)
  }
  /// The old name of `schedule(wallDeadline:repeating:leeway:)`.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  public func scheduleOneshot(wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    schedule(wallDeadline: wallDeadline, leeway: leeway)
  }
  /// The old name of `schedule(deadline:repeating:leeway:)`.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  public func scheduleRepeating(
    deadline: DispatchTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { schedule(deadline: deadline, repeating: interval, leeway: leeway) }
  /// The old name of `schedule(deadline:repeating:leeway:)`; `interval` is in seconds.
  @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
  public func scheduleRepeating(
    deadline: DispatchTime, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { schedule(deadline: deadline, repeating: interval, leeway: leeway) }
  /// The old name of `schedule(wallDeadline:repeating:leeway:)`.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  public func scheduleRepeating(
    wallDeadline: DispatchWallTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway) }
  /// The old name of `schedule(wallDeadline:repeating:leeway:)`; `interval` is in seconds.
  @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
  public func scheduleRepeating(
    wallDeadline: DispatchWallTime, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway) }
}

extension DispatchSource: DispatchSourceTimer {
  /// Options for creating a timer source.
  ///
  /// ```swift
  /// let timer = DispatchSource.makeTimerSource(flags: .strict)  // accepted; timers add no leeway of their own
  /// timer.schedule(deadline: .now() + .seconds(1))
  /// timer.setEventHandler { print("one second later") }
  /// timer.activate()
  /// timer.cancel()
  /// ```
  public struct TimerFlags: OptionSet, RawRepresentable, Sendable {
    /// The bits, with the values of the C constants.
    public let rawValue: UInt
    /// Creates the set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Keeps the leeway exactly as given. Every timer here does that, with or without the flag.
    public static let strict = TimerFlags(rawValue: 1)
  }

  /// Makes a timer source whose handlers run on `queue`; nil means the default global queue. The source is inactive and has no
  /// schedule.
  public class func makeTimerSource(flags: TimerFlags = [], queue: DispatchQueue? = nil) -> any DispatchSourceTimer {
    TimerSource(queue: queue, flags: flags.rawValue)
  }

  fileprivate final func schedule(_ start: dispatch_time_t, _ interval: UInt64, _ leeway: DispatchTimeInterval) {
    guard let timer = core as? TimerCore else {
      Misuse.stop(
        "schedule is called on \(core.sourceName), whose events come from elsewhere: make a timer by makeTimerSource()")
    }
    Events.emit(.timerScheduled, core.address)
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
