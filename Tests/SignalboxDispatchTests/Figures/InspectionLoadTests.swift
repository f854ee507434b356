// InspectionLoadTests.swift: a process that is inspected a thousand times while everything that an inspection reads changes: under the thread sanitizer
// this finds readings that race. What an inspection says is tested in SignalboxInspectorTests.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
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

  @Test("A thousand inspections in a row, while queues come and go and threads wait for each other")
  func thousand() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      // As the thread does that answers who asks.
      Layers.forEach { $0.inspectionBegins() }
      let shared = DispatchQueue(label: "load.shared"), lock = MutexLock(name: "load"), isOver = Flag()
      let workers = DispatchGroup()
      for number in 0..<3 {
        DispatchQueue(label: "load.worker.\(number)").async(group: workers) {
          InspectionLoadTests.work(number, shared, lock, isOver)
        }
      }
      var ages = ItemAges()
      awaitState("queues are counted") { InspectionLoadTests.queues(.take(.ofWaits, &ages)) > 0 }
      var most = 0, urgent = 0, waits = 0
      for _ in 0..<1_000 {
        let inspection = Inspection.take(.ofWaits, &ages)
        #expect(inspection.cycles.isEmpty)
        #expect(
          inspection.parts.queues.allSatisfy {
            $0.kind == "global" || $0.label.hasPrefix("load.") || $0.label.hasPrefix("com.apple.")
          })
        most = max(most, InspectionLoadTests.queues(inspection))
        urgent += inspection.parts.queues.filter { $0.urgent != nil }.count
        waits += inspection.threads.filter { $0.wait != nil }.count
        let text = InspectionText.bytes(inspection)
        #expect(text.first == UInt8(ascii: "{") && text.last == UInt8(ascii: "}"))
      }
      isOver.set()
      workers.wait()
      #expect(most >= 4 && waits > 0, "\(most) queues, \(waits) waits, \(urgent) urgent")
    }
  }

  private static func queues(_ inspection: Inspection) -> Int {
    inspection.parts.queues.filter { $0.label.hasPrefix("load.") }.count
  }
}
