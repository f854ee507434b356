// RunLoopTests.swift: loops: blocks from anywhere, modes, nesting, ends; and that a thread has one.
import Testing

extension Conformance {
  @Suite("Run loops") struct RunLoops {
    @Test("Each thread has one loop of its own")
    func identity() async {
      await isolated {
        let mine = RunLoop.current
        expect(RunLoop.current === mine && RunLoop.main !== mine && RunLoop.main === RunLoop.main)
        let runner = Runner()
        expect(runner.loop !== mine)
        runner.end()
        expect(mine.currentMode == nil)
      }
    }

    @Test("Blocks run in the order they were left, in their modes only, each once")
    func blocks() async {
      await isolated {
        let loop = RunLoop.current
        let log = Recorder<Int>()
        loop.perform { log.add(1) }
        loop.perform(inModes: [.aside]) { log.add(2) }
        loop.perform(inModes: [.aside, .default]) { log.add(3) }
        loop.perform(inModes: [.common]) { log.add(4) }
        loop.perform(inModes: []) { log.add(5) }
        _ = loop.run(mode: .default, before: .distantPast)
        expectEqual(log.entries, [1, 3, 4])
        _ = loop.run(mode: .default, before: .distantPast)
        expectEqual(log.entries, [1, 3, 4])
        _ = loop.run(mode: .aside, before: .distantPast)
        expectEqual(log.entries, [1, 3, 4, 2])
      }
    }

    @Test("A block left by a block runs too")
    func nestedBlocks() async {
      await isolated {
        let log = Recorder<Int>()
        let loop = Shared(RunLoop.current)
        loop.value.perform {
          log.add(1)
          loop.value.perform { log.add(3) }
        }
        loop.value.perform { log.add(2) }
        _ = loop.value.run(mode: .default, before: .distantPast)
        _ = loop.value.run(mode: .default, before: .distantPast)
        expectEqual(log.entries, [1, 2, 3])
      }
    }

    @Test("Blocks from several threads all run, on the loop's thread, each thread's in order")
    func fromAnywhere() async {
      await isolated {
        let runner = Runner()
        let log = Recorder<Int>()
        let thread = Monitor<UInt?>(nil)
        runner.perform { thread.access { $0 = currentThread() } }
        onThreads(4) { index in
          for number in 0..<500 {
            runner.perform {
              expect(thread.access { $0 } == currentThread())
              log.add(index * 1_000 + number)
            }
          }
        }
        log.wait(count: 2_000)
        for index in 0..<4 {
          let own = log.entries.filter { $0 / 1_000 == index }
          expectEqual(own, own.sorted())
        }
        runner.end()
      }
    }

    @Test("A loop without anything to wait for does not run; it runs in no mode called common")
    func empty() async {
      await isolated {
        let start = Clock.uptime
        let loop = RunLoop.current
        expect(!loop.run(mode: .default, before: Date(timeIntervalSinceNow: 60)))
        loop.run()
        loop.run(until: Date(timeIntervalSinceNow: 60))
        loop.acceptInput(forMode: "NSDefaultRunLoopMode", before: Date(timeIntervalSinceNow: 60))
        loop.add(Timer(timeInterval: 60, repeats: false) { _ in }, forMode: .common)
        expect(!loop.run(mode: .common, before: Date(timeIntervalSinceNow: 60)))
        expect(!loop.run(mode: .aside, before: Date(timeIntervalSinceNow: 60)))
        expect(milliseconds(since: start) < 30_000)
      }
    }

    @Test("A run ends at its date, and not before")
    func dates() async {
      await isolated {
        let loop = RunLoop.current
        let timer = Timer.scheduledTimer(withTimeInterval: 3_600, repeats: true) { _ in }
        for delay in [0.02, 0.003] {
          let start = Clock.uptime
          expect(loop.run(mode: .default, before: Date(timeIntervalSinceNow: delay)))
          expect(milliseconds(since: start) >= delay * 1_000 - 0.1, "early: \(milliseconds(since: start))")
          let second = Clock.uptime
          loop.run(until: Date(timeIntervalSinceNow: delay))
          expect(milliseconds(since: second) >= delay * 1_000 - 0.1, "early: \(milliseconds(since: second))")
        }
        // The toolchain's loop runs forever until a date that is no number (Differences/run-loops.json).
        for date in pastDates where subjectIsOurs || date.timeIntervalSinceReferenceDate.isFinite {
          _ = loop.run(mode: .default, before: date)
        }
        timer.invalidate()
      }
    }

    @Test("A timer's block may run the loop: other timers fire inside, itself it does not")
    func nested() async {
      await isolated {
        let log = Recorder<String>()
        let outer = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { timer in
          log.add("in")
          expect(RunLoop.current.currentMode == .default)
          RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.06))
          log.add("out")
          timer.invalidate()
        }
        let inner = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: false) { _ in log.add("inner") }
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 10))
        expectEqual(log.entries, ["in", "inner", "out"])
        expect(!outer.isValid && !inner.isValid)
      }
    }

    @Test("The mode can be asked for while the loop runs")
    func currentMode() async {
      await isolated {
        let modes = Recorder<RunLoop.Mode?>()
        let loop = RunLoop.current
        loop.perform(inModes: [.aside]) { modes.add(RunLoop.current.currentMode) }
        _ = loop.run(mode: .aside, before: .distantPast)
        loop.perform { modes.add(RunLoop.current.currentMode) }
        _ = loop.run(mode: .default, before: .distantPast)
        expectEqual(modes.entries, [.aside, .default])
        expect(loop.currentMode == nil)
      }
    }
  }
}
