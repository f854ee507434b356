// WordLockTests.swift: locks that are plain words of the caller's: os_unfair_lock and the withdrawn spin lock.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

/// Calls to the spin lock, reached without the warning that it is withdrawn.
private protocol SpinCalls {
  func lock(_ word: UnsafeMutablePointer<Int32>)
  func tryLock(_ word: UnsafeMutablePointer<Int32>) -> Bool
  func unlock(_ word: UnsafeMutablePointer<Int32>)
  var initial: Int32 { get }
}
private struct Spin: SpinCalls {
  @available(*, deprecated) func lock(_ word: UnsafeMutablePointer<OSSpinLock>) { OSSpinLockLock(word) }
  @available(*, deprecated) func tryLock(_ word: UnsafeMutablePointer<OSSpinLock>) -> Bool { OSSpinLockTry(word) }
  @available(*, deprecated) func unlock(_ word: UnsafeMutablePointer<OSSpinLock>) { OSSpinLockUnlock(word) }
  @available(*, deprecated) var initial: Int32 { OS_SPINLOCK_INIT }
}
private var spin: any SpinCalls { Spin() }

@Suite("os_unfair_lock and OSSpinLock") struct WordLockTests {
  @Test("The word is four bytes, a free one all zero, and free again after use")
  func layout() {
    #expect(MemoryLayout<os_unfair_lock>.size == 4 && MemoryLayout<os_unfair_lock>.stride == 4)
    #expect(os_unfair_lock()._os_unfair_lock_opaque == 0)
    withMemory(os_unfair_lock()) { lock in
      os_unfair_lock_lock(lock)
      #expect(lock.pointee._os_unfair_lock_opaque != 0)
      os_unfair_lock_unlock(lock)
      #expect(lock.pointee._os_unfair_lock_opaque == 0)
    }
    withMemory(spin.initial) { lock in
      spin.lock(lock)
      spin.unlock(lock)
      #expect(lock.pointee == 0)
    }
  }

  @Test("Trying takes a free lock, and neither one's own nor another's")
  func trying() {
    withMemory(os_unfair_lock()) { lock in
      let shared = Shared(pointer: lock)
      #expect(os_unfair_lock_trylock(lock))
      #expect(!os_unfair_lock_trylock(lock))
      os_unfair_lock_assert_owner(lock)
      onAnotherThread {
        #expect(!os_unfair_lock_trylock(shared.pointer))
        os_unfair_lock_assert_not_owner(shared.pointer)
      }
      os_unfair_lock_unlock(lock)
      os_unfair_lock_assert_not_owner(lock)
    }
    withMemory(spin.initial) { lock in
      #expect(spin.tryLock(lock))
      #expect(!spin.tryLock(lock))
      spin.unlock(lock)
      #expect(spin.tryLock(lock))
      spin.unlock(lock)
    }
  }

  @Test("Eight threads are never inside together, and no addition is lost", arguments: ["unfair", "spin"])
  func exclusion(kind: String) async {
    await #expect(processExitsWith: .success) { [kind] in
      killOnHang()
      let guarded = Guarded()
      withMemory(os_unfair_lock()) { lock in
        let shared = Shared(pointer: lock)
        onThreads(8) { _ in
          for round in 1...10_000 {
            if kind == "unfair" {
              os_unfair_lock_lock(shared.pointer)
              guarded.visit(round)
              os_unfair_lock_unlock(shared.pointer)
            } else {
              shared.pointer.withMemoryRebound(to: Int32.self, capacity: 1) {
                spin.lock($0)
                guarded.visit(round)
                spin.unlock($0)
              }
            }
          }
        }
      }
      #expect(guarded.sum == 80_000 && guarded.mostInside == 1)
    }
  }

  @Test("A thread that waits for a spin lock sleeps in the end, and is woken")
  func spinSleeps() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      withMemory(spin.initial) { lock in
        let (shared, waiter, done) = (Shared(pointer: lock), Count(), Count())
        spin.lock(lock)
        let thread = TestThread {
          waiter.value = kernelID
          spin.lock(shared.pointer)
          spin.unlock(shared.pointer)
          done.value = 1
        }
        #expect(eventually { waiter.value != 0 && isAsleep(waiter.value) })
        #expect(done.value == 0)
        spin.unlock(lock)
        thread.join()
        #expect(done.value == 1)
      }
    }
  }

  @Test("A spin lock is freed by whoever unlocks it; unlocking a free one does nothing")
  func spinHasNoOwnerCheck() {
    withMemory(spin.initial) { lock in
      let shared = Shared(pointer: lock)
      spin.unlock(lock)
      #expect(lock.pointee == 0)
      onAnotherThread { spin.lock(shared.pointer) }
      spin.unlock(lock)
      #expect(spin.tryLock(lock))
      spin.unlock(lock)
    }
  }

  // MARK: what stops the program

  @Test("Relocking, unlocking what is not held, and wrong assertions stop the program")
  func unfairMisuse() async {
    let relock = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      withMemory(os_unfair_lock()) { lock in
        os_unfair_lock_lock(lock)
        os_unfair_lock_lock(lock)
      }
    }
    expectStop(relock, saying: "deadlock of one thread: it locks the unfair lock at 0x")
    let unlock = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      withMemory(os_unfair_lock()) { os_unfair_lock_unlock($0) }
    }
    expectStop(unlock, saying: "which no thread holds")
    let owner = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      withMemory(os_unfair_lock()) { os_unfair_lock_assert_owner($0) }
    }
    expectStop(owner, saying: "expects its thread to hold")
    let other = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      withMemory(os_unfair_lock()) { lock in
        os_unfair_lock_lock(lock)
        os_unfair_lock_assert_not_owner(lock)
      }
    }
    expectStop(other, saying: "expects its thread not to hold")
  }

  @Test("A spin lock that its holder takes again, which would spin forever, stops the program")
  func spinRelock() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      withMemory(spin.initial) { lock in
        spin.lock(lock)
        spin.lock(lock)
      }
    }
    expectStop(result, saying: "deadlock of one thread: it locks the spin lock at 0x")
  }
}
