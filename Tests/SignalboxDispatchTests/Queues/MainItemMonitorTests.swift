// MainItemMonitorTests.swift: items of the main queue that run for longer than the limit, on the main thread of a fork; and when they are
// checked, from every state.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch
@testable import SignalboxObservers

import struct Foundation.Data
import class Foundation.JSONSerialization

/// The reports of the program, by a handler.
private final class Told: Sendable {
  let count = Count()
  init() {
    _ = ReportHandler { [count] report in
      guard let item = report.longItem else { return }
      StandardError.write(
        "item \(item.seconds >= item.limit) limit \(item.limit) thread \(item.threadID == UInt64(getpid())) "
          + "stack \(item.stack.isEmpty ? "none" : "there")\n")
      count.add()
    }
  }
}

/// Runs what is in the main queue.
private func drain() {
  alarm(500)
  setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
  MainQueue.drain()
}

/// An item that runs until it was reported, and never sleeps: so a signal finds it. The alarm ends one that is not.
@inline(never) private func runUntilTold(_ told: Told, times: UInt64) {
  while told.count.value < times { sched_yield() }
}

/// An item that sleeps in the C library until it was reported: a call that a signal would end.
@inline(never) private func sleepUntilTold(_ descriptor: Int32) {
  var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  if poll(&polled, 1, 300_000) != 1 { _exit(12) }
}

@Suite("Long items of the main queue") struct MainItemMonitorTests {
  @Test("An item is reported once, while it runs, with the main thread's stack; so are the next and one that wakes the monitor")
  func whileItRuns() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      asMainThreadOfAFork {
        let told = Told()
        MainQueue.reportItems(longerThan: .milliseconds(20))
        DispatchQueue.main.async {
          runUntilTold(told, times: 1)
          sleepPlainly(milliseconds: 100)  // five limits more, in which there must be no other report
        }
        DispatchQueue.main.async { runUntilTold(told, times: 2) }
        drain()
        awaitState("the monitor, which has nothing to check until an item begins") { MainItemMonitor.testsOnly_isAsleep }
        DispatchQueue.main.async { runUntilTold(told, times: 3) }
        drain()
        if told.count.value != 3 { _exit(11) }
      }
    }
    let text = errorText(result)
    #expect(text.matches(of: /main queue: an item has run for \d+ ms, and the limit is 20 ms\n/).count == 3, "\(text)")
    #expect(text.matches(of: /runs: async: closure .\d in \S/).count == 3, "\(text)")
    #expect(text.matches(of: /(?s)stack of thread \d+:\n.*?runUntilTold/).count == 3, "\(text)")
    #expect(text.matches(of: /item true limit 0.02 thread true stack there\n/).count == 3, "\(text)")
    #expect(text.contains("  fix: do what takes long on another queue"), "\(text)")
  }

  @Test("An item that sleeps in the C library is not woken by the report, which names the program's function")
  func sleeping() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      asMainThreadOfAFork {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) != 0 { _exit(10) }
        _ = ReportHandler { [writing = ends[1]] _ in _ = write(writing, "b", 1) }
        MainQueue.reportItems(longerThan: .milliseconds(20))
        DispatchQueue.main.async { [reading = ends[0]] in sleepUntilTold(reading) }
        drain()
      }
    }
    let text = errorText(result)
    #expect(text.matches(of: /runs: async: closure .\d in \S/).count == 1 && !text.contains("runs: async: poll"), "\(text)")
    #expect(text.matches(of: /(?s)stack of thread \d+:\n.*?sleepUntilTold/).count == 1, "\(text)")
  }

  @Test("An item of a queue that targets the main queue counts, and so does the body of another thread's sync")
  func besides() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      asMainThreadOfAFork {
        let told = Told(), isDone = Count()
        MainQueue.reportItems(longerThan: .milliseconds(10))
        let queue = DispatchQueue(label: "on the main queue", target: .main)
        queue.async { runUntilTold(told, times: 1) }
        drain()
        DispatchQueue.global().async {
          DispatchQueue.main.sync { runUntilTold(told, times: 2) }
          isDone.add()
        }
        awaitState("the sync") {
          drain()
          return isDone.value == 1
        }
        if told.count.value != 2 { _exit(11) }
      }
    }
    #expect(errorText(result).matches(of: /main queue: an item has run/).count == 2, "\(errorText(result))")
  }

  @Test("Short items, those of other queues, and any item once the limit is taken back are not reported")
  func notReported() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      asMainThreadOfAFork {
        let told = Told()
        MainQueue.reportItems(longerThan: .milliseconds(5))
        DispatchQueue.main.async { runUntilTold(told, times: 1) }  // the monitor is there
        drain()
        MainQueue.reportItems(longerThan: .seconds(3600))
        for _ in 0..<1000 { DispatchQueue.main.async { DispatchQueue.global().sync {} } }
        drain()
        MainQueue.reportItems(longerThan: .milliseconds(5))
        let other = DispatchQueue(label: "other"), group = DispatchGroup()
        other.async(group: group) { sleepPlainly(milliseconds: 50) }  // ten limits
        group.wait()
        MainQueue.reportItems(longerThan: .never)
        DispatchQueue.main.async { sleepPlainly(milliseconds: 50) }  // ten limits
        drain()
        if told.count.value != 1 || Instruments.byte & Instruments.mainLimit != 0 { _exit(11) }
      }
    }
    #expect(errorText(result).matches(of: /main queue: an item has run/).count == 1, "\(errorText(result))")
  }

  @Test("An item whose thread has ended is over: it is not reported, and the monitor goes to sleep")
  func endOfThread() async {
    await #expect(processExitsWith: .success) {
      asMainThreadOfAFork {
        _ = ReportHandler { if $0.longItem != nil { _exit(11) } }
        MainQueue.reportItems(longerThan: .seconds(3600))
        DispatchQueue.main.async {
          _ = TestThread {
            awaitState("the end of the main thread") { KernelThread.sample(UInt64(getpid()))?.hasEnded == true }
            MainQueue.reportItems(longerThan: .milliseconds(1))
            awaitState("the monitor, which has nothing to check until an item begins") { MainItemMonitor.testsOnly_isAsleep }
            _exit(0)
          }
          pthread_exit(nil)
        }
        drain()
      }
    }
  }

  @Test("SIGNALBOX_MAIN_LIMIT sets the limit, and the report is a line of the file of reports")
  func environment() async throws {
    let name = "/tmp/signalbox-long-\(getpid())-\(UInt64.random(in: 0 ... .max)).json"
    defer { unlink(name) }
    await #expect(processExitsWith: .success) { [name = name as String] in
      setenv("SIGNALBOX_MAIN_LIMIT", "15", 1)
      setenv("SIGNALBOX_REPORT_JSON", name, 1)
      asMainThreadOfAFork {
        let told = Told()
        DispatchQueue.main.async { runUntilTold(told, times: 1) }
        drain()
      }
    }
    let text = try #require(Files.text(RawString(name)))
    let line = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    #expect(line["kind"] as? String == "longItem" && line["limit"] as? Double == 0.015)
    #expect(
      (line["seconds"] as? Double ?? 0) >= 0.015 && line["time"] is Double && line["process"] as? Int == line["thread"] as? Int)
    let stack = (line["stack"] as? [String])?.contains { $0.contains("runUntilTold") } == true
    #expect(stack || Policy.ClockTimersTests.isSanitized, "a sanitizer sees its own frames: \(text)")
    #expect(((line["item"] as? [String: Any])?["kind"] as? String) == "async")
  }

  @Test("A limit that is none is reported where the environment has it, and stops the program where a call has it")
  func noLimit() async {
    for text in ["", "-1", "0x10", "1.5", "86400001", "18446744073709551616", " 5"] {
      #expect(MainLimit.nanoseconds(text) == nil, "\(text)")
    }
    #expect(MainLimit.nanoseconds("250") == 250_000_000)
    let said = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_MAIN_LIMIT", "soon", 1)
      _ = ThreadSlot.owner()
      if Instruments.byte & Instruments.mainLimit != 0 { exit(3) }
    }
    expectReport(
      said, saying: "SIGNALBOX_MAIN_LIMIT=soon is not a number of milliseconds from 1 to 86400000, nor off: items of the main")
    let stopped = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      MainQueue.reportItems(longerThan: .microseconds(999))
    }
    expectStop(
      stopped,
      saying: "MainQueue.reportItems(longerThan:) is given microseconds(999): give a time from 1 ms to a day, or .never")
  }

  // MARK: when to check

  /// Everything that a schedule and the queue may be, with a limit of 2 and times up to 12.
  @Test("From every state: an item is reported once, not before the limit and not after the check that follows it")
  func everyState() {
    typealias State = (schedule: MainItemSchedule, number: UInt64, began: UInt64, now: UInt64, told: Set<UInt64>)
    let limit: UInt64 = 2
    var open: [State] = [(MainItemSchedule(), 0, 0, 1, [])]
    var checks = 0, reports = 0
    while let state = open.popLast() {
      guard state.now < 14 else { continue }
      // The check, and then 0, 1 or 2 changes of the queue before the next.
      var after = state
      let found = MainItemSchedule.Found(number: state.number, began: state.began)
      let action = after.schedule.next(found, limit: limit, now: state.now)
      checks += 1
      switch action {
      case .report:
        reports += 1
        #expect(found.isRunning && state.now >= state.began + limit && !state.told.contains(state.number))
        after.told.insert(state.number)
      case .check(let time):
        #expect(time > state.now && time <= state.now + limit, "soon enough for whatever begins now")
        if found.isRunning {
          #expect(state.told.contains(state.number) || time == state.began + limit && state.now < time)
        }
        after.now = time
      case .sleep:
        #expect(!found.isRunning)
        after.now += 1
      }
      for changes in 0...2 {
        var next = after
        for _ in 0..<changes {
          next.number += 1
          if next.number & 1 == 1 { next.began = next.now }
        }
        open.append(next)
      }
    }
    #expect(checks > 500 && reports > 50)
  }

  @Test("Without items there are eight checks, and then none until one begins")
  func sleeps() {
    var schedule = MainItemSchedule()
    var actions: [MainItemSchedule.Action] = []
    for now in 0..<10 { actions.append(schedule.next(.init(number: 4), limit: 3, now: UInt64(now))) }
    #expect(actions.filter { $0 != .sleep }.count == MainItemSchedule.idleChecks && actions.suffix(2) == [.sleep, .sleep])
    #expect(schedule.next(.init(number: 6), limit: 3, now: 20) == .check(at: 23), "something has run meanwhile")
  }
}
