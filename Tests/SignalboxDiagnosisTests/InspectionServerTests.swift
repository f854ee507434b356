// InspectionServerTests.swift: the thread that answers readers of the process, asked by its own process. What it
// answers, and what a command makes of it, is SignalboxInspectorTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("A reader that greets the process") struct InspectionServerTests {
  /// What the process says to `request`; nil if there is no thread that listens.
  private static func answer(to request: String) -> String? {
    guard let own = OtherProcess(getpid()) else { return nil }
    var connection: LocalConnection?
    // The thread makes the name, then listens.
    guard
      eventually({
        connection = InspectionPlace.paths(of: own).first.flatMap { try? LocalConnection(to: $0) }
        return connection != nil
      }), let connection
    else { return nil }
    let deadline = Clock.uptime() + 30_000_000_000
    guard connection.write(Array(request.utf8), until: deadline) else { return nil }
    var bytes: [UInt8] = []
    while let more = try? connection.read(until: deadline), !more.isEmpty { bytes += more }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let greeting = "\(InspectionProtocol.name) \(InspectionProtocol.version)"

  @Test("gets the place of the description, and the next one too")
  func answers() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      InspectionServer.begin()
      let table = String(ProcessDescription.table, radix: 16)
      for _ in 0..<2 {
        // What is no request ends the connection.
        let said = InspectionServerTests.answer(to: InspectionServerTests.greeting + "\nthat is all\n")
        #expect(said == "\(InspectionServerTests.greeting) 0x\(table)\n")
      }
    }
  }

  @Test("in other words gets no answer, and keeps no other reader from one")
  func refuses() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      InspectionServer.begin()
      #expect(InspectionServerTests.answer(to: "what are you doing?\n") == "")
      let said = InspectionServerTests.answer(to: InspectionServerTests.greeting + "\nthat is all\n")
      #expect(said?.hasPrefix(InspectionServerTests.greeting) == true)
    }
  }
}
