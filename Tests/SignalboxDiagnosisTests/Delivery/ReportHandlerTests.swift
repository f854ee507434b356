// ReportHandlerTests.swift: handlers of reports of all kinds: when they are called, what they may do, and what a program that is stopped, or
// ends, waits for. Each test has a process of its own.
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Synchronization
import Testing

@testable import Signalbox
@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Without names of functions, which take time.
private func begin() {
  alarm(500)
  setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
}

private func say(_ text: String) { StandardError.write(text + "\n") }

/// Two locks in both orders, the second of them on this thread; each name is another finding.
private func contradict(_ name: String) {
  let one = MutexLock(name: "one of \(name)"), two = MutexLock(name: "two of \(name)")
  PlainThread("before") { one.withLock { two.withLock {} } }.join()
  two.withLock { one.withLock {} }
}

/// A certain deadlock of the calling thread with itself.
private func deadlock() {
  let lock = MutexLock(name: "own")
  lock.withLock { lock.withLock {} }
}

/// A handler that removes itself.
private final class Own: Sendable { let handler = Mutex<ReportHandler?>(nil) }

/// A report that says only its text.
private func plain(_ text: String) -> DiagnosticReport {
  DiagnosticReport(.stall, 0, text: text, fields: [], details: text, stopsProgram: false)
}

@Suite("Handlers of all reports") struct ReportHandlerTests {
  @Test("A deadlock that stops the program is handed to every handler before, with the text and the value of its kind")
  func stops() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      begin()
      Signalbox.onReport { report in
        let hint = report.deadlock?.hint ?? "none"
        say("first: \(report.kind) \(report.stopsProgram) \(report.processID == getpid()) \(report.missed), fix: \(hint)")
        say("others: \(report.stall == nil && report.lockOrder == nil && report.longItem == nil)")
        say("its text: \(report.text.hasPrefix("deadlock: a thread waits for itself") && !report.text.hasSuffix("\n"))")
      }
      Signalbox.onReport { _ in say("second on \(Threads.ownName())") }
      deadlock()
    }
    expectStop(
      result, saying: "first: deadlock true true 0, fix: unlock it before locking it again", "others: true", "its text: true",
      "second on signalbox.calls")
  }

  @Test("The handler of one kind runs first, on the thread that found it, and the program is stopped after both")
  func both() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      begin()
      Deadlock.onDetection { _ in say("of the kind") }
      Signalbox.onReport { _ in say("of all kinds") }
      deadlock()
    }
    let text = errorText(result)
    #expect(text.contains(/(?s)deadlock: a thread.*of the kind\nof all kinds\n/), "\(text)")
  }

  @Test("A handler that never returns keeps the program for two seconds, and then it is stopped")
  func hangs() async {
    let start = Clock.uptime()
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      begin()
      Signalbox.onReport { _ in
        say("hangs")
        sleepForEver()
      }
      deadlock()
    }
    #expect(errorText(result).contains("hangs\n") && Clock.uptime() - start >= 2_000_000_000, "\(errorText(result))")
  }

  @Test("Who waits for the handlers is woken when they have been called, and does not sleep out its patience")
  func woken() async {
    await #expect(processExitsWith: .success) {
      begin()
      let calls = Tally(), returns = Tally(), mayEnd = Gate()
      Signalbox.onReport { _ in
        calls.add()
        mayEnd.pass()
      }
      let number = try #require(ReportHandlers.add(plain("one")))
      until("the handler") { calls.value == 1 }
      let waiter = Actor {
        ReportHandlers.awaitCalls(of: number, patience: 3_600_000_000_000)
        returns.add()
      }
      until("the thread that waits for it") { waiter.isAsleep() }
      mayEnd.open()
      until("its return") { returns.value == 1 }
    }
  }

  @Test("A handler may take the program's locks, wait for queues, and remove itself")
  func mayCallBack() async {
    await #expect(processExitsWith: .success) {
      begin()
      LockOrder.mode = .report
      let lock = MutexLock(name: "the program's"), queue = DispatchQueue(label: "the program's"), calls = Count()
      let own = Own()
      let handler = Signalbox.onReport { report in
        lock.withLock { queue.sync { _ = DispatchQueue.global().sync { calls.add() } } }
        own.handler.withLock { $0?.remove() }
      }
      own.handler.withLock { $0 = handler }
      contradict("first")
      until("the handler") { calls.value == 1 }
      let after = Count()
      Signalbox.onReport { _ in after.add() }
      contradict("second")
      until("the other handler") { after.value == 1 }
      #expect(calls.value == 1, "removed")
      handler.remove()
    }
  }

  @Test("A report that a handler causes is written, and handed to no handler")
  func noRecursion() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      begin()
      LockOrder.mode = .report
      let calls = Count()
      Signalbox.onReport { report in
        if report.lockOrder != nil { contradict("the handler") }
        calls.add()
      }
      contradict("program")
      until("the handler") { calls.value == 1 }
      contradict("program, again")
      until("the handler") { calls.value == 2 }
      // What follows those that wait, so that a third call would have come.
      ReportDelivery.deliver(plain("last"))
      until("the last") { calls.value == 3 }
    }
    #expect(errorText(result).matches(of: /lock order: mutex/).count >= 3, "\(errorText(result))")
  }

  @Test("A process that ends in order waits until handlers have been called with what was reported")
  func exits() async {
    let result = await #expect(processExitsWith: .exitCode(5), observing: [\.standardErrorContent]) {
      begin()
      Signalbox.onReport { report in
        sleepPlainly(milliseconds: 50)  // so that the end of the process comes first
        say("told \(report.text)")
      }
      for number in 1...3 { ReportDelivery.deliver(plain("report \(number)")) }
      exit(5)
    }
    #expect(errorText(result) == "told report 1\ntold report 2\ntold report 3\n", "\(errorText(result))")
  }

  @Test("A handler may end the process, which does not wait for itself")
  func exitsInside() async {
    await #expect(processExitsWith: .exitCode(7)) {
      begin()
      Signalbox.onReport { _ in exit(7) }
      ReportDelivery.deliver(plain("the only one"))
      sleepForEver()
    }
  }

  @Test("Of reports that come while a handler is busy 64 wait, and the next says how many were missed")
  func missed() async {
    await #expect(processExitsWith: .success) {
      begin()
      let gate = Gate(), seen = Count(), told = Atomic64(0)
      Signalbox.onReport { report in
        if seen.add() == 1 { gate.pass() }
        if report.missed > 0 { told.storeRelease(UInt64(report.missed) << 32 | seen.value) }
      }
      ReportDelivery.deliver(plain("0"))
      until("the handler") { seen.value == 1 }
      for number in 1...70 { ReportDelivery.deliver(plain("\(number)")) }
      gate.open()
      until("those that waited") { seen.value == 65 }
      ReportDelivery.deliver(plain("after"))
      until("the last") { seen.value == 66 }
      // Six had no room; the first that is taken after that says so.
      #expect(told.loadAcquire() == 6 << 32 | 2)
    }
  }

  @Test("Misuse is handed over, too, behind a deadlock that was only reported")
  func misuse() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      begin()
      Deadlock.policy = .report
      let calls = Count()
      Signalbox.onReport { report in
        say("told: \(report.kind) \(report.stopsProgram)")
        calls.add()
      }
      PlainThread("stuck") { deadlock() }
      until("the deadlock is reported") { calls.value == 1 }
      DispatchGroup().leave()
    }
    expectStop(result, saying: "told: deadlock false\n", "told: misuse true\n")
  }

  @Test("With SIGNALBOX_LOCK_ORDER=stop handlers get the order and then the stop")
  func lockOrderStops() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      begin()
      LockOrder.mode = .stop
      LockOrder.onReport { say("of the kind: \($0.kind.rawValue)") }
      Signalbox.onReport { report in say("told: \(report.kind) \(report.lockOrder?.steps.count ?? 0) \(report.stopsProgram)") }
      contradict("stop")
    }
    expectStop(result, saying: "of the kind: inversion\n", "told: lockOrder 2 true\n", "told: misuse 0 true\n")
  }
}
