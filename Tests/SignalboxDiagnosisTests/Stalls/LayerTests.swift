// LayerTests.swift: nodes that a layer above adds: its objects, a thread that waits for one, a cycle of them, and their names.
import Glibc
import SignalboxDispatch
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Jobs that depend on jobs, as a layer with operations would have them.
private final class Jobs: DiagnosedLayer {
  private let needs: [UInt: [UInt]]
  private let isOver = Atomic32(0)

  /// The jobs' names are their numbers; each needs the others given.
  init(_ needs: [UInt: [UInt]]) { self.needs = needs }

  func addNodes(to snapshot: inout WaitSnapshot) {
    if isOver.loadAcquire() == 1 { return }
    for (job, others) in needs { snapshot.add(WaitNode(.object(job), .needs(.all(others.map { .object($0) })), acts: false)) }
  }
  func title(of address: UInt) -> String? { needs[address].map { _ in "job \(address)" } }
  func end() { isOver.storeRelease(1) }
}

@Suite("Nodes of a layer above") struct LayerTests {
  @Test("A cycle is reported by its names, once, while the program runs")
  func cycle() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings(), semaphore = DispatchSemaphore(value: 0)
      Layers.register(Jobs([16: [32], 32: [48], 48: [16], 64: [16]]))
      PlainThread("runs") { while true { sched_yield() } }
      PlainThread("waiter") { semaphore.wait() }
      untilWaiting(1)
      let report = findings.one()
      #expect(report.cause == .cycle)
      let names = [
        "16 waits for job 32 waits for job 48 waits for job 16", "32 waits for job 48 waits for job 16 waits for job 32",
      ]
      let others = ["48 waits for job 16 waits for job 32 waits for job 48"]
      #expect((names + others).contains { report.summary == "deadlock: job \($0), forever" }, "\(report.text)")
      exit(0)
    }
  }

  @Test("Who waits for an object of a layer above waits for what it needs")
  func waiting() async {
    await #expect(processExitsWith: .success) {
      let findings = Findings()
      let jobs = Jobs([16: [16]])
      PlainThread("runs") { while true { sched_yield() } }
      let word = Atomic32(0), parking = Atomic64(0)
      PlainThread("waiter") {
        Waiting.begin(.condition, object: 16, isTimed: false, .init())
        // Not before: to begin a wait may start the thread of the monitor, and a thread may sleep for a moment in that as well.
        parking.storeRelease(UInt64(ThreadSlot.kernelID()))
        while true { word.park(expected: 0) }
      }
      // The cycle is reported as soon as it is seen, with those who stand still by then.
      until("the waiter sleeps") {
        let number = parking.loadAcquire()
        return number != 0 && KernelThread.sample(number)?.isWaiting == true
      }
      Layers.register(jobs)
      let report = findings.one()
      #expect(report.cause == .cycle && report.participants.map(\.threadName) == ["waiter"], "\(report.text)")
      jobs.end()
      exit(0)
    }
  }
}
