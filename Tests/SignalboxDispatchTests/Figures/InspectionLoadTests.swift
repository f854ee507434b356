// InspectionLoadTests.swift: a process samples itself, and searches for the memory of which its description speaks, a
// thousand times while all of that changes: under the thread sanitizer this finds readings that race. What an
// inspection says is tested in SignalboxInspectorTests.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import SignalboxView
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxDispatch

@Suite("Inspections under load") struct InspectionLoadTests {
  private final class Flag: Sendable {
    private let word = Atomic32(0)
    var isSet: Bool { word.loadAcquire() == 1 }  // acquire: pairs with the release below
    func set() { word.storeRelease(1) }  // release: pairs with the acquire above
  }

  /// Work of every kind that an inspection shows, again and again until `isOver`.
  private static func work(_ number: Int, _ shared: DispatchQueue, _ lock: MutexLock, _ isOver: Flag) {
    let answers = DispatchSemaphore(value: 0), group = DispatchGroup(),
      beside = DispatchQueue(label: "load.\(number)", attributes: .concurrent)
    while !isOver.isSet {
      // Queues that come and go, with urgent items behind others.
      let short = DispatchQueue(label: "load.short")
      short.async(qos: .background) { lock.withLock {} }
      short.async(qos: .background) { shared.sync {} }
      short.async(qos: .userInteractive) { answers.signal() }
      beside.async(group: group) { lock.withLock {} }
      beside.async(group: group, flags: .barrier) { short.sync {} }
      shared.asyncAfter(deadline: .now() + .microseconds(50)) { answers.signal() }
      for _ in 0..<2 { answers.wait() }
      group.wait()
    }
  }

  @Test("A thousand samples and searches in a row, while queues come and go and threads wait for each other")
  func thousand() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      // As the thread does that samples.
      Layers.forEach { $0.inspectionBegins() }
      let shared = DispatchQueue(label: "load.shared"), lock = MutexLock(name: "load"), isOver = Flag()
      let workers = DispatchGroup()
      for number in 0..<3 {
        DispatchQueue(label: "load.worker.\(number)").async(group: workers) {
          InspectionLoadTests.work(number, shared, lock, isOver)
        }
      }
      let sampler = try! #require(Sampler.shared), table = ProcessDescription.table
      let address = UInt64(shared.address)
      awaitState("queues are in the register") { DescribedRanges(ofTable: table).contain(address, 64) }
      for _ in 0..<1_000 {
        sampler.sample()
        let ranges = DescribedRanges(ofTable: table)
        #expect(ranges.contain(UInt64(table), 1_024) && ranges.contain(address, 64))
        #expect(!ranges.contain(UInt64(table) - 8, 8) && !ranges.contain(address, 1 << 20))
      }
      isOver.set()
      workers.wait()
    }
  }
}
