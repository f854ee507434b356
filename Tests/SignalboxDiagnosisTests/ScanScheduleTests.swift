// ScanScheduleTests.swift: when scans are due, and when a cycle seen is a cycle told: by a clock of the test's own.
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

private let second: UInt64 = 1_000_000_000

@Suite("When scans for cycles are due") struct ScanScheduleTests {
  @Test("A wait is scanned after 1, 2 and 4 seconds, and then never again")
  func threeScans() {
    var schedule = ScanSchedule()
    var looks: [UInt64] = []
    var time: UInt64 = 100
    #expect(schedule.next == nil)
    for _ in 0..<100 {
      if schedule.note(.wait(slot: 3), stamp: 8, since: 100, now: time) == .scan { looks.append(time - 100) }
      schedule.endRound()
      time += second / 10
    }
    #expect(looks == [second, 2 * second, 4 * second])
    #expect(schedule.next == nil, "nothing outstanding: no timer")
  }

  @Test("The time of the next scan is that of the first that is due")
  func next() {
    var schedule = ScanSchedule()
    _ = schedule.note(.wait(slot: 1), stamp: 2, since: 0, now: second / 2)
    #expect(schedule.next == second)
    _ = schedule.note(.item(thread: 7), stamp: 1, since: second / 2, now: second / 2)
    schedule.endRound()
    #expect(schedule.note(.wait(slot: 1), stamp: 2, since: 0, now: second) == .scan)
    #expect(schedule.next == second + second / 2)
    schedule.endRound()
    #expect(schedule.next == 2 * second, "the item has ended: it was not noted")
  }

  @Test("A late scan counts once, however late")
  func late() {
    var schedule = ScanSchedule()
    #expect(schedule.note(.wait(slot: 1), stamp: 2, since: 0, now: 3 * second) == .scan)
    #expect(schedule.next == 4 * second)
    #expect(schedule.note(.wait(slot: 1), stamp: 2, since: 0, now: 9 * second) == .scan)
    #expect(schedule.next == nil)
  }

  @Test("Another wait in the same record begins anew")
  func anotherWait() {
    var schedule = ScanSchedule()
    #expect(schedule.note(.wait(slot: 1), stamp: 2, since: 0, now: second) == .scan)
    #expect(schedule.note(.wait(slot: 1), stamp: 4, since: second, now: second) == .begun)
    #expect(schedule.next == 2 * second)
  }

  @Test("A new wait is said to be new, once")
  func begun() {
    var schedule = ScanSchedule()
    #expect(schedule.note(.item(thread: 7), stamp: 1, since: 0, now: 0) == .begun)
    #expect(schedule.note(.item(thread: 7), stamp: 1, since: 0, now: 0) == .nothing)
    #expect(schedule.note(.item(thread: 7), stamp: 2, since: 3, now: 3) == .begun)
    schedule.endRound()
    schedule.endRound()
    #expect(schedule.note(.item(thread: 7), stamp: 2, since: 3, now: 4) == .begun)
  }
}

@Suite("When a suspected cycle is reported") struct SuspicionsTests {
  private func cycle(_ threads: [Int32], sequence: UInt64? = nil, object: UInt = 0x1000) -> MixedCycle {
    MixedCycle(
      participants: threads.indices.map { index in
        MixedCycle.Participant(
          thread: threads[index], sequence: index == 0 ? sequence : nil, kind: .foreignMutex,
          object: object + UInt(threads[index]), next: threads[(index + 1) % threads.count])
      })
  }

  @Test("A cycle is reported when it is found for the second time, once, with the time of the first")
  func secondScan() {
    var suspicions = Suspicions()
    #expect(suspicions.confirm([cycle([1, 2])], now: second).isEmpty)
    #expect(suspicions.next == 2 * second && suspicions.threads(dueBy: 2 * second) == [1])
    let told = suspicions.confirm([cycle([2, 1])], now: 2 * second)
    #expect(told.count == 1, "found from the other thread it is the same")
    #expect(told.first?.participants.allSatisfy { $0.since == second } == true)
    #expect(suspicions.confirm([cycle([1, 2])], now: 4 * second).isEmpty && suspicions.next == nil)
  }

  @Test("Two finds in one moment are one")
  func sameMoment() {
    var suspicions = Suspicions()
    #expect(suspicions.confirm([cycle([1, 2]), cycle([2, 1])], now: second).isEmpty)
    #expect(suspicions.confirm([cycle([1, 2])], now: second + second / 10).isEmpty)
    #expect(suspicions.confirm([cycle([1, 2])], now: second + second / 2).count == 1)
  }

  @Test("A cycle that is not found again is forgotten, and another wait of the same threads is another cycle")
  func forgotten() {
    var suspicions = Suspicions()
    #expect(suspicions.confirm([cycle([1, 2], sequence: 4)], now: second).isEmpty)
    #expect(suspicions.confirm([cycle([1, 2], sequence: 6)], now: 2 * second).isEmpty)
    #expect(suspicions.confirm([cycle([1, 2], sequence: 6, object: 0x2000)], now: 3 * second).isEmpty)
    #expect(suspicions.confirm([], now: 4 * second).isEmpty)
    #expect(suspicions.next == nil)
    #expect(suspicions.confirm([cycle([1, 2], sequence: 4)], now: 5 * second).isEmpty)
  }
}
