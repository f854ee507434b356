// ThreadSlotTests.swift: who a thread is: ids are unique among the living, and come back with another generation. In child
// processes, where no other thread takes slots.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("Thread slots") struct ThreadSlotTests {
  static func id(_ owner: UInt64) -> UInt64 { owner & (1 << UInt64(ThreadSlot.idBits) - 1) }

  /// The owner value of a thread that has ended by the time this returns, its slot given back.
  static func ownerOfAnEndedThread() -> UInt64 {
    let owner = SharedNumber()
    TestThread {
      owner.value.storeRelaxed(ThreadSlot.owner())
      #expect(ThreadSlot.owner() == owner.value.loadRelaxed())
      #expect(ThreadSlot.current.pointee.tid == UInt64(ThreadSlot.kernelID()))
    }.join()  // thread-specific destructors, which return the slot, run before a join ends
    return owner.value.loadRelaxed()
  }

  @Test("An owner fits its bits and names somebody")
  func width() async {
    await #expect(processExitsWith: .success) {
      let owner = ThreadSlot.owner()
      #expect(ThreadSlotTests.id(owner) != 0)
      #expect(owner >> UInt64(ThreadSlot.ownerBits) == 0)
      #expect(owner == ThreadSlot.owner())
    }
  }

  @Test("Threads that live at one time have different ids")
  func uniqueAmongTheLiving() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (arrived, go) = (SharedWord(), SharedWord())
      let owners = (0..<100).map { _ in SharedNumber() }
      for owner in owners {
        try Threads.spawn(stackSize: 64 * 1024) {
          owner.value.storeRelaxed(ThreadSlot.owner())
          _ = arrived.value.addSeqCst(1)
          while go.value.loadAcquire() == 0 { _ = go.park(expected: 0) }
        }
      }
      #expect(eventually { arrived.value.loadAcquire() == 100 })
      let all = owners.map { $0.value.loadRelaxed() } + [ThreadSlot.owner()]
      #expect(Set(all.map(ThreadSlotTests.id)).count == 101)
      go.value.storeRelease(1)
      _ = go.wake(count: .max)
    }
  }

  @Test("An id is given out again, with another generation each time, 256 times over")
  func generations() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      var seen: Set<UInt64> = []
      let first = ThreadSlotTests.ownerOfAnEndedThread()
      seen.insert(first)
      for _ in 1..<256 {
        let owner = ThreadSlotTests.ownerOfAnEndedThread()
        #expect(ThreadSlotTests.id(owner) == ThreadSlotTests.id(first))
        #expect(seen.insert(owner).inserted)
      }
      #expect(ThreadSlotTests.ownerOfAnEndedThread() == first)
    }
  }

  @Test("A thread that never asked has no slot, and hooks run on the threads that did")
  func endHooks() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let calls = SharedNumber()
      ThreadSlot.onThreadEnd { _ = calls.value.addRelaxed(ThreadSlot.current.pointee.owner) }
      TestThread { #expect(ThreadSlot.current.pointee.owner == 0) }.join()
      #expect(calls.value.loadAcquire() == 0)
      let owner = ThreadSlotTests.ownerOfAnEndedThread()
      #expect(calls.value.loadAcquire() == owner)  // the hook still saw the slot
    }
  }
}
