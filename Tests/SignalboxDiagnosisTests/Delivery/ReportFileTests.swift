// ReportFileTests.swift: the files of reports: one JSON object on one line, of every kind, with time, process and text. An item of the main
// queue is in MainItemMonitorTests.
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

import struct Foundation.Data
import class Foundation.JSONSerialization
import struct Foundation.URL

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("Files of reports") struct ReportFileTests {
  private static func newFile() -> String { "/tmp/signalbox-reports-\(getpid())-\(UInt64.random(in: 0 ... .max)).json" }

  private static func objects(_ name: String) throws -> [[String: Any]] {
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: name)), as: UTF8.self)
    #expect(text.hasSuffix("\n"))
    return try text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
  }

  /// An order of locks, a stall, a deadlock, and in the end a misuse: each is reported, one after the other.
  private static func everyKind() {
    alarm(500)
    setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
    LockOrder.mode = .report
    Deadlock.policy = .report
    let one = MutexLock(name: "one"), two = MutexLock(name: "two")
    PlainThread("before") { one.withLock { two.withLock {} } }.join()
    two.withLock { one.withLock {} }
    LockOrder.mode = .off
    let semaphore = DispatchSemaphore(value: 0), stalls = Count(), deadlocks = Count()
    StallDetector.onFinding { _ in stalls.add() }
    PlainThread("waiter") { semaphore.wait() }
    untilWaiting(1)
    until("the stall") {
      StallDetector.scan()
      return stalls.value >= 1
    }
    Deadlock.onDetection { _ in deadlocks.add() }
    let queue = DispatchQueue(label: "its \"own\"")
    queue.async {
      let behind = DispatchGroup()
      queue.async(group: behind) {}
      behind.wait()
    }
    until("the deadlock") { deadlocks.value == 1 }
    DispatchGroup().leave()
  }

  @Test("Each report is a line in the file of all reports; deadlocks, stalls and misuse are in the older file as well")
  func lines() async throws {
    let all = Self.newFile(), older = Self.newFile(), start = Double(Clock.wall()) / 1e9
    defer {
      unlink(all)
      unlink(older)
    }
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      [all = all as String, older = older as String] in
      setenv("SIGNALBOX_REPORT_JSON", all, 1)
      setenv("SIGNALBOX_DEADLOCK_JSON", older, 1)
      ReportFileTests.everyKind()
    }
    let lines = try Self.objects(all), end = Double(Clock.wall()) / 1e9
    try #require(lines.count == 4, "\(errorText(result))")
    #expect(lines.map { $0["kind"] as? String } == ["lockOrder", "stall", "deadlock", "misuse"], "\(errorText(result))")
    #expect(try FileStatus(of: RawString(all)).permissions == 0o600)
    for line in lines {
      let time = try #require(line["time"] as? Double), text = try #require(line["text"] as? String)
      #expect(time >= start - 0.001 && time <= end + 0.001, "\(start) \(time) \(end)")
      #expect(line["process"] as? Int == lines[0]["process"] as? Int && line["process"] is Int)
      #expect(errorText(result).contains(text.split(separator: "\n")[0]), "\(text)")
    }
    #expect(lines[0]["finding"] as? String == "inversion")
    let steps = try #require(lines[0]["steps"] as? [[String: Any]])
    #expect(steps.map { $0["held"] as? String } == ["mutex \"two\"", "mutex \"one\""] && steps[0]["heldAt"] is [String])
    #expect(lines[1]["certainty"] != nil && lines[1]["cause"] as? String == "all wait")
    #expect((lines[2]["participants"] as? [[String: Any]])?.count == 1 && (lines[3]["message"] as? String)?.isEmpty == false)
    let few = try Self.objects(older)
    #expect(few.map { $0["kind"] as? String } == ["stall", "deadlock", "misuse"])
  }

  @Test("A file that both variables name gets each report once")
  func sameFile() async throws {
    let name = Self.newFile()
    defer { unlink(name) }
    await #expect(processExitsWith: .signal(SIGABRT)) { [name = name as String] in
      setenv("SIGNALBOX_REPORT_JSON", name, 1)
      setenv("SIGNALBOX_DEADLOCK_JSON", name, 1)
      ReportFileTests.everyKind()
    }
    #expect(try Self.objects(name).count == 4)
  }

  @Test("A file that is a link is refused, and the report says so and stays on standard error")
  func link() async {
    let name = Self.newFile()
    symlink("/tmp", name)
    defer { unlink(name) }
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      [name = name as String] in
      setenv("SIGNALBOX_REPORT_JSON", name, 1)
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      DispatchGroup().leave()
    }
    expectStop(
      result, saying: "left more often than entered", "the report cannot be written to SIGNALBOX_REPORT_JSON=\(name): ")
  }

  @Test("What a report holds is written as JSON writes it")
  func quoting() {
    #expect(JSONText.quoted("a\"b\\c\n\t\u{1}\u{1F}é") == "\"a\\\"b\\\\c\\n\\t\\u0001\\u001fé\"")
    #expect(JSONText.list([]) == "[]" && JSONText.list(["a", "b"]) == "[\"a\",\"b\"]")
    #expect(JSONText.object(.longItem, ["\"a\":1"]) == "{\"kind\":\"longItem\",\"a\":1}")
  }
}
