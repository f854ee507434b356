// WaitMonitorTests.swift: the monitor by itself: it tells a mixed cycle about two seconds after it closed, tells nothing that opens
// again, and sleeps when its scans are over.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("The monitor reports cycles with foreign mutexes") struct WaitMonitorTests {
  /// The monitor's thread, once it is there.
  static func thread() -> Int32? { KernelThread.all().first { KernelThread.name($0) == "signalbox.cycle" } }

  @Test("A cycle of a lock of ours and a mutex is reported once, with its threads, within three seconds")
  func told() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (ours, theirs, gate, told) = (OwnLock(), ForeignLock(), Gate(), Tally())
      let start = Clock.uptime()
      ForeignCycleDetector.onCycle = { cycle in
        #expect(cycle.isMixed && Set(cycle.participants.map(\.kind)) == [.foreignMutex, .unfairLock])
        #expect(cycle.participants.allSatisfy { $0.since >= start })
        #expect(Clock.uptime() - start > 1_500_000_000, "two scans")
        told.add()
      }
      let one = Actor(holds: { ours.lock() }, after: gate) { theirs.lock() }
      let two = Actor(holds: { theirs.lock() }, after: gate) { ours.lock() }
      gate.open()
      #expect(one.isInMutex() && two.isRecorded())
      #expect(eventually { told.value == 1 })
      #expect(Clock.uptime() - start < 3_000_000_000 || Processors.available() == 1)
      // The scan at four seconds sees it once more.
      while Clock.uptime() < start + 4_500_000_000 { sleepPlainly(milliseconds: 50) }  // the detector has real time
      #expect(told.value == 1)
      exit(0)
    }
  }

  @Test("Waits that open again are not reported, and after their scans the foreign cycle detector sleeps")
  func silent() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      ForeignCycleDetector.onCycle = { _ in _exit(9) }
      let chains = OpenChains()
      #expect(chains.isClearOfCycles())
      #expect(WaitMonitorTests.thread() != nil)
      let thread = WaitMonitorTests.thread() ?? 0
      // Nothing stirs for longer than the longest time between two scans.
      #expect(eventually { WaitMonitorTests.standsStill(thread, seconds: 3) })
      // And it still sees what begins now.
      let (ours, before) = (OwnLock(), KernelThread.switches(thread))
      ours.lock()
      let waiting = Actor { ours.lock() }
      #expect(waiting.isRecorded() && eventually { KernelThread.switches(thread) != before })
      exit(0)
    }
  }

  static func standsStill(_ thread: Int32, seconds: UInt64) -> Bool {
    let before = KernelThread.switches(thread)
    let end = Clock.uptime() + seconds * 1_000_000_000
    while Clock.uptime() < end {
      if KernelThread.switches(thread) != before { return false }
      sleepPlainly(milliseconds: 20)  // between two readings of the kernel's count
    }
    return true
  }

  @Test("With the policy ignore there is no foreign cycle detector, and timed waits start none")
  func none() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let ours = OwnLock()
      ours.lock()
      let timed = Actor { _ = ours.core.lock(.unfairLock, until: .after(.seconds(3600))) }
      #expect(timed.isRecorded() && WaitMonitorTests.thread() == nil)
      setenv("SIGNALBOX_DEADLOCK", "ignore", 1)
      let untimed = Actor { ours.lock() }
      #expect(untimed.isRecorded() && untimed.isAsleep())
      #expect(WaitMonitorTests.thread() == nil)
      exit(0)
    }
  }
}
