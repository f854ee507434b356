// InspectionServerTests.swift: the thread that answers readers of the process, asked by its own process. What it
// answers, and what a command makes of it, is SignalboxInspectorTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxDispatch
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

  /// Hands one request over, and keeps the answer.
  private final class Asker: ByteChannel, @unchecked Sendable {
    // SAFETY of @unchecked: one thread asks and answers.
    private var asked: [UInt8] = []
    private(set) var said: [UInt8] = []
    func ask(_ line: String, _ requests: InspectionRequests) -> String {
      (asked, said) = (Array("\(line)\n".utf8), [])
      _ = requests.answer(until: Clock.uptime() + 1_000_000)
      return String(decoding: said.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
    func read(until deadline: UInt64) throws(SystemError) -> [UInt8]? {
      defer { asked = [] }
      return asked.isEmpty ? nil : asked
    }
    func write(_ bytes: [UInt8], until deadline: UInt64) -> Bool {
      said += bytes
      return true
    }
  }

  @Test("gets the words of a queue that is there, and soon none of one that has gone")
  func gone() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let asker = Asker(), requests = InspectionRequests(through: asker)
      #expect(asker.ask(InspectionServerTests.greeting, requests).hasPrefix(InspectionServerTests.greeting))
      var queue: DispatchQueue? = DispatchQueue(label: "requests.gone")
      let line = "bytes 0x\(String(queue.map { $0.address } ?? 0, radix: 16)) 64"
      #expect(asker.ask(line, requests) == "64")
      queue = nil
      #expect(eventually { asker.ask(line, requests) == "0" })
    }
  }
}
