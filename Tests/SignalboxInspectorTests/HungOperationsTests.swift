// HungOperationsTests.swift: programs on the toolchain's own Foundation whose threads wait for operations
// (HungOperations), read from outside.
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite("Operations of the toolchain's Foundation") struct HungOperationsTests {
  private func inspect(_ kind: String) throws -> (inspection: Inspection, findings: [String]) {
    let program = try InspectedProgram([], words: [InspectedProgram.programs + "HungOperations", kind])
    let inspection = try program.inspect(until: { inspection in
      inspection.threads.contains { $0.wait?.kind == "operation" && $0.stackEnd == nil }
    })
    let names = InspectionNames(inspection, PlaceNames(wantsLines: false))
    return (inspection, InspectionFindings(inspection, names).lines)
  }

  @Test("Two operations that depend on each other, for one of which a thread waits: both are named")
  func cycle() throws {
    let (inspection, findings) = try inspect("cycle")
    #expect(inspection.threads.first(where: \.isMain)?.wait?.name == "first", "\(inspection.threads)")
    #expect(findings.contains("2 operations wait for one another:"), "\(findings)")
    #expect(findings.contains { $0.contains("\"first\"") && $0.contains("\"second, which has a longer name\"") }, "\(findings)")
  }

  @Test("A thread waits for an operation that lies in no queue and was not started")
  func lone() throws {
    let (inspection, findings) = try inspect("lone")
    #expect(inspection.threads.first(where: \.isMain)?.wait?.kind == "operation")
    #expect(
      findings.contains { $0.contains("operation \"first\"") && $0.hasSuffix("is in no queue and was not started") },
      "\(findings)")
  }

  @Test("An operation that waits for its own queue: the thread waits for an operation, and its stack says where")
  func queue() throws {
    let (inspection, findings) = try inspect("queue")
    let thread = try #require(inspection.threads.first { $0.wait?.kind == "operation" })
    #expect(!thread.isMain && !thread.inside.isEmpty, "\(thread)")
    #expect(findings.contains { $0.contains("waits for the end of an operation that it runs itself") }, "\(findings)")
  }
}
