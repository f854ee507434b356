// ClockAlarm.swift: what wakes the timers of a clock when a point has come: an alarm of the kernel that the event thread monitors,
// or, where the system refuses a descriptor for that, a thread that sleeps until then. Which point is ClockTimers.swift.
import SignalboxSystem

/// Thread safety: `set` any thread; of several at once the last decides.
final class ClockAlarm: Sendable {
  private let clock: RawTime.Clock
  /// nil: the thread of our own.
  private let alarm: Alarm?
  /// The point that the thread of our own sleeps for, and a word that changes with it.
  private let point = Atomic64(.max)
  private let changes = Atomic32(0)

  /// 1: the thread of our own is to end.
  private let isEnding = Atomic32(0)

  /// An alarm that is off.
  ///
  /// - Parameters:
  ///   - isPrivate: whether it is a private engine's, which has a thread for it.
  ///   - goes: called when the point has come, and for no reason; never twice at a time.
  init(_ clock: RawTime.Clock, isPrivate: Bool = false, goes: @escaping @Sendable () -> Void) {
    self.clock = clock
    alarm = isPrivate ? nil : try? Self.watched(clock, goes)
    if alarm == nil { startThread(goes, isFirst: true) }
  }

  /// Ends the thread of our own; the alarm does not go any more.
  func end() {
    isEnding.storeSeqCst(1)  // seq_cst: before the word, as a point is (A1)
    _ = changes.addSeqCst(1)  // seq_cst, as in `set`
    changes.wake()
  }

  private static func watched(_ clock: RawTime.Clock, _ goes: @escaping @Sendable () -> Void) throws(SystemError) -> Alarm {
    let alarm = try Alarm(clock.kernelClock)
    // Edge-triggered, once each time it goes: it need not be read, setting it again makes it silent.
    _ = try EventThread.shared.watch(alarm.descriptor, for: [.readable, .edge], isAlarm: true) { _ in goes() }
    return alarm
  }

  /// Goes at `point` of its clock, at once if that has passed; never at the largest.
  func set(for point: UInt64) {
    if let alarm {
      if point == .max { alarm.disarm() } else { alarm.arm(at: point) }
    } else {
      self.point.storeSeqCst(point)  // seq_cst A1: before the word
      // seq_cst A1: after the point; the sleeper reads the word before the point, so it sees this one or does not sleep.
      _ = changes.addSeqCst(1)
      changes.wake()
    }
  }

  /// Points that are set before there is a thread are found by it.
  private func startThread(_ goes: @escaping @Sendable () -> Void, isFirst: Bool) {
    ForkGuard.arm()
    do {
      try Threads.spawn(name: "signalbox.alarm", stackSize: 256 * 1024) { self.sleepAndCall(goes) }
    } catch {
      if isFirst {
        Misuse.report(
          "timers have neither a descriptor nor a thread (\(error)), and wait for one: "
            + "raise the limits of open files and threads")
      }
      // Not by a timer. A worker that sleeps is the only clock left; without any, this is the first item of the next.
      RetrySoon.call { self.startThread(goes, isFirst: false) }
    }
  }

  private func sleepAndCall(_ goes: () -> Void) {
    while true {
      PrivateClocks.areTouched()
      let seen = changes.loadSeqCst()  // A2: before the point
      let point = point.loadSeqCst()  // seq_cst A2
      if isEnding.loadSeqCst() == 1 { return }  // seq_cst: after the word, as A2
      if point <= clock.present {
        _ = self.point.casSeqCst(point, .max)  // seq_cst, as A1: unless it has been set anew
        goes()
        PrivateClocks.areTouched()  // a point may lie between
      } else {
        let deadline = point == .max ? ParkDeadline.never : Deadline(clock: clock, point: point).parkDeadline()
        changes.park(expected: seen, deadline: deadline)
      }
    }
  }
}
