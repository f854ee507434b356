// ThreadInspectionTests.swift: what the seam can say about threads: captured stacks, the kernel's sample, names given from outside.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@inline(never) private func nested(_ depth: Int, _ limit: Int) -> [UInt] {
  if depth == 0 { return StackCapture.addresses(limit: limit) }
  let found = nested(depth - 1, limit)
  return found + []  // not a tail call
}

@Suite("Inspection of threads") struct ThreadInspectionTests {
  @Test("A stack is captured from the caller outward, and no further than asked")
  func capture() {
    let here = nested(0, 64)
    #expect(!here.isEmpty && here.allSatisfy { $0 != 0 })
    #expect(nested(100, 64).count == 64)
    #expect(nested(100, 10).count == 10)
    #expect(nested(20, 64).count >= min(64, here.count))
    #expect(nested(3, 0).isEmpty)
  }

  @Test("A short stack is complete, whatever the size of the thread's stack")
  func boundedByTheStack() {
    let count = SharedNumber()
    TestThread { count.value.storeRelaxed(UInt64(StackCapture.addresses(limit: 10_000).count)) }.join()
    #expect((1..<200).contains(count.value.loadRelaxed()))
  }

  @Test("A sleeping thread is seen asleep, a working one works on, a gone one is gone")
  func sample() {
    let (id, stop, word) = (SharedNumber(), SharedWord(), SharedWord())
    let sleeper = TestThread {
      id.value.storeRelease(UInt64(ThreadSlot.kernelID()))
      while word.value.loadAcquire() == 0 { _ = word.park(expected: 0) }
      while stop.value.loadAcquire() == 0 {}
    }
    #expect(eventually { id.value.loadAcquire() != 0 && KernelThread.sample(id.value.loadAcquire())?.isWaiting == true })
    let thread = id.value.loadAcquire()
    let before = KernelThread.sample(thread, withRunTime: true)?.runTime ?? 0
    word.value.storeRelease(1)
    _ = word.wake()
    #expect(eventually { KernelThread.sample(thread, withRunTime: true).map { !$0.isAsleep && $0.runTime > before } ?? false })
    stop.value.storeRelease(1)
    sleeper.join()
    #expect(eventually { KernelThread.sample(thread) == nil })
  }

  @Test("A thread is named from outside; a name full of parentheses does not deceive the sample")
  func naming() {
    let (id, word) = (SharedNumber(), SharedWord())
    let sleeper = TestThread {
      id.value.storeRelease(UInt64(ThreadSlot.kernelID()))
      while word.value.loadAcquire() == 0 { _ = word.park(expected: 0) }
    }
    #expect(eventually { id.value.loadAcquire() != 0 })
    let thread = id.value.loadAcquire()
    ") R (x) S".withCString { KernelThread.setName(thread, $0) }
    #expect(kernelName(of: thread) == ") R (x) S")
    #expect(eventually { KernelThread.sample(thread)?.isWaiting == true })
    word.value.storeRelease(1)
    _ = word.wake()
    sleeper.join()
    #expect(eventually { KernelThread.sample(thread) == nil })
    "late".withCString { KernelThread.setName(thread, $0) }
  }
}
