// SetClockTests.swift: timers when the wall clock is set, forward and back. The clock is this process's own; what the kernel
// tells when the machine's is set is stood in for by an alarm.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct SetClockTests {
    static let hour: Int64 = 3_600_000_000_000

    /// Sets the clock; the kernel would tell, by the same way, every process that has an alarm on it.
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

    /// Each seed is a play of its own: delayed items and repeating timers are armed while the clock is set to and fro by up to a day.
    @Test(
      "However the clock is set, each delayed item comes once, not before its time, and repeating timers go on",
      arguments: 1...4)
    func storm(seed: UInt64) async {
      await #expect(processExitsWith: .success) { [seed = seed as UInt64] in
        killOnHang()
        var dice = Dice(state: seed)
        let (queue, group) = (DispatchQueue(label: "storm", attributes: .concurrent), DispatchGroup())
        let (early, twice, latest) = (Count(), Count(), Latest())
        let timers = (0..<4).map { _ in RepeatingTimer(every: .seconds(Int.random(in: 1...7_200, using: &dice)), queue) }
        for _ in 0..<2_000 {
          switch Int.random(in: 0..<12, using: &dice) {
          case 0:
            // What was due by the clock until now may come later; a minute more, since other threads read it between these lines.
            latest.raise(to: Clock.wall() + 60_000_000_000)
            Self.set(by: Int64.random(in: -24 * Self.hour...24 * Self.hour, using: &dice))
          case 1: Clock.testsOnly_stepWall(by: Int64.random(in: -1_000_000...1_000_000, using: &dice))
          default:
            let due = Clock.wall() - 1_000_000_000 + UInt64.random(in: 0...7_200_000_000_000, using: &dice)
            let time = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
            let ran = Count()
            group.enter()
            queue.asyncAfter(wallDeadline: DispatchWallTime(timespec: time)) {
              if max(latest.value, Clock.wall()) < due { early.add() }
              if ran.add() > 1 { twice.add() }
              group.leave()
            }
          }
        }
        Self.set(by: Int64(max(latest.value, Clock.wall()) - Clock.wall()) + 100 * Self.hour)
        #expect(group.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(early.value == 0 && twice.value == 0, "\(early.value) early, \(twice.value) twice")
        for timer in timers {
          let before = timer.events.value
          #expect(
            eventually {
              Self.set(by: 2 * Self.hour)
              return timer.events.value > before
            })
          timer.source.cancel()
        }
      }
    }

    /// The latest time that the clock has shown before it was set.
    private final class Latest: Sendable {
      private let word = Atomic64(0)
      var value: UInt64 { word.loadAcquire() }
      func raise(to value: UInt64) {
        var old = word.loadAcquire()
        while old < value {
          let step = word.casAcqRel(old, value)
          if step.exchanged { return }
          old = step.original
        }
      }
    }

    /// Numbers that follow from a seed.
    private struct Dice: RandomNumberGenerator {
      var state: UInt64
      mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
      }
    }

    /// A repeating timer on the wall clock that counts its events.
    private struct RepeatingTimer {
      let source: any DispatchSourceTimer
      let events = Count()
      init(every interval: DispatchTimeInterval, _ queue: DispatchQueue) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.schedule(wallDeadline: .now() + interval, repeating: interval)
        source.setEventHandler { [events] in events.add() }
        source.activate()
      }
    }
  }
}
