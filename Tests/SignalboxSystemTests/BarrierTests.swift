// BarrierTests.swift: the barrier on all threads at once: the pair of store and load that it is there for, and doing without it.
import Glibc
import SignalboxSystem
import Testing

/// Two flags, each raised by one side, which then checks the other's.
private final class Flags: Sendable {
  let quick = Atomic32(0), slow = Atomic32(0)
  /// What the quick side saw of the other's flag, plus 1; 0: it has not checked yet.
  let quickSaw = Atomic32(0)
  /// Which round the quick side may make.
  let round = Atomic32(0)
}

@Suite("The memory barrier on all threads", .serialized) struct BarrierTests {
  @Test("Of two threads that raise a flag and read the other's, one sees it, though only one makes a barrier")
  func storeAndLoad() {
    let (flags, rounds) = (Flags(), 20_000 as UInt32)
    guard Barrier.processWide() else { return }  // a kernel that does not do it: what the locks do then is their tests'
    let quick = TestThread {
      for round in 1...rounds {
        while flags.round.loadAcquire() != round { Parking.yield() }
        flags.quick.storeRelease(1)
        Barrier.keepOrder()
        let saw = flags.slow.loadRelaxed()
        flags.quickSaw.storeRelease(saw + 1)
      }
    }
    var missed = 0
    for round in 1...rounds {
      flags.quick.storeRelaxed(0)
      flags.slow.storeRelaxed(0)
      flags.quickSaw.storeRelaxed(0)
      flags.round.storeRelease(round)
      for _ in 0..<(round % 64) { spinPause() }
      flags.slow.storeRelaxed(1)
      _ = Barrier.processWide()
      let saw = flags.quick.loadRelaxed()
      while flags.quickSaw.loadAcquire() == 0 { Parking.yield() }
      if saw == 0, flags.quickSaw.loadAcquire() == 1 { missed += 1 }
    }
    quick.join()
    #expect(missed == 0)
  }

  @Test("A barrier does not change errno, and a refused one reports it every time")
  func refusal() async {
    await #expect(processExitsWith: .success) {
      errno = 77
      let first = Barrier.processWide()
      #expect(Barrier.processWide() == first && errno == 77)
      Barrier.testsOnly_refuse(true)
      #expect(!Barrier.processWide() && !Barrier.processWide() && errno == 77)
      Barrier.testsOnly_refuse(false)
      #expect(Barrier.processWide() == first)
    }
  }
}
