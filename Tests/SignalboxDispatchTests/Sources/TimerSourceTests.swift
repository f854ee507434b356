// TimerSourceTests.swift: timer sources as objects of the engine. What C programs see of them is tested on both libraries by
// the programs under Tests/Programs.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Timer sources") struct TimerSourceTests {
  static func after(_ nanoseconds: UInt64) -> dispatch_time_t { RawTime.adding(Int64(nanoseconds), to: RawTime.now) }

  final class Capture: Sendable {
    let freed: Count
    init(_ freed: Count) { self.freed = freed }
    deinit { freed.add() }
  }

  @Test("A timer that fires once does so, not before its time, and only after activation")
  func once() {
    let queue = DispatchQueue(label: "timer")
    let (timer, fired, start) = (TimerSource(queue: queue), DispatchSemaphore(value: 0), Clock.uptime())
    timer.set(start: Self.after(milliseconds(20)), interval: .max)
    timer.setHandler(.event, .closure { fired.signal() })
    #expect(fired.wait(timeout: .now() + .milliseconds(1)) == .timedOut)
    timer.activate()
    #expect(fired.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(Clock.uptime() - start >= milliseconds(20))
    #expect(timer.core.data == 1)
    timer.core.cancel()
  }

  @Test("A repeating timer counts what passes while it is suspended, and stays on its grid")
  func suspended() {
    let queue = DispatchQueue(label: "timer")
    let (timer, fired, counted) = (TimerSource(queue: queue), DispatchSemaphore(value: 0), Count())
    let start = Clock.uptime()
    timer.setHandler(
      .event,
      .closure {
        if counted.value == 0 { counted.value = UInt64(timer.core.data) }  // the first event counts what was missed
        fired.signal()
      })
    timer.suspend()
    timer.activate()
    timer.set(start: start + 1, interval: milliseconds(2))
    while Clock.uptime() < start + milliseconds(31) { spinPause() }
    timer.resume()
    #expect(fired.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(counted.value >= 15)
    timer.core.cancel()
  }

  @Test("Inside its handler a timer can be set anew, and cancelled; the cancel handler comes last and once")
  func insideTheHandler() {
    let queue = DispatchQueue(label: "timer")
    let (timer, ended, events) = (TimerSource(queue: queue), DispatchSemaphore(value: 0), Count())
    timer.setHandler(
      .event,
      .closure {
        if events.add() < 5 { timer.set(start: Self.after(1000), interval: .max) } else { timer.core.cancel() }
      })
    timer.setHandler(.cancel, .closure { ended.signal() })
    timer.set(start: Self.after(1000), interval: 1000)
    timer.resume()  // an inactive source is activated by it
    #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    timer.core.cancel()
    queue.sync {}
    #expect(events.value == 5 && timer.core.isCancelled)
    #expect(ended.wait(timeout: .now() + .milliseconds(1)) == .timedOut)
  }

  @Test("Without its last reference a timer fires no more, and lets go of what its handlers hold", arguments: [true, false])
  func abandoned(isActive: Bool) {
    let (freed, events) = (Count(), Count())
    do {
      let capture = Capture(freed)
      let timer = TimerSource(queue: nil)
      timer.setHandler(.event, .closure { _ = (capture, events.add()) })
      timer.set(start: Self.after(milliseconds(5)), interval: milliseconds(5))
      if isActive { timer.activate() }
      if isActive { #expect(eventually { events.value > 0 }) }
    }
    #expect(eventually { freed.value == 1 })
    let last = events.value
    let end = Clock.uptime() + milliseconds(20)
    while Clock.uptime() < end { spinPause() }
    #expect(events.value == last)
  }

  @Test("A timer freed while suspended stops the program")
  func freedSuspended() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let timer = TimerSource(queue: DispatchQueue(label: "held"))
      timer.activate()
      timer.suspend()
      _ = consume timer
    }
    expectStop(result, saying: "a timer source on queue \"held\" is freed while suspended")
  }

  @Test("Timers on all clocks, set, suspended and cancelled from several threads, end with their cancel handlers")
  func storm() {
    let (ended, events) = (DispatchGroup(), Count())
    let queues = [DispatchQueue(label: "a"), DispatchQueue(label: "b", attributes: .concurrent), .global()]
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<40 {
        let timer = TimerSource(queue: queues[(thread + round) % 3])
        ended.enter()
        timer.setHandler(.cancel, .closure { ended.leave() })
        timer.setHandler(.event, .closure { events.add() })
        timer.activate()
        for step in 0..<6 {
          let start: dispatch_time_t =
            switch (round + step) % 3 {
            case 0: Self.after(UInt64(step) * 50_000)
            case 1: RawTime.adding(Int64(step) * 50_000, to: 1 << 63)
            default: RawTime.adding(Int64(step) * 50_000, to: RawTime.wallNow)
            }
          timer.set(start: start, interval: step % 2 == 0 ? .max : 30_000)
          if step == 3 {
            timer.suspend()
            queues[2].async { timer.resume() }
          }
        }
        queues[2].async { timer.core.cancel() }
      }
    }
    #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
  }
}
