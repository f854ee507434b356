// Clock.swift: the bench's two clocks and its pause.
import Glibc

/// Nanoseconds of the monotonic clock.
public func monotonicNanoseconds() -> Double { nanoseconds(of: CLOCK_MONOTONIC) }

/// Nanoseconds of processor time that all threads of this process have used.
public func processorNanoseconds() -> Double { nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

private func nanoseconds(of clock: clockid_t) -> Double {
  var now = timespec()
  clock_gettime(clock, &now)
  return Double(now.tv_sec) * 1e9 + Double(now.tv_nsec)
}

/// Sleeps: the thread uses no processor time.
public func pause(microseconds: Int) {
  var wanted = timespec(tv_sec: microseconds / 1_000_000, tv_nsec: microseconds % 1_000_000 * 1_000)
  var left = wanted
  while nanosleep(&wanted, &left) != 0 { wanted = left }
}
