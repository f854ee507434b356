// TimerCore.swift: the timer of a timer source: its schedule, and the one entry that is armed for it. Life and handlers are
// SourceCore's, the points in time TimerSchedule's, the alarm ClockTimers'.
//
// The event thread signals an event when the entry comes due; the look that follows asks the clock how many points have passed,
// and arms the entry for the next one before the handler runs. Nothing is lost: while the schedule has a next point and the
// source is started and not over, the entry is out for no later than that point, or a look is in the queue or about to be.
import SignalboxLocks
import SignalboxSystem

package final class TimerCore: SourceCore, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; the timing is guarded by `lock`, the entry by the lock of its clock.

  private struct Timing {
    var isStarted = false
    var schedule: TimerSchedule?
    /// The clock that the entry was armed on last.
    var timers: ClockTimers?
  }
  private let lock = UnfairLock()
  private var timing = Timing()
  /// Armed or due it holds this object, so at the end it is neither. Reached by `entry` alone.
  @exclusivity(unchecked) private var entryMemory = TimerEntry()

  init(target: DispatchQueue, flags: UInt) { super.init(kind: "timer", target: target, mask: flags) }

  private var entry: TimerEntryPointer {
    // SAFETY: a stored property stays where it is while its object lives; what is behind the pointer the clock's lock guards.
    withUnsafeMutablePointer(to: &entryMemory) { $0 }
  }

  override func start() {
    let isDue = lock.withLock { () -> Bool in
      timing.isStarted = true
      return armUnlessDue()
    }
    if isDue { signalEvent() }
  }

  override func stop() {
    lock.withLock {
      timing.schedule = nil
      disarm()
    }
    stopped()
  }

  func set(start: dispatch_time_t, interval: UInt64, leeway: UInt64) {
    let schedule = TimerSchedule(start: start, interval: interval, leeway: leeway)
    let isDue = lock.withLock { () -> Bool in
      timing.schedule = schedule
      forgetData()
      return armUnlessDue()
    }
    if isDue { signalEvent() }
  }

  override func takeData() -> UInt? {
    lock.withLock { () -> UInt? in
      guard let clock = timing.schedule?.clock else { return nil }
      let passed = timing.schedule?.advance(to: clock.present)
      arm()
      return passed == 0 ? nil : passed
    }
  }

  // MARK: under the lock

  /// For a point that has come a look is enough, which the caller signals; it arms the entry.
  private func armUnlessDue() -> Bool {
    guard timing.isStarted, let schedule = timing.schedule, let next = schedule.next else {
      disarm()
      return false
    }
    if next <= schedule.clock.present { return true }
    arm()
    return false
  }

  private func arm() {
    guard !isOver, let schedule = timing.schedule, let window = schedule.window else { return disarm() }
    let timers = ClockTimers.of(schedule.clock)
    if timing.timers !== timers { disarm() }
    timing.timers = timers
    timers.arm(entry, window, self)
  }

  private func disarm() {
    // Not the last reference: the caller has one.
    if timing.timers?.disarm(entry) == true { Unmanaged.passUnretained(self).release() }
  }
}
