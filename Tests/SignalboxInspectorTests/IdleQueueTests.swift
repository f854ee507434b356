// IdleQueueTests.swift: queues in which no thread is, of a process that does not answer, and of a core dump of it: all are shown, with what they
// hold. Threads and their waits are ReadingTests.swift and CoreTests.swift.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector
@testable import SignalboxSystem

@Suite("Queues in which no thread is") struct IdleQueueTests {
  private func check(_ inspection: Inspection) throws {
    func queue(_ label: String) throws -> Inspection.Queue { try inspection.queue(label) }
    func target(_ label: String) throws -> String? {
      let queue = try queue(label)
      return inspection.queues.first { $0.address == queue.target }?.label
    }
    let unused = try queue("idle.unused")
    #expect(unused.kind == "serial" && unused.qos == "utility" && unused.isCounted && unused.pending == 0 && unused.done == 0)
    #expect(try target("idle.unused") == "com.apple.root.utility-qos")
    let wide = try queue("idle.wide, with a label that does not fit in two words")
    #expect(wide.kind == "concurrent" && wide.qos == "unspecified" && wide.done == 0)
    #expect(try target("idle.nested") == wide.label && queue("idle.workloop").kind == "workloop")
    let used = try queue("idle.used")
    #expect(used.pending == 0 && used.done == 1_010 && used.owner == nil && used.suspended == 0)
    let stopped = try queue("probe.stopped"), inactive = try queue("probe.inactive")
    #expect(stopped.pending == 1_000 && stopped.done == 0 && stopped.suspended == 2 && !stopped.isInactive)
    #expect(inactive.pending == 2 && inactive.done == 0 && inactive.suspended == 0 && inactive.isInactive)
    let midway = try queue("idle.midway")
    #expect(midway.pending == 300 && midway.done == 701 && midway.suspended == 1 && midway.qos == "userInitiated")
    let main = try queue("com.apple.main-thread")
    #expect(main.kind == "main" && main.pending == 1 && main.done == 0 && main.target == nil)
    #expect(!inspection.queues.contains { $0.label == "idle.gone" })
    #expect(inspection.queues.filter { $0.kind == "global" }.count == 5)
    #expect(inspection.queues.count == Set(inspection.queues.map(\.address)).count)
    let text = InspectionTables([inspection], process: "1 (InspectProbe)", InspectOptions()).text
    #expect(text.contains("probe.stopped") && !text.contains("the items in queues"), "\(text)")
  }

  /// Whether what the program has submitted is over: it is ready a moment before its threads are.
  private func isAtRest(_ inspection: Inspection) -> Bool {
    inspection.queues.allSatisfy { $0.owner == nil && $0.running == 0 }
  }

  @Test("Of a stopped process, and of a core dump that is written of it")
  func stopped() throws {
    let program = try InspectedProgram(["idle"], isPrepared: false)
    let process = try InspectedProcess(program.child.id)
    #expect(eventually { (try? process.inspect().first).map { isAtRest($0) } ?? false })
    kill(program.child.id, SIGSTOP)
    let inspections = try process.inspect()
    #expect(inspections.count == 1)
    try check(try #require(inspections.first))
    let file = program.place + "/core"
    _ = try WrittenCore.write(program.child.id, to: file)
    try check(try #require(try CoreInspection(file, program: InspectedProgram.programs + "InspectProbe").inspections.first))
  }
}
