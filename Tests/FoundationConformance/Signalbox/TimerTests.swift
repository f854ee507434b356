// TimerTests.swift: timers on a loop that the test runs itself: when they fire, how often, and what ends them.
import Testing

extension Conformance {
  @Suite("Timers") struct Timers {
    @Test("A timer fires once, at its date or later, on the loop's thread, and is invalid then")
    func once() async {
      await isolated {
        let start = Clock.uptime
        let me = currentThread()
        let fired = Recorder<Bool>()
        let timer = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: false) { timer in
          expect(milliseconds(since: start) >= 20, "it came early")
          expect(currentThread() == me)
          fired.add(timer.isValid)
        }
        expect(timer.isValid)
        expectEqual(timer.timeInterval, 0)
        // The loop has nothing else: it ends with the timer, long before the date.
        expect(RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10)))
        expect(milliseconds(since: start) < 5_000)
        expectEqual(fired.entries, [true])
        expect(!timer.isValid)
        expect(!RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10)))
      }
    }

    @Test("A repeating timer keeps to its grid: dates that pass during a firing are made up for by one")
    func grid() async {
      await isolated {
        let start = Clock.uptime
        let times = Recorder<Double>()
        let timer = Timer.scheduledTimer(withTimeInterval: 0.03, repeats: true) { timer in
          times.add(milliseconds(since: start))
          if times.count == 1 { sleepPlainly(milliseconds: 75) }  // work that takes longer than two intervals
          if times.count == 4 { timer.invalidate() }
        }
        expectEqual(timer.timeInterval, 0.03)
        expect(RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10)))
        let entries = times.entries
        expectEqual(entries.count, 4)
        // 30, then not 60 and 90 (past), but 120 or later, on a multiple of 30.
        expect(entries.count == 4 && entries[0] >= 30 && entries[1] >= 119.9 && entries[2] >= 149.9, "\(entries)")
        expect(!timer.isValid)
      }
    }

    @Test("A timer moves to a new date, earlier or later, and from there on its grid")
    func moved() async {
      await isolated {
        let start = Clock.uptime
        let fired = Recorder<Double>()
        let later = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in fired.add(milliseconds(since: start)) }
        later.fireDate = Date(timeIntervalSinceNow: 0.08)
        let sooner = Timer.scheduledTimer(withTimeInterval: 3_600, repeats: false) { _ in fired.add(-1) }
        sooner.fireDate = Date(timeIntervalSinceNow: 0.02)
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 5))
        expectEqual(fired.count, 2)
        expect(fired.entries.first == -1 && fired.entries.last! >= 80, "\(fired.entries)")
      }
    }

    @Test("The date may be moved from within the block")
    func movedInside() async {
      await isolated {
        let times = Recorder<Double>()
        let start = Clock.uptime
        _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { timer in
          times.add(milliseconds(since: start))
          timer.fireDate = Date(timeIntervalSinceNow: 0.05)
          if times.count == 3 { timer.invalidate() }
        }
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 5))
        let entries = times.entries
        expect(entries.count == 3 && entries[2] - entries[0] >= 100, "\(entries)")
      }
    }

    @Test("fire() calls the block at once: a timer that does not repeat is invalid then, a repeating one keeps its dates")
    func fire() async {
      await isolated {
        let count = Counter()
        let once = Timer(timeInterval: 3_600, repeats: false) { _ in count.add() }
        once.fire()
        once.fire()
        expectEqual(count.value, 1)
        expect(!once.isValid)
        let often = Timer(timeInterval: 3_600, repeats: true) { _ in count.add(10) }
        let date = often.fireDate
        often.fire()
        often.fire()
        expectEqual(count.value, 21)
        expect(often.isValid && often.fireDate == date)
        often.invalidate()
        often.fire()
        expectEqual(count.value, 21)
      }
    }

    @Test("A timer is on the loop for one mode, for several, or for the common ones")
    func modes() async {
      await isolated {
        let fired = Recorder<String>()
        let loop = RunLoop.current
        loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in fired.add("aside") }, forMode: .aside)
        loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in fired.add("common") }, forMode: .common)
        let both = Timer(timeInterval: 0.02, repeats: true) { timer in
          fired.add("both in \(RunLoop.current.currentMode == .aside ? "aside" : "default")")
        }
        loop.add(both, forMode: .default)
        loop.add(both, forMode: .aside)
        loop.run(until: Date(timeIntervalSinceNow: 0.03))
        expect(fired.entries.contains("common") && fired.entries.contains("both in default"), "\(fired.entries)")
        expect(!fired.entries.contains("aside"))
        _ = loop.run(mode: .aside, before: Date(timeIntervalSinceNow: 0.03))
        expect(fired.entries.contains("aside") && fired.entries.contains("both in aside"), "\(fired.entries)")
        both.invalidate()
        expect(!loop.run(mode: .default, before: Date(timeIntervalSinceNow: 3)))
      }
    }

    @Test("Timers that are due together fire in the order of their dates")
    func order() async {
      await isolated {
        let fired = Recorder<Int>()
        // A date that has passed counts from when the timer is made: all are made long before.
        let base = Date() + 0.1
        for delay in [5, 2, 9, 1, 7, 3, 8, 4, 6] {
          let timer = Timer(fire: base + Double(delay) / 1_000, interval: 0, repeats: false) { _ in fired.add(delay) }
          RunLoop.current.add(timer, forMode: .default)
        }
        sleepPlainly(milliseconds: 120)  // until all are due
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 5))
        expectEqual(fired.entries, Array(1...9))
      }
    }

    @Test("An invalidated timer lets go of its block, and so does one that has fired")
    func release() async {
      await isolated {
        let died = Counter()
        func make(_ delay: Double) -> Timer {
          let probe = Probe { died.add() }
          return Timer.scheduledTimer(withTimeInterval: delay, repeats: false) { _ in probe.touch() }
        }
        make(3_600).invalidate()
        // The toolchain's timers keep their blocks while the timer lives, and longer (Differences/run-loops.json).
        expectEqual(died.value, subjectIsOurs ? 1 : 0)
        _ = make(0.001)
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 5))
        expectEqual(died.value, subjectIsOurs ? 2 : 0)
      }
    }

    @Test("The properties hold what was set")
    func properties() async {
      await isolated {
        let date = Date(timeIntervalSinceNow: 100)
        let timer = Timer(fire: date, interval: 7, repeats: true) { _ in }
        expect(timer.isValid && timer.timeInterval == 7 && timer.tolerance == 0 && timer.userInfo == nil)
        expect(abs(timer.fireDate.timeIntervalSince(date)) < 0.000_1)
        timer.tolerance = 0.5
        expectEqual(timer.tolerance, subjectIsOurs ? 0.5 : 0)  // Differences/run-loops.json
        timer.fireDate = .distantPast
        expect(timer.isValid)
        timer.invalidate()
        expect(!timer.isValid)
        timer.invalidate()
      }
    }
  }
}
