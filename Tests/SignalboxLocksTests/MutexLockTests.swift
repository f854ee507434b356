// MutexLockTests.swift: the three kinds of mutex: what a relock and a stranger's unlock do in each, waiting, cost.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxLocks

@Suite("The three kinds of mutex") struct MutexLockTests {
  @Test("Taken and given back, by hand and around a body, in every kind", arguments: MutexLock.Kind.allCases)
  func basics(kind: MutexLock.Kind) {
    struct Wrong: Error, Equatable { let code: Int }
    struct Token: ~Copyable { let number: Int }
    let mutex = MutexLock(kind: kind)
    #expect(mutex.kind == kind && !mutex.isHeldByCurrentThread)
    mutex.lock()
    #expect(mutex.isHeldByCurrentThread)
    onAnotherThread {
      #expect(!mutex.isHeldByCurrentThread)
      #expect(!mutex.tryLock())
    }
    mutex.unlock()
    #expect(mutex.tryLock())
    mutex.unlock()
    #expect(mutex.withLock { Token(number: 3) }.number == 3)
    #expect(throws: Wrong(code: 1)) { try mutex.withLock { () throws(Wrong) in throw Wrong(code: 1) } }
    onAnotherThread {
      #expect(mutex.tryLock())
      mutex.unlock()
    }
  }

  @Test("A recursive mutex is given back as often as it was taken, before another thread gets it")
  func recursion() {
    let mutex = MutexLock(kind: .recursive)
    mutex.lock()
    #expect(mutex.tryLock())
    #expect(mutex.lock(until: .uptime(0)))
    mutex.withLock { mutex.withLock { #expect(mutex.isHeldByCurrentThread) } }
    for _ in 0..<3 {
      onAnotherThread { #expect(!mutex.tryLock()) }
      mutex.unlock()
    }
    #expect(!mutex.isHeldByCurrentThread)
    onAnotherThread {
      #expect(mutex.tryLock())
      mutex.unlock()
    }
  }

  @Test("An error-checking mutex answers with the system's numbers, and stays as it was")
  func errorCheck() throws {
    let mutex = MutexLock(kind: .errorCheck)
    #expect(throws: MutexError.notOwner) { try mutex.unlockChecked() }
    try mutex.lockChecked()
    #expect(throws: MutexError.deadlock) { try mutex.lockChecked() }
    #expect(throws: MutexError.deadlock) { try mutex.lockChecked(until: .after(.seconds(60))) }
    #expect(!mutex.tryLock())
    onAnotherThread { #expect(throws: MutexError.notOwner) { try mutex.unlockChecked() } }
    #expect(mutex.isHeldByCurrentThread)
    try mutex.unlockChecked()
    #expect(try mutex.lockChecked(until: .uptime(0)))
    try mutex.unlockChecked()
    #expect(MutexError.deadlock.code == EDEADLK && MutexError.notOwner.code == EPERM)
  }

  @Test("An error-checking mutex returns its refusals as well; one that is left aside changes nothing")
  func returnedErrors() {
    let mutex = MutexLock(kind: .errorCheck)
    #expect(mutex.unlock() == .notOwner && mutex.lock() == nil)
    #expect(mutex.lock() == .deadlock && !mutex.lock(until: .never) && mutex.isHeldByCurrentThread)
    onAnotherThread { #expect(mutex.unlock() == .notOwner) }
    mutex.lock()
    #expect(mutex.unlock() == nil && !mutex.isHeldByCurrentThread)
    for kind in [MutexLock.Kind.normal, .recursive] { #expect(plainPair(MutexLock(kind: kind)) == [nil, nil]) }
  }

  private func plainPair(_ mutex: MutexLock) -> [MutexError?] { [mutex.lock(), mutex.unlock()] }

  @Test("A holder of a normal mutex that waits for it with a limit waits in vain, and holds it still")
  func timedRelock() {
    let mutex = MutexLock()
    mutex.lock()
    let start = Clock.uptime()
    #expect(!mutex.lock(until: .after(.milliseconds(20))))
    #expect(Clock.uptime() - start >= milliseconds(20))
    #expect(mutex.isHeldByCurrentThread)
    mutex.unlock()
  }

  @Test("A timed wait ends no earlier than its time, on each clock, and not at all if the lock comes first")
  func timedWait() {
    let mutex = MutexLock()
    let (held, leave) = (Count(), Gate())
    let holder = TestThread {
      mutex.lock()
      held.value = 1
      leave.pass()
      mutex.unlock()
    }
    #expect(eventually { held.value == 1 })
    let start = (Clock.uptime(), Clock.wall())
    #expect(!mutex.lock(until: .after(.milliseconds(15))))
    #expect(!mutex.lock(until: .wall(start.1 + milliseconds(40))))
    #expect(!mutex.lock(until: .continuous(Clock.continuous() + milliseconds(15))))
    #expect(!mutex.lock(until: .after(.zero)) && !mutex.lock(until: .after(.seconds(-5))))
    #expect(Clock.uptime() - start.0 >= milliseconds(30) && Clock.wall() >= start.1 + milliseconds(40))
    leave.open()
    #expect(mutex.lock(until: .after(.seconds(Int64(patience)))))
    mutex.unlock()
    holder.join()
  }

  @Test("Eight threads are never inside together, and no addition is lost", arguments: 0..<3)
  func exclusion(index: Int) async {
    await #expect(processExitsWith: .success) { [index] in
      killOnHang()
      let mutex = MutexLock(kind: MutexLock.Kind.allCases[index])
      let guarded = Guarded()
      onThreads(8) { _ in
        for round in 1...10_000 { mutex.withLock { guarded.visit(round) } }
      }
      #expect(guarded.sum == 80_000 && guarded.mostInside == 1)
    }
  }

  @Test("A mutex that nobody competes for neither sleeps nor keeps memory", arguments: 0..<3)
  func uncontendedCost(index: Int) async {
    await #expect(processExitsWith: .success) { [index] in
      let mutex = MutexLock(kind: MutexLock.Kind.allCases[index])
      mutex.withLock {}
      _ = allocatedBytes()
      let (switches, bytes) = (voluntarySwitches, allocatedBytes())
      for _ in 0..<10_000 { mutex.withLock {} }
      #expect(voluntarySwitches == switches && allocatedBytes() - bytes < 10_000)
    }
  }

  // MARK: what stops the program

  @Test("The holder of a normal mutex that locks it again is stopped")
  func relock() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      plainly {
        let mutex = MutexLock()
        mutex.lock()
        mutex.lock()
      }
    }
    expectStop(result, saying: "deadlock: a thread waits for itself, forever")
  }

  @Test("The form of an error-checking mutex that has no answer to give stops the program")
  func relockWithBody() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let mutex = MutexLock(kind: .errorCheck)
      mutex.withLock { mutex.withLock {} }
    }
    expectStop(result, saying: "deadlock of one thread: it locks the error-checking mutex at 0x")
  }

  @Test(
    "An unlock by another thread than the holder's is stopped unless the lock checks for errors, however deep the holder is",
    arguments: [0, 2])
  func unlockOfAStranger(index: Int) async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) { [index] in
      let mutex = MutexLock(kind: MutexLock.Kind.allCases[index])
      onAnotherThread {
        mutex.lock()
        if index == 2 { mutex.lock() }
      }
      plainly { _ = mutex.unlock() }
    }
    expectStop(result, saying: "which another thread holds")
  }

  @Test("Unlocking a mutex once too often stops the program")
  func unlockTooOften() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      plainly {
        let mutex = MutexLock(kind: .recursive)
        mutex.withLock { mutex.withLock {} }
        mutex.unlock()
      }
    }
    expectStop(result, saying: "a thread unlocks the recursive mutex at 0x", "which no thread holds")
  }

  @Test("Taking a recursive mutex more often than can be counted is stopped")
  func tooDeep() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let mutex = MutexLock(kind: .recursive)
      mutex.withLock {
        mutex.inner.depth.store(.max)
        mutex.withLock {}
      }
    }
    expectStop(result, saying: "4294967295 times without giving it back")
  }
}
