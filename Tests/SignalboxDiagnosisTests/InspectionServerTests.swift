// InspectionServerTests.swift: the thread that answers whoever asks what the process is doing, asked by its own process. What it says, and what
// a command makes of it, is SignalboxInspectorTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis

@Suite("Whoever asks the process what it is doing") struct InspectionServerTests {
  /// What the process says to `request`; nil if there is nobody to ask.
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

  @Test("gets an answer as long as its first line says, and the next one too")
  func answers() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      InspectionServer.begin()
      for _ in 0..<2 {
        guard let text = InspectionServerTests.answer(to: InspectionProtocol.greeting + "\n"),
          let end = text.utf8.firstIndex(of: UInt8(ascii: "\n"))
        else {
          Issue.record("nobody answers")
          return
        }
        let head = String(text[..<end]), rest = text.utf8.count - head.utf8.count - 1
        #expect(head == "\(InspectionProtocol.greeting) \(rest)" && rest > 0)
      }
    }
  }

  @Test("in other words gets none, and keeps nobody from an answer")
  func refuses() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      InspectionServer.begin()
      #expect(InspectionServerTests.answer(to: "what are you doing?\n") == "")
      let greeting = InspectionProtocol.greeting
      #expect(InspectionServerTests.answer(to: greeting + "\n")?.hasPrefix(greeting) == true)
    }
  }
}
