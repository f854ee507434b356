// OSAllocatedUnfairLockTests.swift: the lock with its value: what its members do, exclusion, cost, and what stops the program.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("OSAllocatedUnfairLock") struct OSAllocatedUnfairLockTests {
  @Test("Every form of a body sees the value, and what it leaves is there for the next")
  func forms() {
    let lock = OSAllocatedUnfairLock(initialState: 1)
    lock.withLock { $0 += 1 }
    lock.withLock(flags: .adaptiveSpin) { $0 += 10 }
    lock.withLockUnchecked { $0 += 100 }
    lock.withLockUnchecked(flags: []) { $0 += 1_000 }
    #expect(lock.withLockIfAvailable { $0 += 10_000 } != nil)
    #expect(lock.withLockIfAvailableUnchecked { $0 += 100_000 } != nil)
    #expect(lock.withLock { $0 } == 111_112)
  }

  @Test("A lock without a value is taken by hand, and around bodies")
  func plainForms() {
    let lock = OSAllocatedUnfairLock()
    lock.lock()
    lock.precondition(.owner)
    #expect(!lock.lockIfAvailable())
    lock.unlock()
    lock.precondition(.notOwner)
    lock.lock(flags: .adaptiveSpin)
    lock.unlock()
    #expect(lock.lockIfAvailable())
    lock.unlock()
    #expect(lock.withLock { 1 } + lock.withLock(flags: .adaptiveSpin) { 2 } == 3)
    #expect(lock.withLockUnchecked { 1 } + lock.withLockUnchecked(flags: []) { 2 } == 3)
    #expect(lock.withLockIfAvailable { 4 } == 4 && lock.withLockIfAvailableUnchecked { 5 } == 5)
  }

  @Test("A held lock is not available, to another thread and to its holder")
  func unavailable() {
    let lock = OSAllocatedUnfairLock(initialState: 0)
    let ran = Count()
    lock.withLockUnchecked { _ in
      #expect(lock.withLockIfAvailable { _ in ran.add() } == nil)
      onAnotherThread { #expect(lock.withLockIfAvailable { _ in ran.add() } == nil) }
    }
    #expect(ran.value == 0)
  }

  @Test("A copy is the same lock")
  func copies() {
    let lock = OSAllocatedUnfairLock(initialState: 7)
    let copy = lock
    copy.withLock { $0 = 8 }
    #expect(lock.withLock { $0 } == 8)
    lock.withLockUnchecked { _ in #expect(copy.withLockIfAvailable { $0 } == nil) }
  }

  @Test("An error leaves the body, and the lock is free afterwards")
  func releasedOnThrow() {
    struct Wrong: Error {}
    let lock = OSAllocatedUnfairLock(initialState: 0)
    #expect(throws: Wrong.self) {
      try lock.withLock {
        $0 = 1
        throw Wrong()
      }
    }
    #expect(throws: Wrong.self) { try lock.withLockIfAvailableUnchecked { _ in throw Wrong() } }
    lock.precondition(.notOwner)
    #expect(lock.withLock { $0 } == 1)
  }

  @Test("The value is destroyed with the last copy of the lock")
  func lifetime() {
    final class Token {}
    weak var token: Token?
    do {
      let made = Token()
      token = made
      let lock = OSAllocatedUnfairLock(uncheckedState: made)
      let copy = lock
      #expect(copy.withLockUnchecked { $0 === made })
    }
    #expect(token == nil)
  }

  @Test("Eight threads are never inside together, and no addition is lost")
  func exclusion() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let lock = OSAllocatedUnfairLock(uncheckedState: Guarded())
      onThreads(8) { _ in
        for round in 1...20_000 { lock.withLockUnchecked { $0.visit(round) } }
      }
      let seen = lock.withLockUnchecked { ($0.sum, $0.mostInside) }
      #expect(seen == (160_000, 1))
    }
  }

  @Test("A lock that nobody competes for neither sleeps nor keeps memory")
  func uncontendedCost() async {
    await #expect(processExitsWith: .success) {
      let lock = OSAllocatedUnfairLock(initialState: 0)
      lock.withLock { $0 += 1 }
      _ = allocatedBytes()
      let (switches, bytes) = (voluntarySwitches, allocatedBytes())
      for _ in 0..<10_000 { lock.withLock { $0 += 1 } }
      #expect(voluntarySwitches == switches)
      #expect(allocatedBytes() - bytes < 10_000)
    }
  }

  // MARK: what stops the program

  @Test("The holder that locks again is stopped, with the lock's name and the way out")
  func relock() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      plainly {
        let lock = OSAllocatedUnfairLock()
        lock.lock()
        lock.lock()
      }
    }
    expectStop(
      result, saying: "deadlock of one thread: it locks the unfair lock at 0x", "unlock it before locking it again")
  }

  @Test("A body that enters its own lock is stopped")
  func nestedBody() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let lock = OSAllocatedUnfairLock(initialState: 0)
      lock.withLock { _ in lock.withLock { $0 += 1 } }
    }
    expectStop(result, saying: "deadlock of one thread")
  }

  @Test("Unlocking what nobody holds is stopped")
  func unlockFree() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      plainly { OSAllocatedUnfairLock().unlock() }
    }
    expectStop(result, saying: "a thread unlocks the unfair lock at 0x", "which no thread holds")
  }

  @Test("Unlocking what another thread holds is stopped")
  func unlockOfAStranger() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      plainly {
        let lock = OSAllocatedUnfairLock()
        onAnotherThread { lock.lock() }
        lock.unlock()
      }
    }
    expectStop(result, saying: "which another thread holds")
  }

  @Test("Preconditions hold in every build, both ways")
  func preconditions() async {
    let owner = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      OSAllocatedUnfairLock(initialState: 0).precondition(.owner)
    }
    expectStop(owner, saying: "expects its thread to hold the unfair lock")
    let other = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let lock = OSAllocatedUnfairLock()
      lock.withLock { lock.precondition(.notOwner) }
    }
    expectStop(other, saying: "expects its thread not to hold the unfair lock")
  }
}
