// InnerLockTests.swift: the lock below the lock instruments: who sleeps until it is free is woken. What it protects has tests of its own.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("The lock of the lock instruments") struct InnerLockTests {
  final class Shared: Sendable {
    let lock = InnerLock()
    let threads = [Count(), Count()]
    let inside = Count()
  }

  @Test("A thread that sleeps until the lock is free is woken, and wakes the next")
  func wakes() {
    let shared = Shared()
    let threads = shared.lock.withLock {
      let threads = shared.threads.map { thread in
        PlainThread {
          thread.value = UInt64(ThreadSlot.kernelID())
          shared.lock.withLock { _ = shared.inside.add() }
        }
      }
      until("both threads sleep") {
        shared.threads.allSatisfy { $0.value != 0 && KernelThread.sample($0.value)?.isWaiting == true }
      }
      #expect(shared.inside.value == 0)
      return threads
    }
    until("both threads come in") { shared.inside.value == 2 }
    for thread in threads { thread.join() }
  }
}
