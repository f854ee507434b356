// PageTests.swift: the form in which a page carries a recording, and how others' names get into it. What a browser makes of the page is
// Scripts/check-view's.
import SignalboxCommandLine
import SignalboxSystem
import Testing

@testable import SignalboxRecorder
@testable import SignalboxTimeline

@Suite("Pages") struct PageTests {
  /// Numbers of a column, as the page reads them.
  private func numbers(_ column: PageColumn) -> [ReadNumber] {
    var all: [ReadNumber] = [], value: UInt64 = 0, shift: UInt64 = 0
    for byte in column.bytes {
      value |= UInt64(byte & 127) << shift
      shift += 7
      guard byte < 128 else { continue }
      all.append(ReadNumber(value))
      (value, shift) = (0, 0)
    }
    return all
  }

  /// All bytes that are handed over.
  private final class Paper: @unchecked Sendable {
    // SAFETY: one thread's, which writes a page and then reads it.
    private(set) var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }
    func write(_ more: [UInt8]) -> Bool {
      bytes += more
      return true
    }
  }

  // What would end a script, begin a comment or an entity, turn the text around it, or be seen by nobody.
  private static let hostile = "</script><script>alert(1)</script><!--\"'&amp;\\\u{202E}txt\u{0}\u{7}\n\u{2028}{{columns}}"

  /// A recording with a thread, another one, a queue of that name and a lock.
  private func recording(_ write: (inout Ring, inout Ring, Recording) -> Void = { _, _, _ in }) throws -> RecordingFile {
    let room = RecordingRoom(chunks: 8)
    var one = try #require(Ring(room.recording, who: 7 | 40 << 32 | RecordLayout.isMain))
    var other = try #require(Ring(room.recording, who: 8 | 41 << 32))
    room.recording.name(.queue, 0x1000, Self.hostile)
    room.recording.name(.object, 0x2000, "mutex \"a\"")
    room.recording.name(.note, 0x3000, "request")
    write(&one, &other, room.recording)
    one.write(.mark, one.ticks(), 0x3000, 7, 0)
    other.write(.mark, other.ticks(), 0x3000, 8, 0)
    return try room.read()
  }

  @Test("Numbers of any size come back from a column")
  func columns() {
    let all: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, 1 << 32, UInt64.max, 5]
    var column = PageColumn()
    for number in all { column.append(number) }
    #expect(numbers(column).map(\.bits) == all)
    #expect(column.bytes.count == 1 + 1 + 1 + 2 + 2 + 3 + 5 + 10 + 1)
  }

  @Test(
    "Bytes become the letters of RFC 4648",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy"),
      ("\u{7F}~?", "f34/"),
    ])
  func base64(plain: String, letters: String) {
    #expect(String(decoding: PageColumn.base64(Array(plain.utf8)[...]), as: UTF8.self) == letters)
  }

  @Test("A column of many pieces is one text of letters")
  func longColumn() {
    var column = PageColumn(), text: [UInt8] = [], pieces = 0
    for number in 0..<UInt64(200_000) { column.append(number) }
    column.write {
      text += $0
      pieces += 1
    }
    #expect(pieces > 1 && text == PageColumn.base64(column.bytes[...]))
  }

  @Test("Words of a frame are filled in, and nothing that is filled in is read as one")
  func template() {
    let paper = Paper()
    let frame = PageTemplate(Array("<a>{{one}}</a> {{two}} {{".utf8))
    frame.write(paper.write) { word in _ = paper.write(Array("[\(word) {{two}}]".utf8)) }
    #expect(paper.text == "<a>[one {{two}}]</a> [two {{two}}] {{")
  }

  @Test("Names that would end a script come back as they were")
  func hostileNames() throws {
    let bytes = PageTemplate.data(.object([("name", .string(Self.hostile))]))
    #expect(!bytes.contains(UInt8(ascii: "<")))
    #expect(JSON(String(decoding: bytes, as: UTF8.self))?["name"].string == Self.hostile)
  }

  @Test("A page has its scripts, and no more than these, whatever names there are")
  func page() throws {
    let paper = Paper()
    TimelinePage.write(
      try recording { one, _, _ in
        one.write(.submitted, one.ticks(), 0x1000, 0x50, 0)
        one.write(.started, one.ticks(), 0x1000, 0x50, 0)
      }, paper.write)
    let text = paper.text
    #expect(text.hasPrefix("<!doctype html>") && text.hasSuffix("</html>\n"))
    // The header, twelve columns and the program.
    #expect(text.split(separator: "<script", omittingEmptySubsequences: false).count == 15)
    #expect(text.split(separator: "</script>", omittingEmptySubsequences: false).count == 15)
    #expect(!text.contains("{{style}}") && !text.contains("{{script}}") && !text.contains("{{header}}"))
    #expect(!text.contains("alert(1)</script>") && text.contains("default-src 'none'"))
    #expect(!text.contains(" src=") && !text.contains("url(") && !text.contains("@import") && !text.contains("://"))
  }

  @Test("No script of the pages holds what would end it")
  func sources() {
    for script in TimelinePage.scripts + [PackageResources.report_js, PackageResources.page_css] {
      let text = String(decoding: script, as: UTF8.self)
      #expect(!text.contains("</script") && !text.contains("</style") && !text.contains("<!--"))
    }
  }

  @Test("Columns say what the threads did")
  func slices() throws {
    let recording = try recording { one, other, _ in
      let start = one.ticks()
      one.write(.submitted, start + 1_000, 0x1000 | 8 | 4, 0x50, 0)
      one.write(.submitted, start + 2_000, 0x1000, 0x60, 0)
      other.write(.started, start + 3_000, 0x1000, 0x50, 0)
      other.write(.waitBegan, start + 4_000, 0x2000, 7, 0)
      other.write(.waitEnded, start + 5_000, 0, 0, 0)
      other.write(.ended, start + 6_000, 0, 0, 0)
      one.write(.turnBegan, start + 7_000, 0x1000 | 1, 0, 0)
      one.write(.turnEnded, start + 8_000, 0, 0, 0)
      one.write(.intervalBegan, start + 9_000, 0x3000, 0xABCD_0000_1234, 0x5678)
      one.write(.intervalEnded, start + 10_000, 0x3000, 0xABCD_0000_1234, 0x5678)
      other.write(.parked, start + 11_000, 0, 0, 0)
    }
    let data = PageData.read(recording)
    // The first submission.
    #expect(data.begin == recording.threads.first?.events.first?.time)
    #expect(data.slices.map(\.kind) == [.started, .waitBegan, .turnBegan, .intervalBegan, .parked])
    #expect(data.slices.map(\.isCut) == [false, false, false, false, true])
    #expect(data.waiting.count == 1 && data.marks.map(\.number) == [7, 8] && data.gaps.isEmpty)
    #expect(
      data.queues.all.map(\.name) == [Self.hostile] && data.objects.all == ["mutex \"a\""] && data.notes.all == ["request"])
    let columns = Dictionary(uniqueKeysWithValues: data.columns.map { ($0.name, numbers($0.column)) })
    // An item that is a barrier (8) and was submitted (16); a wait; a turn; an interval; parked at the end (3, 32).
    #expect(columns["head"] == [24, 2, 1, 4, 35])
    #expect(columns["thread"] == [1, 1, 0, 0, 1])
    #expect(columns["what"] == [0, 0, 0])
    // The queue; the thread that has the lock, by its place and 2; the queue.
    #expect(columns["whose"] == [0, 2, 0])
    let begins = (columns["begin"] ?? []).reduce(into: [ReadNumber]()) { $0.append(($0.last ?? 0) + $1) }
    #expect(begins == data.slices.map(\.begin) && begins == begins.sorted())
    #expect(columns["length"] == data.slices.map { $0.end - $0.begin })
    let item = try #require(data.slices.first)
    #expect(item.isSubmitted && item.extra < item.begin && item.submitter == 0)
    #expect(columns["extra"] == [item.begin - item.extra, 0, 4, 0, 0x0000_1234, 0x5678_ABCD])
    let left = try #require(data.waiting.first)
    #expect(
      columns["waiting"] == [left.submitted, left.end - left.submitted, 0, 0, ReadNumber(UInt64(left.function)), 0]
        && left.end == data.end)
    #expect(columns["marks"]?.count == 10 && columns["timers"] == [])
  }

  @Test("At a gap what was open ends with the last moment before it, and items that wait are left there")
  func gap() throws {
    var data = PageData(try recording())
    let start = data.begin
    let first = TimelineItem(flow: 1, queue: 0x1000, submitted: (start + 10, 1))
    let second = TimelineItem(flow: 2, queue: 0x1000, submitted: (start + 20, 1))
    let slice = TimelineSlice(kind: .started, object: 0x1000, begin: start + 100, item: first)
    data.submitted(first, by: 1, at: start + 10)
    data.submitted(second, by: 1, at: start + 20)
    data.began(slice, on: 0)
    data.marked(0x3000, 1, on: 0, at: start + 200)
    data.ended(slice, on: 0, at: start + 900)
    data.gap(12, on: 0, at: start + 900)
    data.marked(0x3000, 2, on: 1, at: start + 1_000)
    data.finish()
    #expect(data.slices.map { [$0.begin, $0.end] } == [[100, 200]] && data.slices[0].isCut)
    let gap = try #require(data.gaps.first)
    #expect((gap.begin, gap.end, gap.count, gap.thread) == (200, 900, 12, 0) && data.gaps.count == 1)
    #expect(data.waiting.map { [$0.submitted, $0.end] } == [[20, 900]])
    #expect(data.end == 1_000)
  }

  @Test("The header has every name, and the summary as it is")
  func header() throws {
    let data = PageData.read(try recording { one, _, _ in one.write(.submitted, one.ticks(), 0x1000, 0x50, 0) })
    let header = data.header(summary: .object([("queues", .array([.object([("at", .number(3))])]))]))
    #expect(header["threads"].values.map { $0["name"].string } == ["main thread 40", "\(RecordingRoom.threadName) 41"])
    #expect(header["threads"].values.map { $0["isMain"].boolean } == [true, false])
    #expect(header["queues"].values.first?["name"].string == Self.hostile)
    #expect(header["queues"].values.first?["address"].string == "0x1000")
    #expect(header["summary"]["queues"].values.first?["at"].integer == 3)
    #expect(header["counts"]["waiting"].integer == 1 && header["events"].integer == 3)
  }

  // MARK: reports

  private static let deadlock = #"{"kind":"deadlock","participants":[],"hint":"a\#u{2028}b"}"#

  @Test("Reports are read, a line each, or one that is laid out")
  func reports() throws {
    #expect(try ReportPage(text: Self.deadlock).count == 1)
    #expect(try ReportPage(text: Self.deadlock + "\n{\"kind\":\"stall\"}\n\n{\"kind\":\"misuse\"}\n").count == 3)
    #expect(try ReportPage(text: "{\n  \"kind\":\n \"stall\"\n}\n").count == 1)
  }

  @Test(
    "What is no report is refused",
    arguments: [
      "", "\n", "words", "{}", "{\"kind\":\"other\"}", "[]", "{\"kind\":\"stall\"\nwords",
      "{\"kind\":\"stall\"}{\"kind\":\"stall\"}",
    ])
  func noReports(text: String) throws {
    let error = #expect(throws: UnreadableRecording.self) { _ = try ReportPage(text: text) }
    #expect(error?.description == "is neither a recording nor a file of reports")
  }

  @Test("A report's page has its data and its program, whatever the names")
  func reportPage() throws {
    let paper = Paper()
    let report = JSON.object([("kind", .string("misuse")), ("message", .string(Self.hostile))])
    try ReportPage(text: report.text).write(paper.write)
    #expect(paper.text.split(separator: "</script>", omittingEmptySubsequences: false).count == 3)
    #expect(!paper.text.contains("alert(1)</script>") && paper.text.contains("alert(1)\\u003c/script>"))
  }
}
