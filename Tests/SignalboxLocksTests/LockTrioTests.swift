// LockTrioTests.swift: three threads at the narrow moments of both lock words and of the condition. How they are played: Trio.swift.
//
// Above each scene stands the step that saves it: without that step the scene fails.
#if Explore
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxLocks

/// A lock of eight bytes.
private final class Large: @unchecked Sendable {
  // SAFETY of @unchecked: `sum` is touched only by the lock's holder.
  let core = LockCore()
  var sum = 0
  var crowd: CrowdState { core.crowd.hint() }

  func visit(within milliseconds: Int64? = nil) {
    let deadline = milliseconds.map { LockDeadline.after(.milliseconds($0)) } ?? .never
    guard core.lock(.mutex, until: deadline) else { return }
    sum += 1
    precondition(core.unlock(.mutex))
  }
  /// A thread that has the lock and is about to give it back.
  func holder(_ stage: Stage) -> Int {
    let index = stage.enter { self.visit() }
    precondition(stage.run(index) { sum == 1 })
    return index
  }
  var complaint: String? {
    let isAtRest = core.word.loadRelaxed() == 0 && core.crowd.hint().rawValue % CrowdState.ticket == 0
    return isAtRest ? nil : "the lock is not free, or not without sleepers, in the end"
  }
}

/// A lock of four bytes.
private final class Small: @unchecked Sendable {
  // SAFETY of @unchecked: `sum` is touched only by the lock's holder.
  let core = SmallLockCore()
  var sum = 0
  var isHandOff: Bool { core.state.hint().isHandOff }

  func visit() {
    if !core.lockAtOnce() { core.lockSlow(.spinLock) }
    sum += 1
    precondition(core.unlock(.spinLock))
  }
  func holder(_ stage: Stage) -> Int {
    let index = stage.enter { self.visit() }
    precondition(stage.run(index) { sum == 1 })
    return index
  }
  var complaint: String? { core.state.hint() == .free ? nil : "the lock is not free in the end" }
}

/// A condition and its lock; how many of its waits ended by a call, and how many by time.
private final class Hall: Sendable {
  let lock = LockCore()
  let condition = ConditionCore()
  let called = Count(), late = Count()

  func wait(within milliseconds: Int64? = nil) {
    lock.lock(.mutex)
    let deadline = milliseconds.map { LockDeadline.after(.milliseconds($0)) } ?? .never
    if condition.wait(lock, .condition, object: lock.address, until: deadline) { called.add() } else { late.add() }
    precondition(condition.unlock(lock, .mutex, object: 0))
  }
  func call(all: Bool) {
    lock.lock(.mutex)
    if all { condition.broadcast(lock) } else { condition.signal(lock) }
    precondition(condition.unlock(lock, .mutex, object: 0))
  }
  var complaint: String? {
    let isAtRest = lock.word.loadRelaxed() == 0 && !condition.isAwaited && !condition.isOwing
    return isAtRest ? nil : "somebody is listed, or owed a wake, or holds the lock in the end"
  }
}

@Suite("Three threads at a lock or condition, in every order") struct LockTrioTests {
  // Saved by afterGiveUp, which takes HO back: or no thread but a starving one, of which there is none, gets in again.
  @Test("A lock kept for a starving sleeper forgets nobody when that gives up, its holder leaves and a barger falls asleep")
  func handOffGivenUp() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, time in
        let lock = Large(), holder = lock.holder(stage)
        LockTuning.patience = 1_000_000
        let starving = stage.enter { lock.visit(within: time) }
        guard stage.park(starving) else { return nil }
        stage.awaken(starving)
        LockTuning.patience = .max / 4
        guard stage.park(starving), lock.crowd.isHandOff else { return nil }
        stage.awaken(starving)
        sleepPlainly(milliseconds: Int(time))  // woken to ask again, perhaps; its time comes while it is held
        return TrioScene(racers: [starving, holder, stage.enter { lock.visit() }]) { lock.complaint }
      }
    }
    expectNoSchedule(result)
  }

  // Saved by afterGiveUp, which says again that others may sleep: this thread has used up the only wake.
  @Test("A lock forgets nobody when a late wake, the holder that came first and another barger meet")
  func wakeUsedUp() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, time in
        let lock = Large(), holder = lock.holder(stage)
        let timed = stage.enter { lock.visit(within: time) }
        guard stage.park(timed) else { return nil }
        let sleeper = stage.enter { lock.visit() }
        guard stage.park(sleeper) else { return nil }
        stage.run(holder)
        stage.awaken(timed)
        // By the holder, not by its time: the wake has not gone to the other.
        guard stage.rest(sleeper) == .parked else { return nil }
        let next = stage.enter { lock.visit() }
        guard stage.run(next, until: { lock.sum == 2 }) else { return nil }
        sleepPlainly(milliseconds: Int(time))  // its time comes while the lock is held
        return TrioScene(racers: [timed, next, stage.enter { lock.visit() }]) { lock.complaint }
      }
    }
    expectNoSchedule(result)
  }

  // Saved by afterTake, which leaves the sleepers' bit where the taker has slept.
  @Test("A four-byte lock forgets no sleeper when a woken sleeper and two bargers meet")
  func smallRetaken() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, _ in
        let lock = Small(), holder = lock.holder(stage)
        let sleeper = stage.enter { lock.visit() }
        guard stage.park(sleeper), stage.park(stage.enter { lock.visit() }) else { return nil }
        stage.run(holder)
        stage.awaken(sleeper)
        return TrioScene(racers: [sleeper, stage.enter { lock.visit() }, stage.enter { lock.visit() }]) { lock.complaint }
      }
    }
    expectNoSchedule(result)
  }

  // Saved by afterUnlock, which wakes one of the starving while the lock is kept for them: the other sleeper has slept longer.
  @Test("A four-byte lock kept for a starving sleeper forgets no other when its holder and two bargers meet")
  func smallHandOff() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, _ in
        let lock = Small(), holder = lock.holder(stage)
        LockTuning.patience = 1_000_000
        let starving = stage.enter { lock.visit() }
        guard stage.park(starving) else { return nil }
        stage.awaken(starving)
        LockTuning.patience = .max / 4
        guard stage.park(stage.enter { lock.visit() }), stage.park(starving), lock.isHandOff else { return nil }
        return TrioScene(racers: [holder, stage.enter { lock.visit() }, stage.enter { lock.visit() }]) { lock.complaint }
      }
    }
    expectNoSchedule(result)
  }

  // Saved by leave(), which refuses a place that is not listed any more: its thread has been called, and says so.
  @Test("When a signal meets the ends of the two longest waits, one waiter is called")
  func signalAndTimeOuts() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, time in
        let hall = Hall()
        let timed = [stage.enter { hall.wait(within: time) }, stage.enter { hall.wait(within: time) }]
        guard timed.allSatisfy(stage.park), stage.park(stage.enter { hall.wait() }) else { return nil }
        timed.forEach(stage.awaken)
        return TrioScene(
          racers: timed + [stage.enter { hall.call(all: false) }],
          complaintAtRest: { hall.called.value == 1 ? nil : "\(hall.called.value) called by one signal" },
          dismissal: { stage.enter { hall.call(all: true) } }, complaint: { hall.complaint })
      }
    }
    expectNoSchedule(result)
  }

  // Saved by the call of the next place in wait(): by the thread called before it, also if its own time has come
  // meanwhile.
  @Test("When a broadcast, a signal and the end of the longest wait meet, no waiter is forgotten")
  func broadcastAndTimeOut() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Trio.play { stage, time in
        let hall = Hall(), timed = stage.enter { hall.wait(within: time) }
        guard stage.park(timed) else { return nil }
        let others = [stage.enter { hall.wait() }, stage.enter { hall.wait() }]
        guard others.allSatisfy(stage.park) else { return nil }
        stage.awaken(timed)
        return TrioScene(
          racers: [timed, stage.enter { hall.call(all: true) }, stage.enter { hall.call(all: false) }],
          complaintAtRest: { others.allSatisfy(stage.isThrough) ? nil : "a broadcast has left somebody asleep" },
          complaint: { hall.complaint })
      }
    }
    expectNoSchedule(result)
  }
}
#endif
