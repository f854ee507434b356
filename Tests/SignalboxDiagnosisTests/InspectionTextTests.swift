// InspectionTextTests.swift: members of the text of an inspection that are there only sometimes. What a command makes
// of the text is tested in SignalboxInspectorTests.
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis

@Suite("The text of an inspection") struct InspectionTextTests {
  private static func text(_ threads: [InspectedThread]) -> String {
    var inspection = Inspection()
    inspection.threads = threads
    return String(decoding: InspectionText.bytes(inspection), as: UTF8.self)
  }
  /// A thread of which nothing is known but what every thread has.
  private static let plain = InspectedThread(id: 77, name: "plain", state: "S", isOwn: false)

  @Test("A thread has a stack if one was read: each return address as the place of its call")
  func stack() {
    var walked = Self.plain
    walked.stack = [0x101, 0x202]  // no image lies there
    #expect(Self.text([walked]).contains("\"stack\":[\"0x100\",\"0x201\"]"), "\(Self.text([walked]))")
    #expect(!Self.text([Self.plain]).contains("\"stack\""))
  }

  @Test("What is not known of a thread, or does not hold for it, is left out")
  func leftOut() {
    let text = Self.text([Self.plain])
    #expect(text.contains(#""threads":[{"thread":77,"name":"plain","state":"sleeps"}]"#), "\(text)")
  }
}
