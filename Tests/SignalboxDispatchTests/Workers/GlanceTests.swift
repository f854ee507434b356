// GlanceTests.swift: what one reading of the sampler's glance gives to others. The sampler sleeps, and the test reads
// in its stead. How soon and how often it reads is StartTests.swift.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("Readings of a glance") struct GlanceTests {
  /// An item of a global queue, which the test puts where it is to lie.
  private static func item(_ work: @escaping @Sendable () -> Void) -> Slot {
    let raw = RawWork(taking: work)
    return Slot(raw.function, raw.context)
  }

  @Test("What lies on a shared list while no worker searches gets one")
  func sharedWork() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let pool = Pool.shared, ran = Count()
      pool.lists.ofCaller(.items, .standard).append(GlanceTests.item { ran.add() })
      #expect(pool.snapshot[PoolState.total] == 0)
      #expect(!pool.glance())
      #expect(pool.snapshot[PoolState.total] == 1 && eventually { ran.value == 1 })
    }
  }

  @Test("What lies in a worker's ring is left to it if it has begun a job since the last reading, and else goes to another")
  func ring() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let pool = Pool.shared, began = DispatchSemaphore(value: 0), (ran, isTold) = (Count(), Count())
      pool.width.storeRelaxed(2)  // relaxed: a hint. One processor is enough
      DispatchQueue.global().async {
        let item = GlanceTests.item { ran.add() }
        let isPut = Pool.worker(ThreadSlot.current)?.use { $0.ring.put(item, of: .standard) }
        if isPut == true { began.signal() }
        while isTold.value == 0 { sched_yield() }
      }
      began.wait()
      #expect(pool.glance(), "it is left to the worker")
      #expect(pool.ringsHoldWork.loadSeqCst() == 0 && pool.snapshot[PoolState.total] == 1 && ran.value == 0)
      #expect(!pool.glance())
      #expect(pool.snapshot[PoolState.total] == 2 && eventually { ran.value == 1 })
      isTold.value = 1
    }
  }
}
