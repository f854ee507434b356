// StallReportTests.swift: the report as text and as JSON, made by hand.
import struct Foundation.Data
import class Foundation.JSONSerialization
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("The report of a wait with nobody left") struct StallReportTests {
  private static let group = DeadlockReport.Object(
    kind: .group, address: 0x10, name: "group 0x10 (1 inside)", description: "<DispatchGroup 0x10 1 inside>")
  private static let report = StallReport(
    certainty: .suspected, cause: .allWait, summary: "suspected deadlock: nothing has moved for 5.0 s: nobody is left",
    objects: [
      .init(
        object: group, lacks: "nothing is left to leave it",
        enters: [.init(count: 2, stack: [0x1001]), .init(count: 1, stack: [])])
    ],
    participants: [
      .init(
        threadID: 7, threadName: "a \"name\"", wants: group, detail: nil, seconds: 5.04,
        frames: ["an item of serial queue \"q\""],
        item: .init(kind: "async", function: 0), stack: [0x2002], acquired: nil)
    ], omitted: 3, mayStillEnd: ["thread \"s\" (8), asleep in nanosleep"], hint: "balance")

  @Test("The text names the missing action, the waiting threads, what might still end the wait, and the fix")
  func text() {
    let expected = """
      suspected deadlock: nothing has moved for 5.0 s: nobody is left
        group 0x10 (1 inside): nothing is left to leave it
          <DispatchGroup 0x10 1 inside>
          entered 2 times at:
            0 0x1001
          entered once at:
        thread "a "name"" (7) waits for group 0x10 (1 inside)
        and 3 threads more wait
        it might still be ended by thread "s" (8), asleep in nanosleep
        thread "a "name"" (7), waiting for 5.0 s:
          inside: an item of serial queue "q"
          runs: async
          stack:
            0 0x2002
        fix: balance

      """
    #expect(Self.report.text == expected)
  }

  @Test("The JSON says the same in one object")
  func json() throws {
    let found = try #require(
      JSONSerialization.jsonObject(with: Data(Self.report.json.utf8)) as? [String: Any])
    #expect(found["kind"] as? String == "stall" && found["certainty"] as? String == "suspected")
    #expect(found["cause"] as? String == "all wait" && found["omitted"] as? Int == 3)
    let objects = try #require(found["objects"] as? [[String: Any]]),
      participants = try #require(found["participants"] as? [[String: Any]])
    #expect((objects[0]["entered"] as? [[String: Any]])?.map { $0["count"] as? Int } == [2, 1])
    #expect(participants[0]["name"] as? String == "a \"name\"" && (participants[0]["stack"] as? [String])?.count == 1)
    #expect(!Self.report.json.contains("\n"))
  }
}
