// PrivateClocks.swift: timers of a private engine (PrivateEngine.swift): each clock's has a thread for an alarm, and begins anew
// with each run.
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// The clocks of threads whose times an exploration chooses.
///
/// Thread safety: `timers` on threads of the engine; `reset` while there is no such thread and nothing is armed. Whoever makes one
/// keeps it forever.
final class PrivateClocks: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `lock`.
  private let lock = UnfairLock()
  private var made: [RawTime.Clock: ClockTimers] = [:]

  /// The calling thread's; nil if it has the process's.
  @inline(__always) static var ofCaller: Lent<PrivateClocks>? {
    // SAFETY: set by `adopt` to one that lives forever.
    ThreadSlot.current.pointee.clocks.map { Lent(at: UnsafeRawPointer($0)) }
  }

  /// The calling thread has these clocks from now on.
  func adopt() { ThreadSlot.current.pointee.clocks = Unmanaged.passUnretained(self).toOpaque() }
  /// The calling thread has the process's again.
  static func leave() { ThreadSlot.current.pointee.clocks = nil }

  /// For a search of all schedules: the calling thread's step depends on what is armed on its clocks, or changes it. All of them are one.
  static func areTouched() {
    if let clocks = ThreadSlot.current.pointee.clocks { Events.emit(.touched, UInt(bitPattern: clocks)) }
  }

  func timers(_ clock: RawTime.Clock) -> Lent<ClockTimers> {
    lock.withLock {
      if let timers = made[clock] { return Lent(timers) }
      let timers = ClockTimers(clock, isPrivate: true)
      made[clock] = timers
      return Lent(timers)
    }
  }

  private var all: [ClockTimers] { lock.withLock { Array(made.values) } }
  /// How many have been made; each has a thread.
  var count: Int { lock.withLock { made.count } }
  /// How many timers are armed.
  var armed: Int { all.reduce(0) { $0 + $1.armedCount } }
  /// Lets the alarms' threads end.
  func endAlarms() { for timers in all { timers.endAlarm() } }
  /// Forgets them.
  func reset() { lock.withLock { made = [:] } }
}
