// FlightReportTests.swift: flight recordings at reports, crashes and kills: what is in the file, and which copies there are. The program's own
// copies, and recordings of its own, are RecorderTests.swift.
import Glibc
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxTimeline

@Suite("Flight recordings at reports and crashes") struct FlightReportTests {
  private let folder: ProgramFolder
  init() throws { folder = try ProgramFolder() }

  /// What was reported, by kind, in the order of the numbers.
  private func reports(_ recording: RecordingFile) -> [RecordedReport?] {
    let all = recording.threads.flatMap(\.events).filter { $0.kind == .reported }.sorted { $0.b < $1.b }
    #expect(all.map(\.b.bits) == (0..<UInt64(all.count)).map { $0 + 1 })
    return all.map { RecordedReport(rawValue: $0.a.bits) }
  }

  private func run(_ arguments: String, _ variables: [String: String] = [:]) throws -> String {
    try folder.shell(
      "\"${P}RecordProbe\" \(arguments); echo status $?",
      ["SIGNALBOX_RECORD": folder("flight"), "SIGNALBOX_FLIGHT": "600"]
        .merging(variables) { $1 })
  }

  @Test("A deadlock that stops the program leaves the recording with its report, and no copy")
  func stops() throws {
    let text = try run("deadlock")
    #expect(text.contains("status 134\n") && text.contains("deadlock"), "\(text)")
    #expect(folder.names == ["flight"])
    let recording = try RecordingFile(folder("flight"))
    #expect(!recording.isComplete && reports(recording) == [.deadlock])
    // What led there: the threads that wait, and who has what they want.
    let waits = recording.threads.flatMap(\.events).filter { $0.kind == .waitBegan && $0.b != 0 }
    #expect(waits.count >= 1)
    let summary = try folder.shell("\"${P}signalbox\" summary flight")
    #expect(summary.contains("Reports of the diagnosis") && summary.contains("a deadlock"), "\(summary)")
  }

  @Test(
    "A report after which the program goes on has a copy, which ends there; the recording goes on",
    arguments: [
      ("stall", RecordedReport.stall), ("order", .lockOrder), ("long", .longItem), ("cycles 1", .deadlock),
    ])
  func goesOn(arguments: String, kind: RecordedReport) throws {
    let text = try run(arguments), file = folder("flight.report-1")
    #expect(text.contains("status 0\n"), "\(text)")
    #expect(text.contains("signalbox: report 1: the flight recording up to this moment is in \(file)\n"), "\(text)")
    #expect(try FileStatus(of: RawString(file)).permissions == 0o600)
    let copy = try RecordingFile(file), whole = try RecordingFile(folder("flight"))
    #expect(reports(copy).first == kind && !copy.isComplete && copy.seconds == 600)
    #expect(reports(whole).first == kind && whole.isComplete)
    // Each thread of the copy has the first of the events that it has in the recording.
    for thread in copy.threads {
      let later = whole.threads.first { $0.number == thread.number }
      let pairs = zip(thread.events, later?.events ?? [])
      #expect(pairs.allSatisfy { $0.kind == $1.kind && $0.a == $1.a && $0.b == $1.b && $0.c == $1.c })
      #expect(thread.events.count <= later?.events.count ?? 0)
    }
    #expect(copy.lostNames == 0 && copy.lostEvents <= whole.lostEvents)
    #expect(
      try folder.shell(
        "\"${P}signalbox\" view flight.report-1 -o page && \"${P}signalbox\" perfetto flight.report-1 trace; echo $?"
      )
      .hasSuffix("\n0\n"))
  }

  @Test("Eight reports have copies; then one line says that there will be no more")
  func bounded() throws {
    let text = try run("cycles 12")
    #expect(text.contains("status 0\n"), "\(text)")
    // Reports of threads that find something at once overtake each other on their way.
    let numbers = folder.names.compactMap { $0.hasPrefix("flight.report-") ? Int($0.dropFirst(14)) : nil }
    #expect(numbers.count == 8 && Set(1...12).isSuperset(of: numbers) && folder.names.count == 9, "\(text)")
    #expect(text.ranges(of: "the flight recording is copied for no more reports: 8 have a copy").count == 1, "\(text)")
    #expect(reports(try RecordingFile(folder("flight"))).count == 12)
    for number in numbers {
      let events = try RecordingFile(folder("flight.report-\(number)")).threads.flatMap(\.events)
      #expect(events.contains { $0.kind == .reported && $0.b == UInt64(number) })
    }
  }

  @Test(
    "Where a copy would lie there is a link, a pipe or a text: that is reported, and the program goes on",
    arguments: [
      ("ln -s target", "it is a symbolic link"), ("mkfifo", "it is no regular file"),
      ("echo words >", "it holds something else already"),
    ])
  func refusals(make: String, reason: String) throws {
    let text = try folder.shell(
      "\(make) flight.report-1; \"${P}RecordProbe\" cycles 1; echo status $?",
      ["SIGNALBOX_RECORD": folder("flight"), "SIGNALBOX_FLIGHT": "600"])
    #expect(
      text.contains("report 1: the flight recording was not copied, because \(reason)") && text.contains("status 0\n"),
      "\(text)")
    #expect(folder.names == ["flight", "flight.report-1"])
    if make.hasPrefix("echo") { #expect(Files.text(RawString(folder("flight.report-1"))) == "words\n") }
  }

  @Test("A plain recording has the reports, and no copies")
  func plain() throws {
    let text = try run("cycles 1", ["SIGNALBOX_FLIGHT": "off"])
    #expect(text.contains("status 0\n") && folder.names == ["flight"], "\(text)")
    #expect(reports(try RecordingFile(folder("flight"))) == [.deadlock])
  }

  @Test("What a flight recording had when the program died of a signal is read", arguments: [SIGABRT, SIGSEGV, SIGKILL])
  func dies(signal: Int32) throws {
    let text = try run("die \(signal)", ["SWIFT_BACKTRACE": "enable=no"])
    #expect(text.contains("status \(128 + signal)\n"), "\(text)")
    let recording = try RecordingFile(folder("flight"))
    #expect(!recording.isComplete && recording.seconds == 600 && recording.lostEvents == 0)
    let main = try #require(recording.threads.first { $0.isMain })
    let last = try #require(main.events.last)
    #expect(last.kind == .mark && TimelineNames(recording).note(last.a, at: last.time) == "last")
    #expect(folder.names.filter { !$0.hasPrefix("core") } == ["flight"])
  }

  @Test("A program as it is, run with --flight, has the same: killed, its last seconds are there")
  func unmodified() throws {
    let text = try folder.shell(
      "\"${P}signalbox\" run --flight=600 -- \"${P}RecordTasksProbe\" 3; echo status $?", ["XDG_RUNTIME_DIR": folder.path])
    #expect(text.hasSuffix("status 0\n"), "\(text)")
    let name = try #require(folder.names.first { $0.hasPrefix("signalbox-flight.") }, "\(text)")
    let recording = try RecordingFile(folder(name))
    #expect(recording.seconds == 600 && recording.isComplete && recording.lostEvents == 0)
    let killed = try folder.shell(
      "mkfifo said; \"${P}signalbox\" run --flight=600 --record=killed -- \"${P}RecordTasksProbe\" endless > said & probe=$!; "
        + "read -r line < said; kill -9 $probe; wait $probe; echo $line $?", ["XDG_RUNTIME_DIR": folder.path])
    #expect(killed.contains("ready 137\n"), "\(killed)")
    let last = try RecordingFile(folder("killed"))
    #expect(!last.isComplete && last.seconds == 600)
    #expect(last.threads.flatMap(\.events).contains { $0.kind == .started })
  }
}
