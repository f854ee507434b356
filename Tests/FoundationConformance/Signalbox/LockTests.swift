// LockTests.swift: NSLock, NSRecursiveLock and NSConditionLock as locks: exclusion, trying, deadlines, who may unlock.
import Testing

extension Conformance {
  @Suite("Locks") struct Locks {
    @Test("Threads are never inside together, and see what the last one wrote", arguments: LockKind.allCases)
    func exclusion(_ kind: LockKind) async {
      await isolated {
        let lock = kind.make()
        let number = Shared(0)
        // The toolchain's NSConditionLock cannot wait without a deadline that 64 bits hold: it crashes.
        let mayWait = subjectIsOurs || kind != .condition
        onThreads(4) { index in
          for round in 0..<5_000 {
            switch (index + round) % 4 {
            case 0 where mayWait:
              lock.withLock { number.value += 1 }
              continue
            case 1: while !lock.take() { briefPause() }
            case 3 where mayWait: lock.lock()
            default: _ = lock.take(before: far())
            }
            number.value += 1
            lock.unlock()
          }
        }
        expectEqual(number.value, 20_000)
      }
    }

    @Test("Trying takes a free lock and leaves a held one", arguments: LockKind.allCases)
    func trying(_ kind: LockKind) async {
      await isolated {
        let lock = kind.make()
        expect(lock.take())
        expect(!isFree(lock))
        lock.unlock()
        expect(isFree(lock))
        lock.lock()
        expect(!isFree(lock))
        expectEqual(lock.take(), kind == .recursive)
        if kind == .recursive { lock.unlock() }
        lock.unlock()
        expect(isFree(lock))
      }
    }

    @Test("A free lock is taken whatever the date", arguments: LockKind.allCases)
    func freeLockAndDates(_ kind: LockKind) async {
      await isolated {
        let lock = kind.make()
        for date in pastDates + endlessDates + [soon(), far()] {
          expect(lock.take(before: date), "\(date.timeIntervalSinceReferenceDate)")
          expect(!isFree(lock))
          lock.unlock()
        }
      }
    }

    @Test("A held lock is not taken with a past date, which is answered at once", arguments: LockKind.allCases)
    func heldLockAndPastDates(_ kind: LockKind) async {
      await isolated {
        let lock = kind.make()
        lock.lock()
        for date in pastDates { expect(!elsewhere { lock.take(before: date) }, "\(date.timeIntervalSinceReferenceDate)") }
        if kind != .recursive { expect(!lock.take(before: .distantPast)) }
        lock.unlock()
        expect(isFree(lock))
      }
    }

    @Test("A held lock is given up at the date, not before it", arguments: LockKind.allCases)
    func timesOut(_ kind: LockKind) async {
      await isolated {
        let lock = kind.make()
        lock.lock()
        for _ in 0..<3 {
          let date = soon()
          expect(!elsewhere { lock.take(before: date) })
          expect(Date() >= date, "early")
        }
        if kind != .recursive {
          let date = soon()
          expect(!lock.take(before: date))
          expect(Date() >= date, "early")
        }
        lock.unlock()
        expect(isFree(lock))
      }
    }

    @Test("A held lock is taken when it is given back in time", arguments: LockKind.allCases)
    func succeedsInTime(_ kind: LockKind) async {
      await isolated {
        for date in subjectIsOurs ? endlessDates + [far()] : [far()] {
          let lock = kind.make()
          lock.lock()
          let waiter = onThread {
            expect(lock.take(before: date), "\(date.timeIntervalSinceReferenceDate)")
            lock.unlock()
          }
          waitForWhatMustNotCome()
          lock.unlock()
          waiter.join()
          expect(isFree(lock))
        }
      }
    }

    @Test("withLock hands results and errors out and leaves the lock free", arguments: LockKind.allCases)
    func withLock(_ kind: LockKind) async {
      struct Wrong: Error, Equatable {}
      await isolated {
        let lock = kind.make()
        expectEqual(
          lock.withLock {
            expect(!isFree(lock))
            return 5
          }, 5)
        do {
          try lock.withLock { throw Wrong() }
          expect(false, "no error came out")
        } catch { expect(error is Wrong) }
        expect(isFree(lock))
      }
    }

    @Test("Each class's own withLock holds its lock while the body runs")
    func withLockOfClasses() async {
      await isolated {
        expectEqual(NSLock().withLock { 1 }, 1)
        expectEqual(NSRecursiveLock().withLock { 2 }, 2)
        expectEqual(NSCondition().withLock { 3 }, 3)
        expectEqual(NSConditionLock(condition: 7).withLock { 4 }, 4)
      }
    }

    @Test("A lock unlocked by another thread is free", arguments: [LockKind.plain, .condition])
    func foreignUnlock(_ kind: LockKind) async {
      await isolated {
        let lock = kind.make()
        for _ in 0..<3 {
          lock.lock()
          elsewhere { lock.unlock() }
          expect(isFree(lock))
        }
        // As a signal: one thread locks, the other unlocks.
        lock.lock()
        let waiter = onThread { expect(lock.take(before: far())) }
        waitForWhatMustNotCome()
        elsewhere { lock.unlock() }
        waiter.join()
        expect(!isFree(lock))
      }
    }

    @Test("Unlocking a free lock changes nothing", arguments: LockKind.allCases)
    func unlockFree(_ kind: LockKind) async {
      await isolated {
        let lock = kind.make()
        lock.unlock()
        lock.unlock()
        expect(lock.take())
        expect(!isFree(lock))
        lock.unlock()
        expect(isFree(lock))
      }
    }

    @Test("A recursive lock is free after as many unlocks as locks, however it was taken")
    func recursion() async {
      await isolated {
        let lock = NSRecursiveLock()
        lock.lock()
        expect(lock.try())
        expect(lock.lock(before: .distantPast))
        expect(lock.lock(before: far()))
        lock.withLock { lock.withLock { expect(!isFree(lock)) } }
        for _ in 0..<4 {
          expect(!isFree(lock))
          lock.unlock()
        }
        expect(isFree(lock))
      }
    }

    @Test("A recursive lock unlocked by another thread stays held")
    func recursiveForeignUnlock() async {
      await isolated {
        let lock = NSRecursiveLock()
        lock.lock()
        elsewhere { for _ in 0..<3 { lock.unlock() } }
        expect(!isFree(lock))
        lock.unlock()
        expect(isFree(lock))
      }
    }

    @Test("Names are kept, and taken back", arguments: LockKind.allCases)
    func names(_ kind: LockKind) async {
      await isolated {
        var lock = kind.make()
        expectEqual(lock.title, nil)
        lock.title = "mine"
        expectEqual(lock.title, "mine")
        lock.title = ""
        expectEqual(lock.title, "")
        lock.title = nil
        expectEqual(lock.title, nil)
        lock = kind.make()
        expectEqual(lock.title, nil)
        let condition = NSCondition()
        condition.name = "other"
        expectEqual(condition.name, "other")
      }
    }

    @Test("Locks are objects: each equal to itself only, described by its class and address")
    func objects() async {
      await isolated {
        let objects: [NSObject] = [NSLock(), NSRecursiveLock(), NSCondition(), NSConditionLock()]
        for (object, name) in zip(objects, ["NSLock", "NSRecursiveLock", "NSCondition", "NSConditionLock"]) {
          expect(object.isEqual(object))
          expectEqual(objects.filter { $0 == object }.count, 1)
          let description = object.description
          expect(description.hasPrefix("<") && description.contains(">"), description)
          expect(description.contains("\(name): 0x"), description)
          expectEqual(Set(objects).count, 4)
        }
      }
    }

    @Test("Locks dropped while held, and made again in their place, are free")
    func droppedWhileHeld() async {
      await isolated {
        for _ in 0..<50 {
          for kind in LockKind.allCases {
            let lock = kind.make()
            expect(isFree(lock))
            lock.lock()
          }
          let condition = NSCondition()
          condition.lock()
        }
      }
    }
  }
}
