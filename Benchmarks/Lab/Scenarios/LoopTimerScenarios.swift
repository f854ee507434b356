// LoopTimerScenarios.swift: Foundation's timers, on loops that run and on such that do not. Timer sources are
// TimerScenarios.swift.
import SignalboxFoundation

/// Runs the calling thread's loop until the lab has this many notes.
private func run(_ lab: Recorder, until count: Int, mode: RunLoop.Mode = .default) {
  let end = Date(timeIntervalSinceNow: 10)
  while lab.texts.count < count, Date() < end {
    _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.01))
  }
}

enum LoopTimerScenarios {
  static let all: [Scenario] = installed + kept

  private static let installed: [Scenario] = [
    Scenario(
      "nstimer-on-a-worker", "A repeating timer, scheduled in an item of a serial queue", .survey, "E3",
      article: "its listing on timers and threads schedules the timer on a queue, and invalidates it there",
      documents:
        "a timer is installed on the run loop of the calling thread, and fires while that runs; no thread runs a worker's",
      errs: "the timer of the listing never fires", scale: "3 s are 10 ms",
      expect: .reports(["a timer that was due", "which no thread runs", "DispatchQueue.asyncAfter"])
    ) { lab in
      let queue = DispatchQueue(label: "com.bool.timer.test"), installed = Gate(), goesOn = Gate()
      queue.async {
        let timer = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: true) { _ in lab.note("test timer") }
        installed.open()
        goesOn.pass()
        timer.invalidate()
      }
      installed.pass()
      pause(milliseconds: 1_500)  // the report comes a second after the date
      goesOn.open()
      queue.sync {}
      lab.expect(lab.texts.isEmpty, "it does not fire", lab.order())
      return "it never fired, which was reported a second later"
    },
    Scenario(
      "nstimer-on-a-worker-that-runs-its-loop", "The same with a loop that runs", .survey, "E3",
      article: "the timer is installed on the queue's thread, and invalidated on it",
      documents: "the loop that a timer was scheduled on has to run", scale: "3 s are 5 ms"
    ) { lab in
      let queue = DispatchQueue(label: "com.bool.timer.test")
      queue.sync {}
      let group = DispatchGroup()
      queue.async(group: group) {
        let fired = Counter()
        Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { timer in
          lab.note("test timer \(fired.add(1))")
          if fired.value == 3 { timer.invalidate() }
        }
        RunLoop.current.run()
        lab.note("the loop has nothing left")
      }
      group.wait()
      lab.expectOrder("test timer 1", "test timer 2", "test timer 3", "the loop has nothing left")
      lab.expectThreads("worker") { _ in true }
      return lab.order()
    },
    Scenario(
      "nstimer-invalidated-elsewhere", "Invalidated by another thread than the loop's", .survey, "E3",
      article: "a timer is to be destroyed on the thread that made it, otherwise there are surprises",
      documents: "always call invalidate from the thread on which the timer was installed",
      expect: .reports(["was invalidated by thread", "it is invalid now", "Invalidate it on its own thread"])
    ) { lab in
      let timer = Timer.scheduledTimer(withTimeInterval: 3_600, repeats: true) { _ in lab.note("never") }
      lab.thread { timer.invalidate() }.pass()
      lab.expect(!timer.isValid, "invalid all the same")
      lab.expect(lab.texts.isEmpty, "it does not fire", lab.order())
      return "it is invalid, and a report names both threads"
    },
    Scenario(
      "nstimer-invalidated-by-its-thread", "Another thread has the loop invalidate the timer", .survey, "E3",
      article: "in which thread a timer was made, in that it is destroyed",
      documents: "invalidate requests the removal from the current run loop; send it from the installing thread"
    ) { lab in
      let timer = Timer.scheduledTimer(withTimeInterval: 3_600, repeats: true) { _ in lab.note("never") }
      let asked = lab.thread {
        RunLoop.main.perform {
          timer.invalidate()
          lab.note("invalidated")
        }
      }
      run(lab, until: 1)
      asked.pass()
      lab.expect(!timer.isValid, "invalid")
      lab.expect(lab.texts == ["invalidated"], "invalidated", lab.order())
      lab.expectThreads("main") { _ in true }
      return "invalidated on main, without a report"
    },
  ]

  private static let kept: [Scenario] = [
    Scenario(
      "nstimer-keeps-its-target", "What a repeating timer holds on to", .survey, "E3",
      article: "dispatch_after can stand in for a timer, of which there are too many problems",
      documents: "the timer keeps its target until it is invalidated, and the run loop keeps the timer"
    ) { lab in
      weak var seen: Target?
      let timer = { () -> Timer in
        let target = Target { lab.note("the target goes") }
        seen = target
        return Timer.scheduledTimer(timeInterval: 3_600, target: target, action: Target.tick, userInfo: nil, repeats: true)
      }()
      lab.expect(seen != nil, "kept by the timer")
      lab.note("invalidate")
      timer.invalidate()
      lab.expectOrder("invalidate", "the target goes")
      return lab.order()
    },
    Scenario(
      "nstimer-modes", "A timer of the default mode while the loop runs in another", .survey, "E3",
      article: "too many problems with timers is the reason it gives to prefer dispatch_after",
      documents: "a timer fires in the modes it was added to; in the common modes it fires in all that belong to them",
      scale: "both due after 5 ms"
    ) { lab in
      let tracking = RunLoop.Mode("tracking"), loop = RunLoop.current
      loop.addCommonMode(tracking)
      loop.add(Timer(timeInterval: 0.005, repeats: false) { _ in lab.note("default") }, forMode: .default)
      loop.add(Timer(timeInterval: 0.005, repeats: false) { _ in lab.note("common") }, forMode: .common)
      run(lab, until: 1, mode: tracking)
      lab.note("back in the default mode")
      run(lab, until: 3)
      lab.expectOrder("common", "back in the default mode", "default")
      return lab.order()
    },
    Scenario(
      "nstimer-busy-loop", "A repeating timer whose dates pass while the loop is busy", .survey, "E3",
      article: "too many problems with timers is the reason it gives to prefer dispatch_after",
      documents: "dates that were missed are made up for by one firing; the next one is again on the original grid",
      scale: "every 5 ms; busy for 30"
    ) { lab in
      let start = Date(timeIntervalSinceNow: 0.005)
      let timer = Timer(fire: start, interval: 0.005, repeats: true) { _ in lab.note("fires") }
      RunLoop.current.add(timer, forMode: .default)
      pause(milliseconds: 30)
      let before = lab.texts.count
      run(lab, until: 1)
      let steps = timer.fireDate.timeIntervalSince(start) / 0.005
      timer.invalidate()
      lab.expect(before == 0, "nothing while it was busy", "\(before)")
      lab.expect(steps > 4.5, "the missed dates are left out", "\(steps)")
      lab.expect(abs(steps - steps.rounded()) < 0.01, "on the grid", "\(steps)")
      return "one firing for the five or more dates that had passed, then on the grid again"
    },
  ]

  private final class Target: Sendable {
    private let witness: Witness
    init(_ last: @escaping @Sendable () -> Void) { witness = Witness(last) }
    @Sendable func tick(_ timer: Timer) {}
  }
}
