// ConditionLockTests.swift: NSConditionLock: every way to lock and unlock, and what becomes of the condition.
//
// Where a thread has to wait the text gives a date: without one the toolchain stops the program
// (Differences/locks.json).
import Testing

extension Conformance {
  @Suite("Condition locks") struct ConditionLocks {
    @Test("The condition is 0, or what the lock was made with, until an unlock gives another")
    func condition() async {
      await isolated {
        expectEqual(NSConditionLock().condition, 0)
        let lock = NSConditionLock(condition: -3)
        expectEqual(lock.condition, -3)
        lock.lock()
        expectEqual(lock.condition, -3)
        lock.unlock()
        expectEqual(lock.condition, -3)
        lock.lock(whenCondition: -3)
        lock.unlock(withCondition: 8)
        expectEqual(lock.condition, 8)
        expect(lock.try())
        lock.unlock(withCondition: .max)
        expectEqual(lock.condition, .max)
      }
    }

    @Test("Trying takes a condition lock only when its condition is the one asked for")
    func trying() async {
      await isolated {
        let lock = NSConditionLock(condition: 1)
        expect(!lock.tryLock(whenCondition: 2))
        expect(lock.tryLock(whenCondition: 1))
        expect(!lock.tryLock(whenCondition: 1))
        expect(!elsewhere { lock.tryLock(whenCondition: 1) })
        lock.unlock(withCondition: 2)
        expect(!lock.tryLock(whenCondition: 1))
        expect(lock.tryLock(whenCondition: 2))
        lock.unlock()
        expect(isFree(lock))
      }
    }

    @Test("With a past date a condition lock is taken only if it can be at once")
    func pastDatesAndConditions() async {
      await isolated {
        for date in pastDates {
          let lock = NSConditionLock(condition: 1)
          expect(!lock.lock(whenCondition: 2, before: date))
          expect(isFree(lock))
          expect(lock.lock(whenCondition: 1, before: date))
          expect(!lock.lock(whenCondition: 1, before: date))
          expect(!elsewhere { lock.lock(whenCondition: 1, before: date) })
          lock.unlock()
          expect(isFree(lock))
        }
      }
    }

    @Test("Waiting for a condition that does not come ends at the date, not before it, with the lock free")
    func timesOut() async {
      await isolated {
        let lock = NSConditionLock(condition: 1)
        let first = soon()
        expect(!lock.lock(whenCondition: 2, before: first))
        expect(Date() >= first, "early")
        expect(isFree(lock))
        lock.lock()
        let date = soon()
        expect(!elsewhere { lock.lock(whenCondition: 1, before: date) })
        expect(Date() >= date, "early")
        lock.unlock()
        expect(isFree(lock))
      }
    }

    @Test("Threads that wait for conditions are called in the conditions' order")
    func steps() async {
      await isolated {
        let lock = NSConditionLock(condition: 0)
        let log = Recorder<Int>()
        let threads = (1...5).map { step in
          onThread {
            expect(lock.lock(whenCondition: step, before: far()))
            log.add(step)
            lock.unlock(withCondition: step + 1)
          }
        }
        waitForWhatMustNotCome()
        lock.lock()
        lock.unlock(withCondition: 1)
        for thread in threads { thread.join() }
        expectEqual(log.entries, [1, 2, 3, 4, 5])
        expectEqual(lock.condition, 6)
      }
    }

    @Test("A ring of threads goes round, each waiting for its own number")
    func ring() async {
      await isolated {
        let lock = NSConditionLock(condition: 0)
        let number = Shared(0)
        onThreads(4) { index in
          for round in 0..<200 {
            while true {
              if lock.lock(whenCondition: index, before: round % 3 == 0 ? Date(timeIntervalSinceNow: 0.000_1) : far()) { break }
            }
            number.value += 1
            lock.unlock(withCondition: (index + 1) % 4)
          }
        }
        expectEqual(number.value, 800)
        expectEqual(lock.condition, 0)
      }
    }

    @Test("Several threads that wait for one condition all come in while it stays")
    func sameCondition() async {
      await isolated {
        let lock = NSConditionLock(condition: 0)
        let number = Shared(0)
        let threads = (0..<5).map { _ in
          onThread {
            expect(lock.lock(whenCondition: 4, before: far()))
            number.value += 1
            lock.unlock()
          }
        }
        waitForWhatMustNotCome()
        lock.lock()
        lock.unlock(withCondition: 4)
        for thread in threads { thread.join() }
        expectEqual(number.value, 5)
      }
    }

    @Test("A producer and a consumer hand one thing at a time over")
    func handOver() async {
      await isolated {
        let (empty, full) = (0, 1)
        let lock = NSConditionLock(condition: empty)
        let box = Shared(0)
        let consumer = onThread {
          for number in 1...500 {
            expect(lock.lock(whenCondition: full, before: far()))
            expectEqual(box.value, number)
            lock.unlock(withCondition: empty)
          }
        }
        for number in 1...500 {
          expect(lock.lock(whenCondition: empty, before: far()))
          box.value = number
          lock.unlock(withCondition: full)
        }
        consumer.join()
      }
    }

    @Test("Another thread may unlock it, with a condition for those who wait")
    func foreignUnlock() async {
      await isolated {
        let lock = NSConditionLock(condition: 0)
        lock.lock()
        let waiter = onThread { expect(lock.lock(whenCondition: 3, before: far())) }
        waitForWhatMustNotCome()
        elsewhere { lock.unlock(withCondition: 3) }
        waiter.join()
        expectEqual(lock.condition, 3)
        expect(!isFree(lock))
      }
    }

    @Test("Unlocking it with a condition while it is free sets the condition, and calls those who wait for it")
    func unlockFree() async {
      await isolated {
        let lock = NSConditionLock(condition: 0)
        lock.unlock(withCondition: 3)
        expectEqual(lock.condition, 3)
        let waiter = onThread {
          expect(lock.lock(whenCondition: 9, before: far()))
          lock.unlock()
        }
        waitForWhatMustNotCome()
        lock.unlock(withCondition: 9)
        waiter.join()
        expect(isFree(lock))
      }
    }

    @Test("A wait without a date lasts until the condition comes", .enabled(if: subjectIsOurs))
    func withoutDate() async {
      await isolated {
        let lock = NSConditionLock(condition: 0)
        let waiter = onThread {
          lock.lock(whenCondition: 2)
          lock.unlock(withCondition: 5)
        }
        let other = onThread {
          lock.lock(whenCondition: 5)
          lock.unlock(withCondition: 6)
        }
        waitForWhatMustNotCome()
        lock.lock()
        waitForWhatMustNotCome()
        lock.unlock(withCondition: 2)
        waiter.join()
        other.join()
        expectEqual(lock.condition, 6)
      }
    }
  }
}
