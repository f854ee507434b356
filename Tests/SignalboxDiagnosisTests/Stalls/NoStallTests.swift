// NoStallTests.swift: programs that are merely slow, or wait for what may yet come: nothing certain is ever reported.
import Glibc
import Signalbox
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("No wait with nobody left") struct NoStallTests {
  /// Runs `body` in a process of its own with a thread that waits for a semaphore, and ends the process well.
  private static func beside(_ body: (Findings) -> Void) -> Never {
    let findings = Findings(), semaphore = DispatchSemaphore(value: 0)
    PlainThread("waiter") { semaphore.wait() }
    untilWaiting(1)
    body(findings)
    exit(0)
  }

  @Test("An item that is at work is no stall")
  func slow() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0), go = Count()
      DispatchQueue.global().async {
        while go.value == 0 { sched_yield() }
        semaphore.signal()
      }
      let waiter = PlainThread("waiter") { semaphore.wait() }
      untilWaiting(1)
      findings.nothing("at work")
      go.add()
      waiter.join()
    }
  }

  @Test("An armed timer or an item for later makes a stall suspected at most, and a timed wait makes none")
  func timers() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0)
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now() + 3600)
      timer.activate()
      PlainThread("waiter") { semaphore.wait() }
      untilWaiting(1)
      let report = findings.one(.suspected)
      #expect(report.mayStillEnd == ["a timer that is armed"] && report.cause == .allWait, "\(report.text)")
      #expect(report.summary.hasPrefix("suspected deadlock: events came, but none has helped: nothing is"), "\(report.text)")
      findings.nothing("armed")
      timer.cancel()
      #expect(findings.one().cause == .allWait, "nothing keeps it from being reported now")
      exit(0)
    }
    await #expect(processExitsWith: .success) {
      NoStallTests.beside { findings in
        DispatchQueue.global().asyncAfter(deadline: .now() + 3600) {}
        findings.nothingCertain("later")
      }
    }
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0)
      PlainThread("timed") { _ = semaphore.wait(timeout: .now() + 3600) }
      untilWaiting(1)
      PlainThread("waiter") { semaphore.wait() }
      untilWaiting(2)
      findings.nothing("timed")
      exit(0)
    }
  }

  @Test("A descriptor with a source, or a signal, makes a stall suspected, and is named")
  func sources() async {
    await #expect(processExitsWith: .success) {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let source = DispatchSource.makeReadSource(fileDescriptor: ends[0])
      source.setEventHandler {}
      source.activate()
      NoStallTests.beside { #expect($0.one(.suspected).mayStillEnd == ["a descriptor that is monitored"]) }
    }
    await #expect(processExitsWith: .success) {
      let source = DispatchSource.makeSignalSource(signal: SIGUSR2)
      source.setEventHandler {}
      source.activate()
      NoStallTests.beside { #expect($0.one(.suspected).mayStillEnd == ["a kind of event that is monitored"]) }
    }
  }

  @Test("A thread in sleep(), in read() or in a condition of the C library makes a stall suspected at most")
  func elsewhere() async {
    await #expect(processExitsWith: .success) {
      PlainThread("before") {}.join()
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0), theirs = ForeignLock()
      PlainThread("sleeper") { while true { sleep(100) } }  // the very call that is to be seen
      PlainThread("reader") {
        var ends: [Int32] = [0, 0]
        var byte: UInt8 = 0
        _ = pipe(&ends)
        _ = read(ends[0], &byte, 1)
      }
      PlainThread("condition") {
        theirs.lock()
        theirs.waitInCondition()
      }
      PlainThread("waiter") { semaphore.wait() }
      untilWaiting(1)
      findings.nothingCertain("elsewhere")
      exit(0)
    }
  }

  @Test("While somebody may come back the stall detector is silent until nothing has moved for its whole period")
  func patience() async {
    await #expect(processExitsWith: .success) {
      var taker = SnapshotTaker(patience: 3600_000_000_000)
      taker.bystanders = Set(KernelThread.all())
      let semaphore = DispatchSemaphore(value: 0)
      PlainThread("waiter") { semaphore.wait() }
      untilWaiting(1)
      #expect(!taker.isDue(Clock.uptime()))
      let (first, second) = (taker.take(), taker.take())
      #expect(second.standing(since: first).findings().isEmpty)
      exit(0)
    }
  }

  @Test("An armed timer counts as hope until a wait has lasted for several periods")
  func longWait() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0), beats = Count()
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now(), repeating: .milliseconds(150))
      timer.setEventHandler { beats.add() }
      timer.activate()
      PlainThread("waiter") { semaphore.wait() }
      untilWaiting(1)
      let start = Clock.uptime()
      StallDetector.start(seconds: 0.1)
      until("the stall detector reports") { !findings.all.isEmpty }
      #expect(Clock.uptime() - start >= 300_000_000 && findings.all.map(\.certainty) == [.suspected])
      let heard = beats.value
      until("three more beats") { beats.value > heard + 3 }
      #expect(findings.all.count == 1, "told once, whatever the timer does")
      StallDetector.stop()
      exit(0)
    }
  }

  @Test("No snapshot of work of every kind that goes on and on is a certain stall", .timeLimit(.minutes(10)))
  func churn() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), end = Clock.uptime() + 3_000_000_000
      StallDetector.start(seconds: 3600)
      let parties = Churn.all.map { body in PlainThread("party") { while Clock.uptime() < end { body() } } }
      while Clock.uptime() < end { findings.nothingCertain("churn", looks: 20) }
      for party in parties { party.join() }
    }
  }
}

extension NoStallTests {
  @Test(
    "A thread that sleeps at a free lock, or at one without a known holder, is taken to come by itself",
    arguments: [true, false], [WaitKind.mutex, .nsCondition, .nsConditionLock, .condition])
  func freeLock(tells: Bool, kind: WaitKind) async {
    await #expect(processExitsWith: .success) { [tells = tells as Bool, number = kind.rawValue as UInt8] in
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0), word = Atomic32(0)
      let kind = WaitKind(rawValue: number)!
      PlainThread("dozes") {
        withUnsafePointer(to: word) { word in
          let address = UInt(bitPattern: word)
          WaitRecord.publish(
            kind, object: address, isTimed: false, tells ? OwnerWords(OwnerWord(address, .lock)) : OwnerWords())
          while true { _ = Parking.park(word, expected: 0) }
        }
      }
      untilWaiting(1)
      PlainThread("waiter") { semaphore.wait() }
      untilWaiting(2)
      findings.nothing("free")
      exit(0)
    }
  }

  @Test("No snapshot of one kind of work alone is a certain stall, when no other thread hides it", .timeLimit(.minutes(10)))
  func alone() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings()
      for body in Churn.all {
        let end = Clock.uptime() + 800_000_000
        let party = PlainThread("party") { while Clock.uptime() < end { body() } }
        while Clock.uptime() < end { findings.nothingCertain("alone", looks: 20) }
        party.join()
      }
    }
  }
}

/// A lock and a semaphore: the holder gives the lock back and waits for who takes next, who dozes: nobody wakes that one.
private func dozing(until end: UInt64) {
  let lock = MutexLock(), asked = Count(), over = Count(), taken = DispatchSemaphore(value: 0)
  let other = PlainThread("other") {
    var round: UInt64 = 0
    while true {
      round += 1
      while asked.value < round { if over.value > 0 { return } }
      lock.lock()
      lock.unlock()
      taken.signal()
    }
  }
  while Clock.uptime() < end {
    lock.lock()
    asked.add()
    for _ in 0..<3000 { spinPause() }
    lock.unlock()
    taken.wait()
  }
  over.add()
  other.join()
}

/// Small jobs that wait for others, and end.
private enum Churn {
  static let all: [@Sendable () -> Void] = [
    {
      let there = DispatchSemaphore(value: 0), back = DispatchSemaphore(value: 0)
      let other = PlainThread("other") {
        for _ in 0..<50 {
          there.wait()
          back.signal()
        }
      }
      for _ in 0..<50 {
        there.signal()
        back.wait()
      }
      other.join()
    },
    {
      let group = DispatchGroup(), queue = DispatchQueue(label: "churn"),
        wide = DispatchQueue(label: "wide", attributes: .concurrent)
      for _ in 0..<20 {
        queue.async(group: group) { wide.sync {} }
        wide.async(group: group, flags: .barrier) {}
        wide.async(group: group) { sleepPlainly(microseconds: 10) }  // work that sleeps
      }
      group.wait()
    },
    { dozing(until: Clock.uptime() + 300_000_000) },
    {
      let wide = DispatchQueue(label: "waited in", attributes: .concurrent), gate = DispatchSemaphore(value: 0)
      wide.async { gate.signal() }
      wide.asyncAndWait { gate.wait() }
      wide.asyncAndWait(flags: .barrier) {}
    },
    {
      let queue = DispatchQueue(label: "stops"), resumer = DispatchQueue(label: "resumes")
      queue.suspend()
      resumer.async { queue.resume() }
      queue.sync {}
    },
    {
      let item = DispatchWorkItem { sleepPlainly(microseconds: 20) }  // work that sleeps
      DispatchQueue.global().async(execute: item)
      item.wait()
      DispatchQueue.concurrentPerform(iterations: 8) { _ in sleepPlainly(microseconds: 5) }  // work that sleeps
    },
  ]
}
