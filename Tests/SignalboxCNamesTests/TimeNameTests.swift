// TimeNameTests.swift: dispatch_time and dispatch_walltime at the ends of their range.
import SignalboxCNames
import Testing

@Suite("C times at the ends of their range") struct TimeNameTests {
  @Test("A time from now counts on the uptime clock")
  func uptime() {
    let now = dispatch_time(DISPATCH_TIME_NOW, 0)
    #expect(now != 0 && now >> 63 == 0)
    #expect(dispatch_time(now, 5) == now + 5)
    #expect(dispatch_time(now, -5) == now - 5)
    #expect(dispatch_time(DISPATCH_TIME_NOW, .max) == DISPATCH_TIME_FOREVER)
    #expect(dispatch_time(DISPATCH_TIME_NOW, .min) == 1)
    #expect(dispatch_time(DISPATCH_TIME_FOREVER, .min) == DISPATCH_TIME_FOREVER)
    #expect(dispatch_time(DISPATCH_TIME_FOREVER, 0) == DISPATCH_TIME_FOREVER)
  }

  @Test("A wall time counts from the system's clock or from a given time")
  func wall() {
    let now = dispatch_walltime(nil, 0)
    #expect(now >> 62 == 0b11)
    #expect(dispatch_time(now, 5) == now - 5)
    let again = dispatch_time(DISPATCH_WALLTIME_NOW, 0)
    #expect(now - again < NSEC_PER_SEC)
    var second = timespec(tv_sec: 1, tv_nsec: 1)
    #expect(dispatch_walltime(&second, 1) == 0 &- 1_000_000_002)
    #expect(dispatch_walltime(&second, .max) == DISPATCH_TIME_FOREVER)
    #expect(dispatch_walltime(&second, .min) == 0 &- 2)
    second.tv_sec = .max
    #expect(dispatch_walltime(&second, 0) == DISPATCH_TIME_FOREVER)
  }

  @Test("The constants of time have the header's values")
  func constants() {
    #expect(NSEC_PER_SEC == NSEC_PER_MSEC * 1000)
    #expect(NSEC_PER_SEC == NSEC_PER_USEC * USEC_PER_SEC)
    #expect(DispatchTime.distantFuture.rawValue == DISPATCH_TIME_FOREVER)
    #expect(DISPATCH_BLOCK_BARRIER == DispatchWorkItemFlags.barrier.rawValue)
    #expect(DISPATCH_BLOCK_ENFORCE_QOS_CLASS == DispatchWorkItemFlags.enforceQoS.rawValue)
  }

  /// Past times are due at once, on every clock; forever is never due.
  @Test(
    "A past time is due at once on every clock, and forever is never due",
    arguments: [1, dispatch_walltime(nil, -1_000_000_000), DISPATCH_WALLTIME_NOW, 1 << 63 | 1] as [dispatch_time_t])
  func pastTimesAreDue(when: dispatch_time_t) {
    let ran = dispatch_semaphore_create(0)
    dispatch_after(when, dispatch_get_global_queue(0, 0)) { dispatch_semaphore_signal(ran) }
    #expect(dispatch_semaphore_wait(ran, eventually()) == 0)
    #expect(dispatch_semaphore_wait(ran, when) != 0)
  }
}
