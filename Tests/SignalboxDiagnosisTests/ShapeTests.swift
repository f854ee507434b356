// ShapeTests.swift: deadlocks of every shape: two, three and eight participants, mixed kinds, closed by any of them.
import Glibc
import SignalboxDispatch
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Each of `things` is held by a thread of its own, which then wants the next one; `closer` is the last to ask.
func deadlock(_ things: [any Thing], closer: Int, _ reports: Reports) {
  let count = things.count
  let before = reports.all.count
  let standing = waitingThreads()
  let held = Count(), asking = Count()
  for index in 0..<count {
    PlainThread("party \(index)") {
      things[index].hold {
        held.add()
        while held.value < count { sched_yield() }
        if index == closer { while asking.value < count - 1 { sched_yield() } }
        if index == closer { until("all others wait") { waitingThreads() >= standing + count - 1 } }
        asking.add()
        things[(index + 1) % count].want()
      }
    }
  }
  until("a report for \(things.map(\.word)) closed by \(closer)") { reports.all.count > before }
  let report = reports.all[before]
  #expect(report.certainty == .certain)
  #expect(report.participants.count == count, "\(report.text)")
  for thing in things {
    #expect(report.participants.contains { $0.wants.name.hasPrefix(thing.word) }, "\(thing.word) is not in: \(report.text)")
  }
  for (index, participant) in report.participants.enumerated() {
    #expect(participant.threadID != 0 && participant.stack.count > 1, "\(report.text)")
    #expect(report.next(after: index).threadID != participant.threadID)
  }
  #expect(
    reports.all.count == before + 1,
    "told once: \(closer) \(things.map(\.word)) \(reports.all[before...].map { $0.text.split(separator: "\n").prefix(3).joined(separator: "\n") }.joined(separator: "\n"))"
  )
}

@Suite("Deadlocks of every shape are found") struct ShapeTests {
  static let kinds: [@Sendable () -> any Thing] = [
    { LockThing() }, { QueueThing() }, { DrainThing() }, { TargetThing() }, { BarrierThing() }, { ReaderThing() },
    { OnceThing() }, { AsyncAndWaitThing() }, { WorkItemThing(behind: false) }, { WorkItemThing(behind: true) },
  ]

  @Test(
    "Two threads that hold one thing each and want the other's are reported, for each pair of kinds", .timeLimit(.minutes(10)))
  func pairs() async {
    await #expect(processExitsWith: .success) {
      let reports = Reports()
      ForeignCycleDetector.onCycle = { _ in }  // found before the last thread parks, not a second later
      for first in ShapeTests.kinds {
        for second in ShapeTests.kinds {
          for closer in 0..<2 { deadlock([first(), second()], closer: closer, reports) }
        }
      }
      exit(0)  // the threads hang forever
    }
  }

  @Test(
    "Cycles of three and of eight things of mixed kinds are reported, whichever thread closes them", .timeLimit(.minutes(10)))
  func longer() async {
    await #expect(processExitsWith: .success) {
      let reports = Reports()
      ForeignCycleDetector.onCycle = { _ in }  // found before the last thread parks, not a second later
      for start in 0..<ShapeTests.kinds.count {
        for (count, step) in [(3, 1), (3, 3), (8, 1)] {
          let things = (0..<count).map { ShapeTests.kinds[(start + $0 * step) % ShapeTests.kinds.count]() }
          deadlock(things, closer: start % count, reports)
        }
      }
      exit(0)
    }
  }
}
