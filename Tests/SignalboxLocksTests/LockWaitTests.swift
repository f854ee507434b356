// LockWaitTests.swift: how a wait goes on after each way that a sleep can end, and what a thread that dozes makes of what it reads.
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxLocks

@Suite("How a wait for a lock continues after a sleep") struct LockWaitTests {
  @Test("The first wake in vain makes the next sleep a doze, and each doze is followed by a longer one up to the longest")
  func dozes() {
    var course = LockWait()
    #expect(!course.dozes && course.patience == .fresh)
    course.hasSlept()
    course.goOn(after: .timedOut)
    #expect(!course.dozes && course.patience == .hasSlept)
    course.goOn(after: .woken)
    #expect(course.dozes && course.dozesUntil <= course.due)
    var last = course.dozesUntil
    for _ in 0..<4 {
      course.goOn(after: .timedOut)
      #expect(course.dozesUntil >= last)
      last = course.dozesUntil
    }
    #expect(course.dozes)
  }

  @Test("A polling waiter takes the lock at the end of a long section only, and leaves those alone who hold it for a moment")
  func polls() {
    var polls = SectionPolls()
    for _ in 0..<LockTuning.pollsOfALongSection { #expect(polls.afterPoll(isFree: false) == .goOn) }
    #expect(polls.afterPoll(isFree: true) == .take)
    #expect(polls.afterPoll(isFree: false) == .goOn)
    #expect(polls.afterPoll(isFree: true) == .goOn)  // one short section may be chance
    #expect(polls.afterPoll(isFree: true) == .leave)
  }

  @Test("Now and then a waiter measures whether polling is worth it")
  func questions() {
    var polls = SectionPolls()
    let advice = (1...200).map { _ in polls.afterPoll(isFree: false) }
    #expect(advice.filter { $0 == .askWhetherItIsWorthIt }.count == 3)
  }
}

@Suite("Whom an unlock wakes") struct LockWakeTests {
  /// A word on which threads of two kinds sleep, and how each sleep has ended: 0 not yet, 1 woken, 2 otherwise.
  final class Sleepers: Sendable {
    let word = Atomic32(0)
    let ordinary = Atomic32(0)
    let starving = Atomic32(0)

    func sleep(_ patience: LockPatience, _ ended: borrowing Atomic32) {
      let outcome = word.park(expected: 0, deadline: .uptime(Clock.uptime() + milliseconds(120_000)), set: patience.sleeperSet)
      ended.storeRelease(outcome == .woken ? 1 : 2)
    }
  }

  /// Locks mend a wake that never comes: each sleeper checks again by itself after a while. So the wake itself is tested here.
  @Test("A wake ends a sleep, and that of the starving ends only theirs")
  func wakes() {
    let sleepers = Sleepers()
    let threads = [
      TestThread { sleepers.sleep(.hasSlept, sleepers.ordinary) }, TestThread { sleepers.sleep(.starving, sleepers.starving) },
    ]
    #expect(
      eventually {
        LockWake.nobody.happen(on: sleepers.word)
        LockWake.starving.happen(on: sleepers.word)
        return sleepers.starving.loadAcquire() == 1
      })
    #expect(sleepers.ordinary.loadAcquire() == 0)
    #expect(
      eventually {
        LockWake.one.happen(on: sleepers.word)
        return sleepers.ordinary.loadAcquire() == 1
      })
    for thread in threads { thread.join() }
  }
}
