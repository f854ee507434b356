// TimerSource.swift: the timer of a timer source: its schedule, and the one entry that is armed for it; and the object
// that users hold. Life and handlers are SourceCore's, the points in time TimerSchedule's, the alarm ClockTimers'.
//
// The event thread signals an event when the entry comes due; the check that follows asks the clock how many points
// have passed, and arms the entry for the next one before the handler runs. Nothing is lost: while the schedule has a
// next point and the source is started and not over, the entry is out for no later than that point, or a check is in
// the queue or about to be.
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

package final class TimerCore: SourceCore, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; the timing is guarded by `lock`, the entry by the lock of its clock.

  private struct Timing {
    var isStarted = false
    var schedule: TimerSchedule?
    /// The clock that the entry was armed on last; its timers live forever, and are not counted at every call.
    var timers: Lent<ClockTimers>?
  }
  private let lock = UnfairLock()
  // Unchecked: the lock excludes what the exclusivity check detects, and that check took longer than the lock.
  @exclusivity(unchecked) private var timing = Timing()
  /// Whether the entry is armed: changes under the lock of its clock, from 0 by this timer's own calls only.
  private let isOut = Atomic32(0)
  /// Reached by `entry` alone. While it is armed somebody holds this object (see README.md), and so does what has come due.
  @exclusivity(unchecked) private var entryMemory = TimerEntry()

  init(target: DispatchQueue, flags: UInt) {
    super.init(kind: "timer", target: target, mask: flags)
    entry = withUnsafeMutablePointer(to: &entryMemory) { $0 }
  }

  /// Taken once, before anybody else knows of it: taking the address anew would count as writing what lies there.
  // SAFETY: a stored property stays where it is while its object lives; what is behind the pointer the clock's lock guards.
  private var entry: TimerEntryPointer!

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

  /// For a point that has come a check is enough, which the caller signals; it arms the entry.
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
    if let last = timing.timers, last != timers { disarm() }
    timing.timers = timers
    if Events.areWanted(.timerArmed) {
      let present = schedule.clock.present
      Events.tell(.timerArmed, recordedPlace, 0, window.deadline - min(window.deadline, present))
    }
    // relaxed: read by this timer's own calls, and by others under the lock of the clock
    timers.use { $0.arm(entry, window, receiver) { isOut.storeRelaxed(1) } }
  }

  private func disarm() {
    // acquire: pairs with the release in isDue(); without it this object could be let go of before the event thread holds it.
    guard isOut.loadAcquire() != 0 else { return }
    timing.timers?.use { $0.disarm(entry) }
    Events.emit(.timerCancelled, recordedPlace)
    isOut.storeRelaxed(0)  // relaxed: as in arm()
  }

  // MARK: under the lock of the clock

  /// How the clock tells that the time has come. SAFETY: it is given this object's address, see TimerReceiver.
  private var receiver: TimerReceiver {
    TimerReceiver(
      object: Unmanaged.passUnretained(self).toOpaque(),
      isDue: { Lent<TimerCore>(at: UInt64(UInt(bitPattern: $0))).use { $0.isDue() } },
      fire: {
        let own = Unmanaged<TimerCore>.fromOpaque($0)
        Lent(own).use { $0.signalEvent() }
        own.release()
      })
  }

  /// The entry was taken out because its time has come: what is to be done about that holds this object.
  private func isDue() {
    _ = Unmanaged.passRetained(self)
    isOut.storeRelease(0)  // release: after the reference is taken; pairs with the acquire in disarm()
  }
}

// MARK: the object that users hold

/// A timer source.
package final class TimerSource: DispatchSource, @unchecked Sendable {
  // SAFETY of @unchecked: the core guards itself.
  private let timer: TimerCore

  /// A timer whose handlers run on `queue`; nil means the default global queue.
  package init(queue: DispatchQueue?, flags: UInt = 0) {
    timer = TimerCore(target: DispatchSource.target(queue), flags: flags)
    super.init(timer)
  }

  /// Fires at `start`, a raw time, and every `interval` nanoseconds after; `UInt64.max` fires once. Replaces what was set
  /// before; events that have not been handled yet are forgotten.
  package func set(start: dispatch_time_t, interval: UInt64, leeway: UInt64 = 0) {
    timer.set(start: start, interval: interval, leeway: leeway)
  }
}
