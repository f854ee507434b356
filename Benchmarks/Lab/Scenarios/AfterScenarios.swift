// AfterScenarios.swift: dispatch_after. Times themselves are in KindScenarios.swift.
import SignalboxCNames
import SignalboxSystem

enum AfterScenarios {
  static let all: [Scenario] = [
    Scenario(
      "after-not-early", "A block two seconds from now, on a serial queue", .survey, "B6",
      article: "it runs after two seconds",
      documents: "the block is submitted to the queue at the given time", scale: "2 s are 40 ms"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL), ran = Gate(), due = soon(40)
      let time = Box<dispatch_time_t>(0)
      dispatch_after(due, queue) {
        time.value = dispatch_time(DISPATCH_TIME_NOW, 0)
        lab.note("due")
        ran.open()
      }
      lab.note("dispatch_after has returned")
      ran.pass()
      lab.expectOrder("dispatch_after has returned", "due")
      lab.expect(time.value >= due, "not before its time", "\((due - time.value) / NSEC_PER_USEC) µs early")
      return "\((time.value - due) / NSEC_PER_USEC) µs after its time, on queue \(lab.events.last?.queue ?? "none")"
    },
    Scenario(
      "after-now", "A delay of nothing", .survey, "B6",
      article: "with the time 0 it runs at once",
      documents: "DISPATCH_TIME_NOW is allowed; async would be the better call"
    ) { lab in
      let gate = Gate(), ran = Gate()
      dispatch_after(DISPATCH_TIME_NOW, dispatch_get_global_queue(0, 0)) {
        gate.pass()
        lab.note("ran")
        ran.open()
      }
      lab.note("dispatch_after has returned")
      gate.open()
      ran.pass()
      lab.expectOrder("dispatch_after has returned", "ran")
      lab.expectThreads("worker") { $0 == "ran" }
      return "at once, and still not on the caller"
    },
    Scenario(
      "after-forever", "A delay without end", .survey, "B6",
      article: "with DISPATCH_TIME_FOREVER there is an exception",
      documents: "the header calls the result undefined", errs: "no exception is promised; here the block is dropped, unrun"
    ) { lab in
      let queue = dispatch_get_global_queue(0, 0), gone = Gate(), later = Gate()
      let witness = Witness {
        lab.note("the block is destroyed")
        gone.open()
      }
      dispatch_after(DISPATCH_TIME_FOREVER, queue) { [witness] in lab.note("never \(witness)") }
      dispatch_after(soon(10), queue) {
        lab.note("a later one runs")
        later.open()
      }
      later.pass()
      lab.expect(!lab.texts.contains { $0.hasPrefix("never") }, "it does not run", "it ran")
      return "no exception; it never runs"
    },
    Scenario(
      "after-needs-no-run-loop", "dispatch_after to the main queue, from a thread without a run loop", .notes, "B6",
      article: "performing a selector after a delay and dispatch_after do the same",
      documents:
        "performing a selector needs a run loop that runs on the calling thread; dispatch_after needs nothing of its caller",
      errs: "the two differ in what they ask of the calling thread", scale: "1 s is 20 ms"
    ) { lab in
      _ = lab.thread {
        lab.note("asked for from here")
        dispatch_after(soon(20), dispatch_get_main_queue()) {
          lab.note("runs")
          lab.expectThreads("main") { $0 == "runs" }
          lab.finish("a thread that had long ended asked for it; it ran on main")
        }
      }
      dispatch_main()
    },
    Scenario(
      "after-in-order-of-time", "Two delays, the longer one asked for first", .survey, "B6",
      article: "dispatch_after stands in for a timer",
      documents: "each block is submitted at its own time", scale: "delays of 40 and 10 ms; the article names 2 s"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL), both = dispatch_group_create()
      let times = [("the longer", soon(40)), ("the shorter", soon(10))]
      for (name, due) in times {
        dispatch_group_enter(both)
        dispatch_after(due, queue) {
          lab.expect(dispatch_time(DISPATCH_TIME_NOW, 0) >= due, "\(name) not before its time", "earlier")
          lab.note(name)
          dispatch_group_leave(both)
        }
      }
      dispatch_group_wait(both, DISPATCH_TIME_FOREVER)
      return lab.order()
    },
  ]
}
