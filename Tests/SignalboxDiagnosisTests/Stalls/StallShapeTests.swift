// StallShapeTests.swift: waits with nobody left, of each kind, by real threads: found once, with the right objects and threads.
import Glibc
import Signalbox
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("Waits with nobody left") struct StallShapeTests {
  @Test("A semaphore that nobody signals is reported")
  func semaphore() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0)
      PlainThread("waiter") { semaphore.wait() }
      let report = findings.one()
      #expect(report.cause == .allWait && report.objects.map(\.object.kind) == [.semaphore] && report.mayStillEnd.isEmpty)
      #expect(report.participants.map(\.threadName) == ["waiter"] && report.participants[0].stack.count > 1)
      #expect(report.text.contains("nothing is left to signal it"), "\(report.text)")
      exit(0)
    }
  }

  @Test("Two semaphores waited for crosswise give one report with both threads")
  func crosswise() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), one = DispatchSemaphore(value: 1), two = DispatchSemaphore(value: 1), inside = Count()
      for (first, second) in [(one, two), (two, one)] {
        PlainThread("party") {
          first.wait()
          inside.add()
          while inside.value < 2 { sched_yield() }
          second.wait()
        }
      }
      let report = findings.one()
      #expect(report.participants.count == 2 && report.objects.count == 2, "\(report.text)")
      exit(0)
    }
  }

  @Test("A group that is not left as often as entered is reported with the places of its enters")
  func group() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), group = DispatchGroup(), queue = DispatchQueue(label: "items")
      StallDetector.start(seconds: 3600)
      for _ in 0..<2 { group.enter() }
      group.enter()
      queue.async(group: group) {}
      group.leave()
      PlainThread("waiter") { group.wait() }
      let report = findings.one()
      let enters = report.objects.first?.enters ?? []
      #expect(
        report.objects.map(\.object.kind) == [.group] && report.objects[0].object.name.contains("2 inside"), "\(report.text)")
      #expect(enters.reduce(0) { $0 + $1.count } == 4 && enters.contains { $0.count == 2 }, "\(report.text)")
      #expect(enters.allSatisfy { $0.stack.count > 1 } && report.text.contains("entered 2 times at:"))
      exit(0)
    }
  }

  @Test("Enters from before the group was last empty are not reported")
  func groupAgain() async {
    await #expect(processExitsWith: .success) {
      _ = Findings()
      let group = DispatchGroup(), address = UInt(bitPattern: Unmanaged.passUnretained(group).toOpaque())
      StallDetector.start(seconds: 3600)
      for _ in 0..<3 {
        group.enter()
        group.leave()
      }
      // Only where it was entered last: for whoever leaves once too often.
      #expect(EnterNotes.note(of: address)?.sites == [] && EnterNotes.note(of: address)?.last.isEmpty == false)
      group.enter()
      #expect(EnterNotes.note(of: address)?.entered == 1)
      StallDetector.stop()
      #expect(EnterNotes.note(of: address) == nil && !StallDetector.isOn)
      group.leave()
    }
  }

  @Test("A suspended queue, and one never activated, are reported with their waiters", arguments: [true, false])
  func stopped(isSuspended: Bool) async {
    await #expect(processExitsWith: .success) { [isSuspended = isSuspended as Bool] in
      let findings = Findings()
      let queue =
        isSuspended ? DispatchQueue(label: "stopped") : DispatchQueue(label: "stopped", attributes: .initiallyInactive)
      if isSuspended { queue.suspend() }
      PlainThread("waiter") { queue.sync {} }
      let report = findings.one()
      let words =
        isSuspended ? "suspended, and nothing is left to resume it" : "never activated, and nothing is left to activate it"
      #expect(report.text.contains("serial queue \"stopped\": \(words)"), "\(report.text)")
      exit(0)
    }
  }

  @Test("A queue on a suspended target is reported, idle or with an item before the waiter", arguments: [true, false])
  func stoppedTarget(isIdle: Bool) async {
    await #expect(processExitsWith: .success) { [isIdle = isIdle as Bool] in
      let findings = Findings(), base = DispatchQueue(label: "base"), above = DispatchQueue(label: "above", target: base)
      base.suspend()
      if !isIdle { above.async {} }
      PlainThread("waiter") { above.sync {} }
      let text = findings.one().text
      let words =
        isIdle ? "\"base\": suspended, and nothing is left to resume it" : "nothing is left to resume serial queue \"base\""
      #expect(text.contains(words), "\(text)")
      exit(0)
    }
  }

  @Test("A condition that nobody signals is reported")
  func condition() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), condition = ConditionBox()
      PlainThread("waiter") { condition.wait() }
      #expect(findings.one().objects.map(\.object.kind) == [.condition])
      exit(0)
    }
  }

  @Test("An exhausted pool is certain although another thread runs, when its workers want queues that need a worker")
  func pool() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), inside = Count(), gate = Gate()
      setenv("SIGNALBOX_MAX_THREADS", "2", 1)
      PlainThread("runs") { while true { sched_yield() } }
      let wanted = DispatchQueue(label: "wanted")
      for _ in 0..<2 {
        DispatchQueue.global().async {
          inside.add()
          // Asleep in the kernel: beside the thread that runs, a single processor would have no room for two that poll.
          gate.pass()
          wanted.sync {}
        }
      }
      until("both workers are taken") { inside.value == 2 }
      wanted.async {}
      gate.open()
      let report = findings.one()
      #expect(report.cause == .pool && report.participants.count == 2, "\(report.text)")
      #expect(report.summary == "deadlock: work is queued, and all 2 worker threads wait for others, forever")
      #expect(report.participants.allSatisfy { $0.item?.kind == "async" && !$0.frames.isEmpty }, "\(report.text)")
      exit(0)
    }
  }

  @Test("An exhausted pool whose items wait for one that is queued is reported")
  func poolOfSemaphores() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), gate = DispatchSemaphore(value: 0), inside = Count()
      setenv("SIGNALBOX_MAX_THREADS", "3", 1)
      for _ in 0..<3 {
        DispatchQueue.global().async {
          inside.add()
          gate.wait()
        }
      }
      until("all workers are taken") { inside.value == 3 }
      DispatchQueue.global().async { for _ in 0..<3 { gate.signal() } }
      let report = findings.one()
      #expect(report.cause == .pool && report.participants.count == 3, "\(report.text)")
      exit(0)
    }
  }

  @Test("Items that wait behind one another, and a thread behind them, are all listed")
  func chain() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0), queue = DispatchQueue(label: "chained")
      queue.async { semaphore.wait() }
      until("the item waits") { waitingThreads() == 1 }
      PlainThread("behind") { queue.sync {} }
      let report = findings.one()
      let last = report.participants.count == 2 ? report : findings.one()
      #expect(last.participants.map(\.wants.kind) == [.semaphore, .sync], "\(last.text)")
      #expect(
        last.participants[0].frames == ["an item of serial queue \"chained\""] && last.participants[0].item?.kind == "async")
      exit(0)
    }
  }

  @Test("A thread that sleeps elsewhere makes the stall suspected and is named, and the program is not stopped")
  func suspected() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0), gate = Gate()
      Deadlock.policy = .stop
      PlainThread("sleeper") { gate.pass() }
      PlainThread("waiter") { semaphore.wait() }
      let report = findings.one(.suspected)
      #expect(report.mayStillEnd.count == 1 && report.mayStillEnd[0].contains("\"sleeper\""), "\(report.text)")
      #expect(report.text.contains("  it might still be ended by thread \"sleeper\""))
      exit(0)
    }
  }

  @Test("A certain stall stops the program, unless the policy says otherwise")
  func stops() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      _ = Findings()
      Deadlock.policy = .stop
      let semaphore = DispatchSemaphore(value: 0)
      PlainThread("waiter") { semaphore.wait() }
      while true { StallDetector.scan() }
    }
    expectStop(
      result, saying: "signalbox: deadlock: nothing is left that could end this wait, forever\n  semaphore 0x",
      "  thread \"waiter\" (", "  fix: make sure that every wait() has a signal()")
  }

  @Test("With the policy ignore nothing is reported")
  func ignored() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0)
      Deadlock.policy = .ignore
      PlainThread("waiter") { semaphore.wait() }
      untilWaiting(1)
      findings.nothing("ignored")
      exit(0)
    }
  }

  @Test("The stall detector reports waits that have lasted for its period, and nothing after it is stopped")
  func byItself() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0), start = Clock.uptime()
      PlainThread("waiter") { semaphore.wait() }
      untilWaiting(1)
      StallDetector.start(seconds: 0.25)
      until("the stall detector reports") { findings.all.contains { $0.certainty == .certain } }
      #expect(Clock.uptime() - start >= 250_000_000 && StallDetector.isOn)
      StallDetector.stop()
      exit(0)
    }
  }

  @Test("SIGNALBOX_WATCH switches the stall detector on; a value that is no number is reported")
  func environment() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_WATCH", "often", 1)
      _ = ThreadSlot.owner()
      #expect(!StallDetector.isOn && StallPeriod.nanoseconds("0.25") == 250_000_000)
      for text in ["", ".", "-1", "0.001", "1e3", "nan", "0x10", "86401", " 5"] {
        #expect(StallPeriod.nanoseconds(text) == nil, "\(text)")
      }
    }
    expectReport(result, saying: "SIGNALBOX_WATCH=often is not a number of seconds from 0.01 to 86400, nor off")
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_WATCH", "0.1", 1)
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0)
      PlainThread("waiter") { semaphore.wait() }
      until("the stall detector reports") { findings.all.contains { $0.certainty == .certain } }
      #expect(StallDetector.isOn)
      exit(0)
    }
  }
}

/// A condition that nobody signals.
private final class ConditionBox: Sendable {
  private let variable = ConditionVariable()
  func wait() { variable.withLock { variable.wait() } }
}
