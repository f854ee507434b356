// SetClockTests.swift: timers when the wall clock is set, forward and back. The clock is this process's own; what the kernel
// tells when the machine's is set is stood in for by an alarm.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct SetClockTests {
    static let hour: Int64 = 3_600_000_000_000

    /// Sets the clock; the kernel would tell, by the same way, all who have an alarm on it.
    static func set(by nanoseconds: Int64) {
      Clock.testsOnly_stepWall(by: nanoseconds)
      ClockTimers.wall.testsOnly_clockWasSet()
    }

    @Test("When the clock is set forward, what is due by the new time comes at once, on the wall clock alone")
    func forward() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let queue = DispatchQueue(label: "forward")
        let (due, others) = (DispatchGroup(), Count())
        let wall = DispatchWallTime.now()
        for minutes in [1, 30, 59] {
          due.enter()
          queue.asyncAfter(wallDeadline: wall + .seconds(60 * minutes)) { due.leave() }
        }
        queue.asyncAfter(wallDeadline: wall + .seconds(2 * 3_600)) { others.add() }
        queue.asyncAfter(deadline: .now() + .seconds(1_800)) { others.add() }
        queue.asyncAfter(raw: RawTime.adding(Self.hour / 2, to: 1 << 63)) { others.add() }
        #expect(due.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
        Self.set(by: Self.hour)
        #expect(due.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        queue.sync {}
        #expect(others.value == 0)
        #expect(ClockTimers.wall.testsOnly_figures.count == 1)
      }
    }

    @Test("When the clock is set back what was near is far, and what is armed then comes at its time")
    func back() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let queue = DispatchQueue(label: "back")
        // Beyond it in time, so that the wheel has been turned.
        let turned = DispatchSemaphore(value: 0)
        queue.asyncAfter(wallDeadline: .now() + .milliseconds(5)) { turned.signal() }
        turned.wait()
        var delay = 150
        while !Self.isSetBackInTime(queue, delay) { delay *= 2 }
      }
    }

    /// Arms timers that are due in `delay` milliseconds, and sets the clock back before that. False: this thread came too late.
    private static func isSetBackInTime(_ queue: DispatchQueue, _ delay: Int) -> Bool {
      let (old, new, crowd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Count())
      let due = Clock.uptime() + milliseconds(UInt64(delay))
      queue.asyncAfter(wallDeadline: .now() + .milliseconds(delay)) { old.signal() }
      for index in 0..<1_000 { queue.asyncAfter(wallDeadline: .now() + .milliseconds(delay + 50 + index)) { crowd.add() } }
      set(by: -hour)
      let isInTime = Clock.uptime() < due
      if isInTime {
        queue.asyncAfter(wallDeadline: .now() + .milliseconds(10)) { new.signal() }
        #expect(new.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(old.wait(timeout: .now() + .milliseconds(delay + 100)) == .timedOut)
        #expect(crowd.value == 0)
      }
      set(by: hour)
      #expect(old.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      #expect(eventually { crowd.value == 1_000 })
      return isInTime
    }

    @Test("When the clock was set back unnoticed, timers armed by the new time still fire on time")
    func untold() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let queue = DispatchQueue(label: "untold")
        let (turned, new) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.asyncAfter(wallDeadline: .now() + .milliseconds(5)) { turned.signal() }
        turned.wait()
        queue.asyncAfter(wallDeadline: .now() + .seconds(7_200)) {}
        Clock.testsOnly_stepWall(by: -Self.hour)
        let deadline = Clock.wall() + 20_000_000
        queue.asyncAfter(wallDeadline: .now() + .milliseconds(20)) { new.signal() }
        #expect(new.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(Clock.wall() >= deadline)
      }
    }

    @Test("A repeating wall timer counts the points that were leapt over, and waits for those that come again")
    func repeating() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (events, last) = (Count(), Count())
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "repeating"))
        timer.setEventHandler {
          last.value = UInt64(timer.data)
          events.add()
        }
        timer.schedule(wallDeadline: .now(), repeating: .seconds(60))
        timer.activate()
        #expect(eventually { events.value == 1 })
        Self.set(by: Self.hour)
        #expect(eventually { events.value == 2 })
        #expect(last.value == 60)
        Self.set(by: -Self.hour)
        waitForWhatMustNotCome(milliseconds: 50)
        #expect(events.value == 2)
        Self.set(by: Self.hour + 60_000_000_000)
        #expect(eventually { events.value == 3 })
        #expect(last.value == 1)
        timer.cancel()
      }
    }
  }
}
