// PerformScenarios.swift: methods performed on other threads, and later. Threads themselves are ThreadClassScenarios.swift.
import SignalboxFoundation

/// What the articles perform: a method with an argument.
private final class Worker: NSObject, Sendable {
  private let lab: Recorder
  init(_ lab: Recorder) { self.lab = lab }
  @Sendable func work(_ argument: Any?) { lab.note("works on \(argument ?? "nothing")") }
}

/// A thread that runs its loop until it is told to end.
private final class LoopThread: Sendable {
  let thread: Thread
  private let isOver = Box(false)

  init() {
    let isOver = isOver, isUp = Gate()
    thread = Thread {
      RunLoop.current.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
      isUp.open()
      while !isOver.value { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    }
    thread.start()
    isUp.pass()
  }

  func end() {
    let isOver = isOver
    try? thread.perform(waitUntilDone: true) { isOver.value = true }
    ThreadClassScenarios.awaitEnd(of: thread)
  }
}

enum PerformScenarios {
  static let all: [Scenario] = [
    Scenario(
      "perform-on-thread", "A method on another thread, waited for", .survey, "E2",
      article: "the same as on the main thread, for any thread; its modes mean the same",
      documents: "the thread's run loop calls it, in one of the modes; the caller may wait for it"
    ) { lab in
      let other = LoopThread(), worker = Worker(lab)
      do { try worker.perform(Worker.work, on: other.thread, with: "an image", waitUntilDone: true) } catch {
        lab.expect(false, "performed", "\(error)")
      }
      lab.note("goes on")
      other.end()
      lab.expectOrder("works on an image", "goes on")
      lab.expectThreads("thread") { $0 == "works on an image" }
      return lab.order()
    },
    Scenario(
      "perform-without-modes", "Modes that are nil, or none", .survey, "E2",
      article: "name one mode at least: for nil and for an empty array nothing is performed, though the declaration allows it",
      documents: "if you specify nil or an empty array the method returns without performing the selector"
    ) { lab in
      let other = LoopThread(), worker = Worker(lab)
      for modes in [nil, []] as [[RunLoop.Mode]?] {
        try? worker.perform(Worker.work, on: other.thread, with: "nothing", waitUntilDone: true, modes: modes)
        worker.performOnMainThread(Worker.work, with: "nothing", waitUntilDone: true, modes: modes)
      }
      try? worker.perform(Worker.work, on: other.thread, with: "the last", waitUntilDone: true)
      other.end()
      lab.expect(lab.texts == ["works on the last"], "the last alone", lab.order())
      return "four never ran, and nobody waited for them; " + lab.order()
    },
    Scenario(
      "perform-on-main", "From another thread to the main thread", .survey, "E2",
      article: "a task is given to the main thread by its method for that",
      documents: "queued on the main thread's run loop in the common modes"
    ) { lab in
      let worker = Worker(lab), ended = Counter()
      Thread.detachNewThread {
        worker.performOnMainThread(Worker.work, with: "the user interface", waitUntilDone: true)
        lab.note("the other thread goes on")
        ended.add(1)
        RunLoop.main.perform {}
      }
      while ended.value == 0 { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
      lab.expectOrder("works on the user interface", "the other thread goes on")
      lab.expectThreads("main") { $0.hasPrefix("works") }
      return lab.order()
    },
    Scenario(
      "perform-in-background", "A method on a new thread", .survey, "E2",
      article: "a task in the background needs one call",
      documents: "creates a new thread, which is to be set up as any other"
    ) { lab in
      let ended = Gate()
      let center = NotificationCenter.default
      let token = center.addObserver(forName: .NSThreadWillExit, object: nil, queue: nil) { _ in ended.open() }
      Worker(lab).performInBackground(Worker.work, with: "a file")
      ended.pass()
      center.removeObserver(token)
      lab.expectOrder("works on a file")
      lab.expectThreads("thread") { _ in true }
      return lab.order() + ", on a thread of its own"
    },
    Scenario(
      "perform-on-an-ended-thread", "A method on a thread that has ended", .survey, "E2",
      article: "the perform methods are no longer safe: use them with care",
      documents: "the thread has to run its loop; for one that has ended an exception, where the caller waits"
    ) { lab in
      let thread = Thread {}
      thread.start()
      ThreadClassScenarios.awaitEnd(of: thread)
      do {
        try Worker(lab).perform(Worker.work, on: thread, with: "nothing", waitUntilDone: true)
        lab.note("returned")
      } catch { lab.note("has ended") }
      lab.expectOrder("has ended")
      lab.expect(!lab.texts.contains { $0.hasPrefix("works") }, "never performed")
      return "an error that names the thread, instead of a wait forever"
    },
    Scenario(
      "perform-after-delay", "A method later, on the thread that asks", .notes, "E2",
      article: "the usual way to do something later: perform it after a delay",
      documents: "a timer on the calling thread's run loop, in the default mode; it needs a loop that runs",
      scale: "1 s is 10 ms"
    ) { lab in
      let worker = Worker(lab)
      worker.perform(Worker.work, named: "late", with: "what is taken back", afterDelay: 0.01)
      NSObject.cancelPreviousPerformRequests(withTarget: worker, name: "late")
      worker.perform(Worker.work, with: "the delayed", afterDelay: 0.01)
      lab.note("asked for")
      let end = Date(timeIntervalSinceNow: 10)
      while lab.texts.count < 2, Date() < end { RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.02)) }
      lab.expect(lab.texts == ["asked for", "works on the delayed"], "the one that was not taken back", lab.order())
      lab.expectThreads("main") { _ in true }
      return lab.order() + "; the one that was taken back did not run"
    },
    Scenario(
      "perform-after-delay-without-loop", "The same on a worker of a queue", .notes, "E2, E3",
      article: "performing after a delay and dispatch_after do the same",
      documents: "the method is performed by the run loop of the calling thread, which has to run",
      errs: "on a queue's thread, whose loop no thread runs, it is never performed; dispatch_after is",
      expect: .reports(["run loop of thread", "which no thread runs", "DispatchQueue.asyncAfter"])
    ) { lab in
      let worker = Worker(lab), asked = Gate(), goesOn = Gate(), ran = Gate()
      DispatchQueue.global().async {
        worker.perform(Worker.work, with: "nothing", afterDelay: 0.01)
        asked.open()
        goesOn.pass()
      }
      asked.pass()
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) {
        lab.note("dispatch_after has run")
        ran.open()
      }
      ran.pass()
      pause(milliseconds: 1_500)  // the report comes a second after the date
      goesOn.open()
      lab.expect(lab.texts == ["dispatch_after has run"], "dispatch_after alone", lab.order())
      return lab.order() + "; the method has not"
    },
  ]
}
