// WellProgramTests.swift: programs on the toolchain's own Dispatch and Foundation that are well and busy (WellProbe),
// read from outside: no deadlock is seen, and no thread is named that is not there.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite("Programs that are well") struct WellProgramTests {
  /// The kinds that the program itself lists.
  private static let kinds: [String] = {
    let printed = try? Programs.output(
      of: RawString(InspectedProgram.programs + "WellProbe"), arguments: ["WellProbe"], environment: [], seconds: 60)
    return String(decoding: printed?.bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
  }()

  @Test("There are twenty kinds, or more")
  func count() { #expect(Self.kinds.count >= 20) }

  @Test(
    "No cycle is found by any of twenty readings, and each thread that has what another one waits for is there",
    arguments: kinds)
  func isWell(kind: String) throws {
    let program = try InspectedProgram([], words: [InspectedProgram.programs + "WellProbe", kind])
    for _ in 0..<20 {
      let inspection = try program.inspect()
      #expect(inspection.cycles.isEmpty, "\(inspection.cycles): \(inspection.threads)")
      #expect(inspection.queues.filter { $0.label == "com.apple.main-thread" }.count == 1)
      let findings = InspectionFindings(inspection, InspectionNames(inspection, PlaceNames(wantsLines: false))).lines
      #expect(!findings.contains { $0.contains("wait for one another") || $0.contains("runs itself") }, "\(findings)")
    }
  }
}
