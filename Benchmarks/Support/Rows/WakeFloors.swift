// WakeFloors.swift: the floors that wake another thread through the kernel: a bare pthread behind a bare semaphore, at once or
// when an alarm goes.
import Glibc

/// A thread that wakes whenever it is rung for, notes the moment and answers.
private final class Sleeper {
  let moment = Stamp()
  private let crew: Crew

  init() {
    let moment = moment
    crew = Crew(threads: 1, placement: .free) { _, _ in moment.mark() }
  }

  func ringAndAwaitAnswer() { _ = crew.run(1) }
}

func wakeRoundTrips() -> Workload {
  let sleeper = Sleeper()
  return .timed { count in for _ in 0..<count { sleeper.ringAndAwaitAnswer() } }
}

func wakesAfterIdle() -> Workload {
  let sleeper = Sleeper()
  return .selfTimed { count in
    sumOfWakeTimes(count, moment: sleeper.moment) { sleeper.ringAndAwaitAnswer() }
  }
}

/// Sleeps 1 ms, then wakes a thread by `ring`, `count` times; sums the times from before `ring` to the `moment` noted
/// by the thread that woke. `ring` must return after that.
public func sumOfWakeTimes(_ count: Int, moment: Stamp, ring: () -> Void) -> Double {
  var sum = 0.0
  for _ in 0..<count {
    pause(microseconds: 1_000)
    let start = monotonicNanoseconds()
    ring()
    sum += moment.nanoseconds - start
  }
  return sum
}

/// Begins 1 ms before an alarm of the kernel, which a thread sleeps for that then rings; what counts is from the alarm's time to
/// the moment that the other one notes.
func lateAlarms() -> Workload {
  let (sleeper, alarm) = (Sleeper(), KernelAlarm())
  return .selfTimed { count in
    var late = 0.0
    for _ in 0..<count {
      let point = monotonicNanoseconds() + 1_000_000
      alarm.sleep(until: point)
      sleeper.ringAndAwaitAnswer()
      late += sleeper.moment.nanoseconds - point
    }
    return late
  }
}

/// A timerfd on the monotonic clock.
private final class KernelAlarm {
  private typealias Create = @convention(c) (CInt, CInt) -> CInt
  private typealias Set = @convention(c) (CInt, CInt, UnsafePointer<itimerspec>, UnsafeMutablePointer<itimerspec>?) -> CInt
  private let descriptor: CInt
  private let set: Set

  init() {
    // SAFETY: the C library documents these signatures; the Glibc module shows neither function.
    let create = unsafeBitCast(dlsym(nil, "timerfd_create"), to: Create.self)
    set = unsafeBitCast(dlsym(nil, "timerfd_settime"), to: Set.self)
    descriptor = create(CLOCK_MONOTONIC, CInt(O_CLOEXEC))
    precondition(descriptor >= 0, "no timerfd for the bench")
  }

  deinit { close(descriptor) }

  func sleep(until nanoseconds: Double) {
    var when = itimerspec()
    when.it_value = timespec(tv_sec: Int(nanoseconds / 1e9), tv_nsec: Int(nanoseconds.truncatingRemainder(dividingBy: 1e9)))
    _ = set(descriptor, 1, &when, nil)  // TFD_TIMER_ABSTIME
    var count: UInt64 = 0
    while read(descriptor, &count, 8) < 0 {}
  }
}
