// WakeFloors.swift: the floors that wake another thread through the kernel: a bare pthread behind a bare semaphore.

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

/// Sleeps 1 ms, then wakes somebody by `ring`, `count` times; sums the times from before `ring` to the `moment` noted by the
/// one who woke. `ring` must return after that.
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
