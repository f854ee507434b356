// ClockTimersTests.swift: timers by the thousand and their event thread: what is armed, what is moved, which thread
// wakes. In processes of their own, where no other code has timers.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct ClockTimersTests {
    static let hour = DispatchTimeInterval.seconds(3_600)
    /// A sanitizer makes everything slower, and has an allocator of its own.
    static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

    /// The event thread, once there is one.
    static func eventThread() -> UInt64 {
      #expect(eventually { Kernel.threads().contains { Kernel.name(of: $0) == "signalbox.event" } })
      return Kernel.threads().first { Kernel.name(of: $0) == "signalbox.event" } ?? 0
    }

    /// Timers on a queue, an hour away and more.
    static func farTimers(_ count: Int, _ queue: DispatchQueue) -> [any DispatchSourceTimer] {
      (0..<count).map { index in
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + hour + .microseconds(index * 7_919 % count), repeating: .milliseconds(1))
        timer.activate()
        return timer
      }
    }

    @Test("A million delays are armed in one step each, and a due one still fires at once")
    func million() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (queue, done) = (DispatchQueue(label: "far"), DispatchSemaphore(value: 0))
        let deadline = DispatchTime.now() + Self.hour
        for index in 0..<1_000_000 { queue.asyncAfter(deadline: deadline + .microseconds(index * 7_919 % 1_000_003)) {} }
        let armed = ClockTimers.uptime.testsOnly_figures
        #expect(armed.count == 1_000_000 && armed.moves == 1_000_000, "\(armed)")
        DispatchQueue(label: "near").asyncAfter(deadline: .now() + .milliseconds(2)) { done.signal() }
        #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(eventually { ClockTimers.uptime.testsOnly_figures.count == 1_000_000 })
        // The near one, and perhaps a slot that it lay in: not the million.
        #expect(ClockTimers.uptime.testsOnly_figures.moves < 1_000_100)
      }
    }

    @Test("A hundred thousand delays on one instant run in their order, moved a few times each; their memory goes back")
    func oneInstant() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        var seconds = Self.isSanitized ? 10 : 2
        while !Self.areOnOneInstant(in: seconds) { seconds *= 2 }
      }
    }

    /// Arms a hundred thousand delays until one instant, `seconds` from now. False: the instant came before all were armed.
    private static func areOnOneInstant(in seconds: Int) -> Bool {
      let (queue, done) = (DispatchQueue(label: "instant"), DispatchSemaphore(value: 0))
      let (next, wrong) = (Count(), Count())
      let before = Memory.allocated(), moves = ClockTimers.uptime.testsOnly_figures.moves
      let deadline = DispatchTime.now() + .seconds(seconds)
      for number in 0..<UInt64(100_000) {
        queue.asyncAfter(deadline: deadline) {
          if next.value != number || Clock.uptime() < deadline.uptimeNanoseconds { wrong.add() }
          if next.add() == 100_000 { done.signal() }
        }
      }
      let isInTime = Clock.uptime() < deadline.uptimeNanoseconds
      if isInTime { #expect(isSanitized || Memory.allocated() - before > 8_000_000) }
      #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      guard isInTime else { return false }
      #expect(wrong.value == 0)
      #expect(ClockTimers.uptime.testsOnly_figures.count == 0)
      #expect(ClockTimers.uptime.testsOnly_figures.moves - moves <= 900_000)
      #expect(isSanitized || eventually { Memory.allocated() - before < 1_500_000 }, "\(Memory.allocated() - before)")
      return true
    }

    @Test("A storm of cancels takes every timer out, and leaves the event thread alone")
    func cancelStorm() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (queue, ended) = (DispatchQueue(label: "storm"), DispatchGroup())
        let count = 30_000
        let timers = Self.farTimers(count, queue)
        #expect(ClockTimers.uptime.testsOnly_figures.count == count)
        let moves = ClockTimers.uptime.testsOnly_figures.moves
        let thread = Self.eventThread()
        #expect(eventually { Kernel.isIdle([thread], milliseconds: 300) })
        let switches = Kernel.contextSwitches(of: thread)
        for timer in timers {
          ended.enter()
          timer.setCancelHandler { ended.leave() }
        }
        DispatchQueue.concurrentPerform(iterations: 4) { part in
          for index in stride(from: part, to: count, by: 4) { timers[index].cancel() }
        }
        #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(ClockTimers.uptime.testsOnly_figures.count == 0)
        #expect(ClockTimers.uptime.testsOnly_figures.moves == moves)
        #expect(Kernel.contextSwitches(of: thread) == switches)
      }
    }

    @Test("Arming and moving timers from many threads wakes the event thread only for what is due")
    func noNeedlessWakes() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let queue = DispatchQueue(label: "quiet")
        let timers = Self.farTimers(1_000, queue)
        let thread = Self.eventThread()
        #expect(eventually { Kernel.isIdle([thread], milliseconds: 300) })
        let switches = Kernel.contextSwitches(of: thread)
        // Ever earlier, ever later, delays and timers: an alarm is set by the thread that needs it earlier.
        DispatchQueue.concurrentPerform(iterations: 8) { part in
          for step in 0..<2_000 {
            let seconds = DispatchTimeInterval.seconds(part % 2 == 0 ? 9_000 - step : 9_000 + step)
            timers[step % 1_000].schedule(deadline: .now() + seconds)
            if step % 10 == 0 { queue.asyncAfter(deadline: .now() + seconds) {} }
          }
        }
        #expect(ClockTimers.uptime.testsOnly_figures.count == 1_000 + 1_600)
        waitForWhatMustNotCome(milliseconds: 200)
        #expect(Kernel.contextSwitches(of: thread) == switches, "\(Kernel.contextSwitches(of: thread) - switches)")
      }
    }

    @Test("Twenty-five thousand timers on a suspended queue are signalled once each, and do not delay another")
    func behindSuspension() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (held, free) = (DispatchQueue(label: "held"), DispatchQueue(label: "free"))
        let events = Count()
        held.suspend()
        let timers = (0..<25_000).map { _ in
          let timer = DispatchSource.makeTimerSource(queue: held)
          timer.setEventHandler { events.add() }
          timer.schedule(deadline: .now() + .milliseconds(1), repeating: .milliseconds(1))
          timer.activate()
          return timer
        }
        #expect(eventually { ClockTimers.uptime.testsOnly_figures.count == 0 })
        let moves = ClockTimers.uptime.testsOnly_figures.moves
        // How late the best of many delays is: nothing of the 25,000 is in its way.
        let late = best(of: 200, within: milliseconds(2)) {
          let (done, at) = (DispatchSemaphore(value: 0), Count())
          let deadline = DispatchTime.now() + .milliseconds(1)
          free.asyncAfter(deadline: deadline) {
            at.value = Clock.uptime()
            done.signal()
          }
          #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          return at.value - deadline.uptimeNanoseconds
        }
        #expect(late <= milliseconds(2), "\(late) ns")
        #expect(ClockTimers.uptime.testsOnly_figures.moves - moves < 2_000)
        #expect(events.value == 0)
        held.resume()
        #expect(eventually { events.value >= 25_000 })
        for timer in timers { timer.cancel() }
      }
    }

    @Test("With timers armed for later the event thread sleeps, without a switch or processor time")
    func idle() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let queue = DispatchQueue(label: "idle")
        let timers = Self.farTimers(500, queue)
        let wall = DispatchSource.makeTimerSource(queue: queue)
        wall.schedule(wallDeadline: .now() + Self.hour, leeway: .seconds(1))
        wall.activate()
        // One that has fired, one that was cancelled: neither leaves anything behind but one alarm in vain.
        let (done, near) = (DispatchSemaphore(value: 0), DispatchSource.makeTimerSource(queue: queue))
        near.setEventHandler { done.signal() }
        near.schedule(deadline: .now(), repeating: .milliseconds(10))
        near.activate()
        for _ in 0..<3 { done.wait() }
        near.cancel()
        let thread = Self.eventThread()
        // After that alarm, and once workers beyond the processors have ended.
        #expect(eventually { Kernel.isIdle([thread], milliseconds: 2_000) })
        withExtendedLifetime((timers, wall)) {}
      }
    }

    @Test("No timer is early, on any clock, whoever arms it, with any leeway")
    func neverEarly() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (all, early) = (DispatchGroup(), Count())
        DispatchQueue.concurrentPerform(iterations: 4) { part in
          var random = SmallRandom(seed: UInt64(part) + 1)
          let queue = DispatchQueue(label: "part", attributes: .concurrent)
          for step in 0..<1_500 {
            let delay = Int64(random.next() % 30_000_000)
            let clock = [RawTime.now, 1 << 63, RawTime.wallNow][step % 3]
            let raw = RawTime.adding(delay, to: clock)
            all.enter()
            if step % 2 == 0 {
              queue.asyncAfter(raw: raw) {
                if !Deadline(raw).hasPassed() { early.add() }
                all.leave()
              }
            } else {
              let timer = TimerSource(queue: queue)
              timer.setHandler(.event, .closure { if !Deadline(raw).hasPassed() { early.add() } else { timer.core.cancel() } })
              timer.setHandler(.cancel, .closure { all.leave() })
              timer.set(start: raw, interval: 1_000_000, leeway: random.next() % 5_000_000)
              timer.activate()
            }
          }
        }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(early.value == 0)
      }
    }

    @Test("Timers fire on every clock although no descriptor is to be had")
    func withoutDescriptors() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        var limit = rlimit(rlim_cur: 0, rlim_max: 4_096)
        #expect(setrlimit(__rlimit_resource_t(7), &limit) == 0)  // RLIMIT_NOFILE: the next descriptor is refused
        #expect(throws: (any Error).self) { _ = try Poller() }
        let (queue, early) = (DispatchQueue(label: "poor"), Count())
        for clock in [RawTime.now, 1 << 63, RawTime.wallNow] {
          // Ever earlier, so that the sleeper is woken, then later.
          for delay in [30_000_000, 10_000_000, 3_000_000, 20_000_000] as [Int64] {
            let (raw, done) = (RawTime.adding(delay, to: clock), DispatchSemaphore(value: 0))
            queue.asyncAfter(raw: raw) {
              if !Deadline(raw).hasPassed() { early.add() }
              done.signal()
            }
            if delay != 30_000_000 { #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
          }
        }
        #expect(eventually { ClockTimers.wall.testsOnly_figures.count + ClockTimers.uptime.testsOnly_figures.count == 0 })
        #expect(early.value == 0)
      }
    }

    @Test("Timers with a leeway share the alarm of the first window that ends")
    func sharedAlarm() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        var delay = 200
        while !Self.haveSharedAlarm(in: delay) { delay *= 2 }
      }
    }

    /// Arms twenty timers whose windows begin in `delay` milliseconds. False: the first began before all were armed.
    private static func haveSharedAlarm(in delay: Int) -> Bool {
      let (queue, done) = (DispatchQueue(label: "shared"), DispatchGroup())
      let start = DispatchTime.now() + .milliseconds(delay)
      let exact = start + .milliseconds(40)
      let times = (0..<20).map { _ in Count() }
      let timers = (0..<20).map { index in
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        done.enter()
        timer.setEventHandler {
          times[index].value = Clock.uptime()
          done.leave()
        }
        // From the start on, and no later than a second after: the exact one, 40 ms later, takes them along.
        timer.schedule(
          deadline: index == 0 ? exact : start + .milliseconds(index), leeway: index == 0 ? .nanoseconds(0) : .seconds(1))
        timer.activate()
        return timer
      }
      let isInTime = Clock.uptime() < start.uptimeNanoseconds
      #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      for timer in timers { timer.cancel() }
      guard isInTime else { return false }
      #expect(times.allSatisfy { $0.value >= exact.uptimeNanoseconds })
      #expect(times.map(\.value).max()! < exact.uptimeNanoseconds + 900_000_000)
      return true
    }
  }
}
