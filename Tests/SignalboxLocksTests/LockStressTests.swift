// LockStressTests.swift: crowds at one lock: no addition lost, no thread asleep forever, none passed by for long. The
// steps without threads are CrowdStateTests and SmallLockStateTests.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxLocks

/// A LockCore that threads share.
private final class Lock: Sendable {
  let core = LockCore()
  /// Free, and no thread sleeps.
  var isAtRest: Bool { core.word.loadRelaxed() == 0 && core.crowd.hint().rawValue % CrowdState.ticket == 0 }
  func lock() { core.lock(.mutex) }
  func tryLock() -> Bool { core.tryLock(.mutex) }
  func lock(until deadline: LockDeadline) -> Bool { core.lock(.mutex, until: deadline) }
  func unlock() -> Bool { core.unlock(.mutex) }
}

@Suite("Many threads at one lock") struct LockStressTests {
  @Test("A lock is eight bytes; one that is a word of the caller's has four, and every view of them is the same lock")
  func layout() {
    #expect(MemoryLayout<LockCore>.size == 8 && MemoryLayout<RecursiveCore>.size == 12)
    #expect(MemoryLayout<SmallLockCore>.size == 4)
    withMemory(os_unfair_lock()) { lock in
      let (address, isTaken) = (lock.core.pointee.address, lock.core.pointee.tryLock(.unfairLock))
      #expect(address == UInt(bitPattern: lock) && isTaken)
      #expect(lock.pointee._os_unfair_lock_opaque == UInt32(ThreadSlot.owner()))
      let isFree = lock.core.pointee.unlock(.unfairLock)
      #expect(isFree)
    }
  }

  @Test(
    "Eight threads that take a lock in every way are never inside together, and leave it at rest",
    arguments: [true, false])
  func everyWay(hasBarrier: Bool) async {
    await #expect(processExitsWith: .success) { [hasBarrier] in
      killOnHang()
      if !hasBarrier { Barrier.testsOnly_refuse(true) }
      let (lock, guarded, taken) = (Lock(), Guarded(), Count())
      onThreads(8) { thread in
        for round in 1...8_000 {
          switch (thread + round) % 4 {
          case 0: guard lock.tryLock() else { continue }
          case 1:
            guard lock.lock(until: .after(.microseconds(Int64(round % 80)))) else { continue }
          default: lock.lock()
          }
          guarded.visit(round)
          taken.add()
          #expect(lock.unlock())
        }
      }
      #expect(UInt64(guarded.sum) == taken.value && taken.value >= 32_000 && guarded.mostInside == 1)
      #expect(lock.isAtRest)
    }
  }

  @Test("When timed waits end while the lock is handed on, whoever still waits gets it")
  func timeoutsAmongHandOffs() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (lock, guarded, timeouts) = (Lock(), Guarded(), Count())
      var tries = 0
      // How long a turn takes is up to the machine: on one that has time for nothing else all may be quick enough.
      repeat {
        tries += 1
        onThreads(8) { thread in
          for round in 0..<40 {
            if thread < 4 {
              // Long enough inside that sleepers begin to starve, and time-outs fall together with hand-offs.
              lock.lock()
              sleepPlainly(microseconds: 500 + 300 * (round % 4))  // work that sleeps
            } else {
              // From less than one turn of a holder to more than a sleeper's patience.
              let limit = Int64(100 * thread + 370 * round)
              guard lock.lock(until: .after(.microseconds(limit))) else {
                timeouts.add()
                continue
              }
            }
            guarded.visit(1)
            #expect(lock.unlock())
          }
        }
      } while timeouts.value == 0 && tries < 20
      #expect(guarded.sum + Int(timeouts.value) == 320 * tries && guarded.mostInside == 1)
      #expect(timeouts.value > 0)
      #expect(lock.isAtRest)
    }
  }

  /// Counted in others' turns: how long those take depends on what else the machine does.
  @Test("The longest wait of sixteen threads that never stop asking is bounded")
  func longestWait() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (lock, longest, least, all) = (Lock(), Count(), Count(.max), Count())
      onThreads(16) { _ in
        var turns: UInt64 = 0
        while all.value < 200_000 {
          let before = all.value
          lock.lock()
          longest.raise(to: all.add() - before)
          for _ in 0..<200 { spinPause() }
          _ = lock.unlock()
          turns += 1
        }
        least.lower(to: turns)
      }
      // About two thousand turns go into the patience of a sleeper, and a thousand into a time slice.
      #expect(longest.value < 100_000, "\(longest.value) turns")
      #expect(least.value >= 10, "\(least.value) turns")
    }
  }

  @Test("A sleeper is let in although others ask without pause")
  func starvation() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (lock, stop, sleeper, done) = (Lock(), Count(), Count(), Count())
      lock.lock()
      let waiting = TestThread {
        sleeper.value = kernelID
        lock.lock()
        _ = lock.unlock()
        done.value = 1
      }
      #expect(eventually { sleeper.value != 0 && isAsleep(sleeper.value) })
      // Gives the lock back and takes it in the same breath, over and over: a fair chance no other thread has.
      let start = Clock.uptime()
      while done.value == 0, stop.value == 0 {
        _ = lock.unlock()
        lock.lock()
        if Clock.uptime() - start > patience * 1_000_000_000 { stop.value = 1 }
      }
      _ = lock.unlock()
      waiting.join()
      #expect(stop.value == 0)
    }
  }

  @Test("Where the kernel has no barrier, an unlock that misses a sleeper delays it by 1 ms, not by its patience")
  func missedSleeper() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      Barrier.testsOnly_refuse(true)
      // With the barrier no thread would check before the sleeper's patience is at its end.
      #expect(eventually { LockStressTests.delayOfMissedSleeper() < LockTuning.patience })
    }
  }

  /// How long a thread waits for a lock that is freed while it sleeps, and that no thread wakes it for.
  private static func delayOfMissedSleeper() -> UInt64 {
    let (lock, sleeper, delay) = (Lock(), Count(), Count())
    lock.lock()
    let thread = TestThread {
      sleeper.value = kernelID
      delay.value = duration { lock.lock() }
      _ = lock.unlock()
    }
    _ = eventually { sleeper.value != 0 && isAsleep(sleeper.value) }
    // What is left of an unlock whose check of the crowd came too early.
    lock.core.word.storeRelease(0)
    thread.join()
    return delay.value
  }

  @Test("A wait on each clock ends no earlier than its time", arguments: ["uptime", "continuous", "wall"])
  func clocks(clock: String) {
    let lock = Lock()
    let (now, deadline): (@Sendable () -> UInt64, (UInt64) -> LockDeadline) =
      switch clock {
      case "uptime": ({ Clock.uptime() }, { .uptime($0) })
      case "continuous": ({ Clock.continuous() }, { .continuous($0) })
      default: ({ Clock.wall() }, { .wall($0) })
      }
    lock.lock()
    for delay in [0, 1, 12, 25] as [UInt64] {
      let point = now() + milliseconds(delay)
      #expect(!lock.lock(until: deadline(point)))
      #expect(now() >= point)
    }
    #expect(lock.unlock() && !lock.unlock())
  }

  @Test("A deadline is the point it says, and never when it is beyond all time")
  func deadlines() {
    #expect(LockDeadline.after(.seconds(-1)).hasPassed && LockDeadline.after(.zero).hasPassed)
    #expect(!LockDeadline.after(.seconds(3_600)).hasPassed && !LockDeadline.never.hasPassed)
    #expect(LockDeadline.after(.seconds(Int64.max)) == .never)
    #expect(LockDeadline.wall(1).hasPassed && !LockDeadline.wall(.max).hasPassed)
  }
}
