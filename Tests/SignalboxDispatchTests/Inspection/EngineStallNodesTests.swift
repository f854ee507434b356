// EngineStallNodesTests.swift: whether the pool can move, as the stall detector has it. What is reported is tested in
// SignalboxDiagnosisTests.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("The pool as the stall detector sees it") struct EngineStallNodesTests {
  private static var pool: WaitNode? {
    var snapshot = WaitSnapshot()
    EngineStallNodes.addNodes(to: &snapshot)
    return snapshot.nodes[.pool]
  }

  @Test("At the bound the pool moves if one worker is idle or searches, and else if one of its workers moves")
  func atTheBound() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      setenv("SIGNALBOX_MAX_THREADS", "1", 1)
      let pool = Pool.shared, thread = Count()
      DispatchQueue.global().async { thread.value = UInt64(ThreadSlot.kernelID()) }
      #expect(eventually { thread.value != 0 && pool.snapshot[PoolState.idle] == 1 })
      // Work of this pool alone, of which no worker hears.
      let work = RawWork(taking: {})
      pool.lists.ofCaller(.items, .standard).append(Slot(work.function, work.context))
      #expect(EngineStallNodesTests.pool?.state == .free)
      pool.set { $0.adding(PoolState.idle, -1).adding(PoolState.running, 1).adding(PoolState.searching, 1) }
      #expect(EngineStallNodesTests.pool?.state == .free)
      pool.set { $0.adding(PoolState.searching, -1) }
      #expect(EngineStallNodesTests.pool?.state == .needs(.any([.thread(Int32(thread.value))])))
      #expect(EngineStallNodesTests.pool?.acts == true)
    }
  }
}
