// ThreadEndScenarios.swift: Foundation's threads: cancelled, asleep, ended from inside. How they begin is
// ThreadClassScenarios.swift.
import SignalboxFoundation

private func awaitEnd(of thread: Thread) { ThreadClassScenarios.awaitEnd(of: thread) }

enum ThreadEndScenarios {
  static let all: [Scenario] = [
    Scenario(
      "nsthread-cancel-marks", "A loop of a hundred steps that cancels its own thread at the fiftieth", .notes, "E1",
      article: "cancel stops nothing by itself: it marks the thread, which has to check and to return",
      documents: "the semantics are up to the thread: it should check isCancelled and end"
    ) { lab in
      let steps = Counter()
      let thread = Thread {
        for step in 0..<100 {
          if Thread.current.isCancelled { return lab.note("sees it before step \(step)") }
          steps.add(1)
          if step == 50 { Thread.current.cancel() }
        }
      }
      thread.start()
      awaitEnd(of: thread)
      lab.expect(steps.value == 51, "51 steps", "\(steps.value)")
      lab.expectOrder("sees it before step 51")
      lab.expect(thread.isCancelled && thread.isFinished, "cancelled and finished")
      return "51 steps; " + lab.order()
    },
    Scenario(
      "nsthread-cancel-before-start", "Cancelled before it was started", .notes, "E1",
      article: "cancelling only marks; the usual way is to decide by the mark what to do next",
      documents: "a thread that was cancelled before is not begun"
    ) { lab in
      let thread = Thread { lab.note("never") }
      thread.cancel()
      thread.start()
      lab.expect(thread.isFinished && !thread.isExecuting, "finished at once")
      lab.expect(lab.texts.isEmpty, "nothing", lab.order())
      return "finished without having run"
    },
    Scenario(
      "nsthread-cancel-after-the-end", "Cancelled when it is through", .notes, "E1",
      article: "when the work is done, cancel has no effect",
      documents: "it sets the mark; a finished thread does not run again"
    ) { lab in
      let thread = Thread { lab.note("the work") }
      thread.start()
      awaitEnd(of: thread)
      thread.cancel()
      lab.expect(thread.isFinished && !thread.isExecuting, "still finished")
      lab.expect(lab.texts == ["the work"], "once", lab.order())
      return "nothing more than the mark: cancelled \(thread.isCancelled)"
    },
    Scenario(
      "nsthread-sleep", "Asleep for a time, and until a date", .notes, "E1",
      article: "both put the calling thread to sleep, until a date or for a time",
      documents: "the thread is blocked until the time; no run loop processing occurs meanwhile", scale: "20 ms for each"
    ) { lab in
      let thread = Thread {
        let start = DispatchTime.now()
        Thread.sleep(forTimeInterval: 0.02)
        lab.note(DispatchTime.now() >= start + .milliseconds(20) ? "20 ms at least" : "too short")
        let date = Date(timeIntervalSinceNow: 0.02)
        Thread.sleep(until: date)
        lab.note(Date() >= date ? "not before the date" : "too early")
      }
      thread.start()
      awaitEnd(of: thread)
      lab.expectOrder("20 ms at least", "not before the date")
      return lab.order()
    },
    Scenario(
      "nsthread-sleep-serves-no-loop", "A timer that is due while its thread sleeps", .notes, "E1, E3",
      article: "while a thread sleeps nothing of its run loop goes on",
      documents: "no run loop processing occurs while the thread is blocked", scale: "30 ms of sleep, a timer after 5"
    ) { lab in
      let thread = Thread {
        Timer.scheduledTimer(withTimeInterval: 0.005, repeats: false) { _ in lab.note("the timer fires") }
        Thread.sleep(forTimeInterval: 0.03)
        lab.note("awake")
        RunLoop.current.run()
      }
      thread.start()
      awaitEnd(of: thread)
      lab.expectOrder("awake", "the timer fires")
      return lab.order()
    },
    Scenario(
      "nsthread-exit-tells", "exit() on a thread, observed", .notes, "E1",
      article: "before the thread stops a notification is posted with the thread as its object",
      documents: "exit() posts NSThreadWillExit with the thread before it ends; code after it does not run"
    ) { lab in
      let token = NotificationCenter.default.addObserver(forName: .NSThreadWillExit, object: nil, queue: nil) { notification in
        lab.note("will exit: \((notification.object as? Thread)?.name ?? "nobody")")
      }
      let thread = Thread {
        lab.note("exits")
        Thread.exit()
        lab.note("never")
      }
      thread.name = "short one"
      thread.start()
      awaitEnd(of: thread)
      NotificationCenter.default.removeObserver(token)
      lab.expect(lab.texts == ["exits", "will exit: short one"], "told once, on the thread", lab.order())
      lab.expectThreads("thread") { _ in true }
      return lab.order()
    },
    Scenario(
      "nsthread-exit-leaks", "What exit() leaves on the stack", .notes, "E1",
      article: "exit may leak memory, or crash: use it with care",
      documents: "avoid it: the thread gets no chance to clean up what it allocated"
    ) { lab in
      let thread = Thread {
        let kept = Witness { lab.note("what lay on the stack is freed") }
        Thread.current.threadDictionary["key"] = Witness { lab.note("the dictionary is freed") }
        withExtendedLifetime(kept) { Thread.exit() }
      }
      thread.start()
      awaitEnd(of: thread)
      lab.expect(lab.texts == ["the dictionary is freed"], "the dictionary alone", lab.order())
      return "the thread's object and dictionary are released; what lay on its stack is not"
    },
  ]
}
