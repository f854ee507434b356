// LockMisuseTests.swift: lock objects used by the wrong thread: what stops the program, what is reported once, what is then certain.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

/// What `body` does, on a thread of its own.
private func elsewhere(_ body: @escaping @Sendable () -> Void) {
  let ended = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    ended.signal()
  }
  ended.wait()
}

/// An object that threads of a test share.
// SAFETY: locks are shared by design.
private struct Unchecked<Value>: @unchecked Sendable { let value: Value }

@Suite("Lock classes used by the wrong thread") struct LockMisuseTests {
  private static func count(_ part: String, _ result: ExitTest.Result?) -> Int {
    errorText(result).components(separatedBy: part).count - 1
  }

  // The bodies are plain functions: tests are asynchronous, and locks may not be used in such code.
  private static func relock(_ lock: any NSLocking) {
    lock.lock()
    lock.lock()
  }

  @Test("A lock that its holder locks again stops the program, and is called by its name")
  func relockedLock() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let lock = NSLock()
      lock.name = "the accounts"
      LockMisuseTests.relock(lock)
    }
    expectStop(
      result, saying: "wants NSLock 0x", " \"the accounts\", which it holds already",
      "fix: unlock it before locking it again, or use an NSRecursiveLock")
  }

  @Test("A condition that its holder locks again stops the program")
  func relockedCondition() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      LockMisuseTests.relock(NSCondition())
    }
    expectStop(result, saying: "wants NSCondition 0x")
  }

  @Test("A condition lock that its holder asks for again stops the program, without or with a condition")
  func relockedConditionLock() async {
    var result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      LockMisuseTests.relock(NSConditionLock())
    }
    expectStop(result, saying: "wants NSConditionLock 0x")
    result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      LockMisuseTests.relockWhen(NSConditionLock())
    }
    expectStop(result, saying: "wants NSConditionLock 0x")
  }
  private static func relockWhen(_ lock: NSConditionLock) {
    lock.lock()
    lock.lock(whenCondition: 0)
  }

  @Test("A wait for a condition by a thread that does not hold it stops the program")
  func waitWithoutLock() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      LockMisuseTests.waitUnlocked()
    }
    expectStop(result, saying: "was waited for by a thread that does not hold it: call lock() first")
  }
  private static func waitUnlocked() { NSCondition().wait() }

  @Test("An unlock by another thread than the holder's is reported once for each lock and obeyed; then a relock waits")
  func strangers() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      alarm(500)
      LockMisuseTests.unlockElsewhere()
    }
    #expect(Self.count("was unlocked by a thread that does not hold it", result) == 3)
    expectReport(result, saying: "NSLock 0x", "\"the gate\" was unlocked by a thread that does not hold it. It is unlocked now")
  }
  private static func unlockElsewhere() {
    let locks: [any NSLocking] = [NSLock(), NSCondition(), NSConditionLock()]
    (locks[0] as? NSLock)?.name = "the gate"
    for lock in locks.map(Unchecked.init) {
      for _ in 0..<3 {
        lock.value.lock()
        elsewhere { lock.value.unlock() }
      }
      // Locked twice by one thread, which is no deadlock now: the other one will unlock.
      lock.value.lock()
      let (other, owner) = (DispatchSemaphore(value: 0), UInt64(ThreadSlot.kernelID()))
      Thread.detachNewThread {
        awaitState("the owner waits for itself") { KernelThread.sample(owner)?.isWaiting == true }
        lock.value.unlock()
        other.signal()
      }
      lock.value.lock()
      other.wait()
      lock.value.unlock()
    }
  }

  @Test("An unlock of a recursive lock by another thread than the holder's is reported once and changes nothing")
  func recursiveStranger() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      alarm(500)
      LockMisuseTests.unlockRecursiveElsewhere()
    }
    #expect(Self.count("which changes nothing: unlock it where it was locked", result) == 1)
  }
  private static func unlockRecursiveElsewhere() {
    let lock = NSRecursiveLock()
    lock.lock()
    elsewhere { for _ in 0..<3 { lock.unlock() } }
    elsewhere { precondition(!lock.try()) }
    lock.unlock()
    elsewhere { precondition(lock.try()) }
  }

  private static func holdTwo(_ a: any NSLocking, _ b: any NSLocking) {
    let (first, second) = (Unchecked(value: a), Unchecked(value: b))
    let meeting = DispatchGroup()
    for _ in 0..<2 { meeting.enter() }
    func cross(_ one: Unchecked<any NSLocking>, _ other: Unchecked<any NSLocking>) {
      Thread.detachNewThread {
        one.value.lock()
        meeting.leave()
        meeting.wait()
        other.value.lock()
      }
    }
    cross(first, second)
    cross(second, first)
    sleepForEver()
  }

  @Test("Two threads that hold one lock each and ask for the other's stop the program")
  func crossed() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      alarm(500)
      LockMisuseTests.holdTwo(NSLock(), NSConditionLock())
    }
    expectStop(result, saying: "deadlock")
  }

  @Test("Two such threads do not stop the program when one lock is known to be unlocked by other threads")
  func crossedDoubtfully() async {
    let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
      LockMisuseTests.crossDoubtfully()
    }
    #expect(!errorText(result).contains("deadlock of"), "\(errorText(result))")
  }
  private static func crossDoubtfully() {
    let (a, b) = (NSLock(), NSLock())
    a.lock()
    elsewhere { a.unlock() }
    Thread.detachNewThread {
      sleepPlainly(milliseconds: 1_000)  // the time in which a deadlock would be found
      _exit(7)
    }
    holdTwo(a, b)
  }
}
