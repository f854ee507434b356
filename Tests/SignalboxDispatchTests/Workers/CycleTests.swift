// CycleTests.swift: cycles of items that close inside the C library, where nothing of Signalbox's sleeps: the monitor
// sees them by the time the items run. In child processes: the deadlocks are real.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// A mutex of the C library, as an NSLock of an unmodified program has one.
// SAFETY: memory from malloc that is never freed; the C library's functions are safe to call from any thread.
private struct TheirMutex: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  init() { pthread_mutex_init(mutex, nil) }
  var address: UInt { UInt(bitPattern: mutex) }
  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }
}

extension Policy {
  @Suite struct CycleTests {
    /// The monitor's context switches; nil while there is none.
    static func looks() -> UInt64? {
      KernelThread.all().first { KernelThread.name($0) == "signalbox.cycle" }.flatMap { KernelThread.switches($0) }
    }

    /// Two items, each of which takes one mutex and then the other's, after both have taken one.
    private static func lockCrosswise(_ queues: [DispatchQueue], _ first: TheirMutex, _ second: TheirMutex) {
      let taken = [Count(), Count()]
      queues[0].async {
        first.lock()
        taken[0].value = 1
        while taken[1].value == 0 { sched_yield() }
        second.lock()
      }
      queues[1].async {
        second.lock()
        taken[1].value = 1
        while taken[0].value == 0 { sched_yield() }
        first.lock()
      }
    }

    @Test("Two items with two mutexes in opposite order are reported, though no wait is ours")
    func twoItems() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (first, second, told) = (TheirMutex(), TheirMutex(), Count())
        ForeignCycleDetector.onCycle = { cycle in
          #expect(Set(cycle.participants.map(\.object)) == [first.address, second.address])
          #expect(cycle.participants.allSatisfy { $0.owner != 0 && $0.kind == .foreignMutex })
          told.add()
        }
        CycleTests.lockCrosswise([DispatchQueue(label: "one"), DispatchQueue(label: "two")], first, second)
        #expect(eventually { told.value == 1 })
        exit(0)
      }
    }

    @Test("A cycle is found too when the workers have been at long items before, and go on to the next ones without a pause")
    func afterLongItems() async {
      // Both mostly wait: side by side.
      async let first: Void = afterLongItem(inOneDrain: true)
      async let second: Void = afterLongItem(inOneDrain: false)
      _ = await (first, second)
    }
    private func afterLongItem(inOneDrain: Bool) async {
      await #expect(processExitsWith: .success) { [inOneDrain] in
        killOnHang()
        let (first, second, told, end) = (TheirMutex(), TheirMutex(), Count(), Tap())
        ForeignCycleDetector.onCycle = { _ in told.add() }
        let queues = [DispatchQueue(label: "one"), DispatchQueue(label: "two")]
        // Longer than the scans of it: the monitor sleeps when it ends.
        for queue in queues {
          queue.async { end.waitInRead() }
        }
        #expect(eventually { CycleTests.looks() != nil })
        #expect(eventually { CycleTests.standsStill(milliseconds: 2_500) })
        CycleTests.lockCrosswise(inOneDrain ? queues : queues.map { DispatchQueue(label: $0.label) }, first, second)
        end.open()
        #expect(eventually { told.value == 1 })
        exit(0)
      }
    }

    @Test("A long item is scanned three times; after that the foreign cycle detector sleeps until the item ends")
    func longItem() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let tap = Tap()
        DispatchQueue(label: "long").async { tap.waitInRead() }
        #expect(eventually { CycleTests.looks() != nil })
        #expect(eventually { CycleTests.standsStill(milliseconds: 3_000) })
        let before = CycleTests.looks()
        tap.open()
        #expect(eventually { CycleTests.looks() != before })
        exit(0)
      }
    }

    static func standsStill(milliseconds: UInt64) -> Bool {
      let (before, end) = (looks(), Clock.uptime() + milliseconds * 1_000_000)
      while Clock.uptime() < end {
        if looks() != before { return false }
        sleepPlainly(milliseconds: 20)  // between two readings of the count
      }
      return true
    }
  }
}
