// UnfairLockTests.swift: the engine's own small lock: exclusion, what it passes through, and what it costs in memory.
import Glibc
import SignalboxLocks
import SignalboxTestSupport
import Testing

/// The lock where threads can share it.
private final class EngineLock: Sendable {
  let value = UnfairLock()
}

@Suite("The four-byte lock") struct UnfairLockTests {
  @Test("A lock is four bytes")
  func size() {
    #expect(MemoryLayout<UnfairLock>.size == 4 && MemoryLayout<UnfairLock>.stride == 4)
  }

  @Test("Eight threads are never inside together, and no addition is lost")
  func exclusion() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let (lock, guarded) = (EngineLock(), Guarded())
      onThreads(8) { _ in
        for round in 0..<20_000 {
          lock.value.withLock {
            guarded.visit(round)
          }
        }
      }
      #expect(guarded.sum == 160_000)
      #expect(guarded.mostInside == 1)
    }
  }

  @Test("Holders that sleep while others wait lose nobody")
  func sleepers() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let (lock, guarded) = (EngineLock(), Guarded())
      onThreads(8) { _ in
        for _ in 0..<20 {
          lock.value.withLock {
            guarded.sum += 1
            sleepPlainly(microseconds: 200)  // work that sleeps
          }
        }
      }
      #expect(guarded.sum == 160)
    }
  }

  @Test("An error leaves with its type, and the lock is free afterwards")
  func releasedOnThrow() {
    struct Wrong: Error, Equatable { let code: Int }
    let lock = UnfairLock()
    for code in 0..<3 {
      #expect(throws: Wrong(code: code)) { try lock.withLock { () throws(Wrong) in throw Wrong(code: code) } }
    }
    #expect(lock.withLock { 5 } == 5)
  }

  @Test("A body's result is handed out, even one that cannot be copied")
  func results() {
    struct Token: ~Copyable { let number: Int }
    let lock = UnfairLock()
    let token = lock.withLock { Token(number: 3) }
    #expect(token.number == 3)
  }
}
