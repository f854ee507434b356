// DozeTests.swift: a thread that was woken in vain sleeps for a moment without saying so: the next unlock costs no wake.
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxLocks

@Suite("A sleeper that was woken in vain") struct DozeTests {
  @Test("It sleeps unannounced, so that who gives the lock back next wakes nobody")
  func unannounced() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      // A thread that has slept for ten milliseconds has the lock kept for it instead: then once more with another.
      #expect(eventually { Self.isSeenUnannounced() })
    }
  }

  /// Lets a thread sleep for a lock, wakes it while the lock is held, and says whether it is seen asleep again without a mark in the word.
  private static func isSeenUnannounced() -> Bool {
    let box = SmallBox(), id = Count()
    box.core.lockSlow(.spinLock)
    let thread = TestThread {
      id.value = UInt64(ThreadSlot.kernelID())
      box.core.lockSlow(.spinLock)
      _ = box.core.unlock(.spinLock)
    }
    // The thread first: one that has announced itself sleeps after that.
    func sleeps(isParked: Bool) -> Bool {
      id.value != 0 && KernelThread.sample(id.value)?.isWaiting == true && box.core.state.hint().isParked == isParked
    }
    #expect(eventually { sleeps(isParked: true) })
    var isSeen = false
    // As if a third thread had taken the lock right after an unlock.
    let seen = box.core.state.hint()
    if !seen.isHandOff, box.core.state.movedAcquire(from: seen, to: SmallLockState(rawValue: seen.owner)) {
      box.core.state.word.wake()
      isSeen = (0..<500).contains { _ in sleeps(isParked: false) }
    }
    _ = box.core.unlock(.spinLock)
    box.core.state.word.wake(count: .max)  // the thread that sleeps on what was taken off
    thread.join()
    return isSeen
  }
}

private final class SmallBox: Sendable { let core = SmallLockCore() }
