// TimerTests.swift: timer sources: when they fire, how often, and what their data counts. Handlers and the end of sources of any
// kind are elsewhere; schedules out of the ordinary are in TimerScheduleTests.swift.
import Glibc
import Testing

extension Conformance {
  @Suite("Timer sources") struct Timers {
    /// What one event showed.
    struct Event: Sendable {
      var at: UInt64
      var data: UInt
    }

    /// A timer that logs its events.
    // SAFETY: a source may be used from any thread, although not every module says so.
    final class Logged: @unchecked Sendable {
      let timer: any DispatchSourceTimer
      let log = Recorder<Event>()
      init(_ queue: DispatchQueue, flags: DispatchSource.TimerFlags = []) {
        timer = DispatchSource.makeTimerSource(flags: flags, queue: queue)
        // Until `end` the handler keeps the timer.
        timer.setEventHandler { self.log.add(Event(at: Clock.uptime, data: self.timer.data)) }
      }
      /// Cancels it, and returns when no handler runs any more.
      func end() {
        let gate = Gate()
        timer.setCancelHandler { gate.open() }
        timer.cancel()
        gate.wait()
      }
      var count: UInt { log.entries.reduce(0) { $0 + $1.data } }
    }

    @Test("A timer fires once at its deadline, never before, and not before it is activated", arguments: [true, false])
    func once(isStrict: Bool) async {
      await isolated {
        let queue = DispatchQueue(label: "once")
        for delay in [0, 1, 3, 10, 25] {
          let logged = Logged(queue, flags: isStrict ? .strict : [])
          let deadline = DispatchTime.now() + .milliseconds(delay)
          logged.timer.schedule(deadline: deadline)
          waitForWhatMustNotCome()
          expectEqual(logged.log.count, 0)
          logged.timer.activate()
          logged.log.wait(count: 1)
          waitForWhatMustNotCome()
          expectEqual(logged.log.entries.map(\.data), [1])
          expect(logged.log.entries.allSatisfy { $0.at >= deadline.uptimeNanoseconds }, "early")
          logged.end()
        }
      }
    }

    @Test("A timer on the wall clock fires once that clock shows its time, never before")
    func wall() async {
      await isolated {
        let queue = DispatchQueue(label: "wall")
        for delay in [0, 2, 12] {
          let timer = DispatchSource.makeTimerSource(queue: queue)
          let point = Clock.wall + UInt64(delay) * 1_000_000
          let fired = Gate()
          timer.setEventHandler {
            expect(Clock.wall >= point, "early")
            fired.open()
          }
          timer.schedule(
            wallDeadline: DispatchWallTime(
              timespec: timespec(tv_sec: Int(point / 1_000_000_000), tv_nsec: Int(point % 1_000_000_000))))
          timer.resume()
          fired.wait()
          timer.cancel()
        }
      }
    }

    @Test("A repeating timer fires on the grid of its start: late or not, it does not drift, and no point is lost or early")
    func repeating() async {
      await isolated {
        let logged = Logged(DispatchQueue(label: "repeating"))
        let start = DispatchTime.now() + .milliseconds(5)
        logged.timer.schedule(deadline: start, repeating: .milliseconds(3))
        logged.timer.activate()
        logged.log.wait(count: 12)
        logged.end()
        var points: UInt64 = 0
        for event in logged.log.entries {
          points += UInt64(event.data)
          // The n-th point lies n - 1 intervals after the start; when its event comes, n + 1 may not have been counted.
          expect(event.at >= start.uptimeNanoseconds + (points - 1) * 3_000_000, "counted a point before it came")
        }
      }
    }

    @Test("Points that pass while the handler runs are counted by the next event")
    func busyHandler() async {
      await isolated {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "busy"))
        let log = Recorder<UInt>()
        timer.setEventHandler {
          log.add(timer.data)
          if log.count == 2 { sleepPlainly(milliseconds: 25) }  // work that takes longer than two intervals
        }
        timer.schedule(deadline: .now() + .milliseconds(5), repeating: .milliseconds(5))
        timer.activate()
        log.wait(count: 4)
        timer.cancel()
        // The next event, or the one after it: on a busy machine the toolchain's library counts when its own thread gets to it.
        expect(log.entries[2...].contains { $0 >= 4 }, "\(log.entries)")
      }
    }

    @Test("Points that pass while the timer is suspended, or not yet activated, come as one event", arguments: [true, false])
    func suspended(isActive: Bool) async {
      await isolated {
        let logged = Logged(DispatchQueue(label: "suspended"))
        let start = DispatchTime.now()
        if isActive {
          logged.timer.activate()
          logged.timer.suspend()
        }
        logged.timer.schedule(deadline: start, repeating: .milliseconds(2))
        while Clock.uptime < start.uptimeNanoseconds + 31_000_000 { briefPause() }
        expectEqual(logged.log.count, 0)
        if isActive { logged.timer.resume() } else { logged.timer.activate() }
        logged.log.wait(count: 3)
        logged.end()
        expect(logged.log.entries[0].data >= 16, "\(logged.log.entries[0].data)")
        let events = logged.log.entries
        let passed = (events[events.count - 1].at - start.uptimeNanoseconds) / 2_000_000 + 1
        expect(logged.count <= UInt(passed), "counted twice")
      }
    }

    @Test("A timer that fires once while it is suspended does so once it is resumed")
    func onceWhileSuspended() async {
      await isolated {
        let logged = Logged(DispatchQueue(label: "suspended"))
        logged.timer.activate()
        logged.timer.suspend()
        logged.timer.schedule(deadline: .now() + .milliseconds(1))
        waitForWhatMustNotCome()
        expectEqual(logged.log.count, 0)
        logged.timer.resume()
        logged.log.wait(count: 1)
        waitForWhatMustNotCome()
        expectEqual(logged.log.entries.map(\.data), [1])
        logged.end()
      }
    }

    @Test("A new schedule replaces the old one, and what it has not handled")
    func replaced() async {
      await isolated {
        let logged = Logged(DispatchQueue(label: "replaced"))
        logged.timer.schedule(deadline: .now(), repeating: .milliseconds(1))
        logged.timer.activate()
        logged.log.wait(count: 2)
        logged.timer.suspend()
        waitForWhatMustNotCome()
        let before = logged.log.count
        let start = DispatchTime.now() + .milliseconds(20)
        logged.timer.schedule(deadline: start)
        logged.timer.resume()
        logged.log.wait(count: before + 1)
        let event = logged.log.entries[before]
        expectEqual(event.data, 1)
        expect(event.at >= start.uptimeNanoseconds, "early")
        waitForWhatMustNotCome()
        expectEqual(logged.log.count, before + 1)
        logged.end()
      }
    }

    @Test("A schedule may move to another clock, and earlier or later")
    func moved() async {
      await isolated {
        let queue = DispatchQueue(label: "moved")
        for step in 0..<4 {
          let logged = Logged(queue)
          logged.timer.activate()
          if step % 2 == 0 { logged.timer.schedule(deadline: .now() + .seconds(step < 2 ? 3_600 : 0) + .milliseconds(40)) }
          if step % 2 == 1 { logged.timer.schedule(wallDeadline: .now() + .seconds(step < 2 ? 3_600 : 0) + .milliseconds(40)) }
          let start = Clock.uptime
          if step % 2 == 1 { logged.timer.schedule(deadline: .now() + .milliseconds(8)) }
          if step % 2 == 0 { logged.timer.schedule(wallDeadline: .now() + .milliseconds(8)) }
          logged.log.wait(count: 1)
          expect(logged.log.entries[0].at + 1_000_000 >= start + 8_000_000, "early")
          sleepPlainly(milliseconds: 45)  // work that takes longer than four intervals
          expectEqual(logged.log.count, 1)
          logged.end()
        }
      }
    }

    @Test("The handler may set its timer anew, each time")
    func rearmedInside() async {
      await isolated {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "again"))
        let log = Recorder<UInt64>()
        let deadline = Monitor(DispatchTime.now() + .milliseconds(1))
        timer.setEventHandler {
          log.add(Clock.uptime - deadline.access { $0.uptimeNanoseconds })
          expect(Clock.uptime >= deadline.access { $0.uptimeNanoseconds }, "early")
          deadline.access { $0 = DispatchTime.now() + .microseconds(500) }
          if log.count < 20 { timer.schedule(deadline: deadline.access { $0 }) } else { timer.cancel() }
        }
        let ended = Gate()
        timer.setCancelHandler { ended.open() }
        timer.schedule(deadline: deadline.access { $0 })
        timer.resume()
        ended.wait()
        expectEqual(log.count, 20)
      }
    }

    @Test("After cancel a timer fires no more, and a schedule has no effect")
    func cancelled() async {
      await isolated {
        let logged = Logged(DispatchQueue(label: "cancelled"))
        logged.timer.schedule(deadline: .now(), repeating: .milliseconds(1))
        logged.timer.activate()
        logged.log.wait(count: 2)
        logged.end()
        let count = logged.log.count
        logged.timer.schedule(deadline: .now(), repeating: .milliseconds(1))
        waitForWhatMustNotCome()
        expectEqual(logged.log.count, count)
        expect(logged.timer.isCancelled)
      }
    }

    @Test("Of two timers on one queue the earlier deadline fires first")
    func order() async {
      await isolated {
        let queue = DispatchQueue(label: "order")
        var isMeaningful = false
        while !isMeaningful {
          let log = Recorder<Int>()
          let start = DispatchTime.now()
          let timers = [60, 20, 40].map { delay in
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { log.add(delay) }
            timer.schedule(deadline: start + .milliseconds(delay))
            timer.activate()
            return timer
          }
          isMeaningful = DispatchTime.now() < start + .milliseconds(20)
          log.wait(count: 3)
          if isMeaningful { expectEqual(log.entries, [20, 40, 60]) }
          for timer in timers { timer.cancel() }
        }
      }
    }

    @Test("Flags are the mask")
    func flags() async {
      await isolated {
        for flags in [[], DispatchSource.TimerFlags.strict] {
          let timer = DispatchSource.makeTimerSource(flags: flags)
          expectEqual(timer.mask, flags.rawValue)
          expect(!timer.isCancelled)
          timer.activate()
          timer.cancel()
        }
        expectEqual(DispatchSource.TimerFlags.strict.rawValue, 1)
      }
    }

    @Test("A timer whose handler takes longer than its interval lets every item that waits have its turn")
    func lateForItself() async {
      await isolated {
        let queue = DispatchQueue(label: "late")
        let (events, marks) = (Counter(), Recorder<Int>())
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(1))
        timer.setEventHandler {
          events.add()
          let end = Clock.uptime + 1_500_000
          while Clock.uptime < end {}
        }
        timer.activate()
        for _ in 0..<10_000 where events.value < 3 { briefPause() }
        // All at once, so that nothing but the timer can come between, and after an event that is already submitted.
        queue.async {
          marks.add(events.value)
          for _ in 0..<5 { queue.async { marks.add(events.value) } }
        }
        marks.wait(count: 6)
        expect((marks.entries.last ?? 0) - (marks.entries.first ?? 0) <= 2, "\(marks.entries)")
        let ended = Gate()
        timer.setCancelHandler { ended.open() }
        timer.cancel()
        ended.wait()
      }
    }
  }
}
