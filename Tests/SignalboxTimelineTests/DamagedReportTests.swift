// DamagedReportTests.swift: files of reports that are cut off or damaged: what is whole is shown, what is not is
// counted, and what reaches the page has the form that the page's program relies on.
import SignalboxCommandLine
import SignalboxSystem
import Testing

@testable import SignalboxTimeline

/// The same numbers in each run (xorshift).
private struct Dice: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

@Suite("Damaged reports") struct DamagedReportTests {
  private static let deadlock =
    #"{"kind":"deadlock","certainty":"certain","participants":[{"thread":1,"name":"main","holds":{"kind":"queue","name":"a","#
    + #""description":"d","address":"0x1"},"wants":{"kind":"mutex","name":"m","description":"d","address":"0x2"},"detail":null,"#
    + #""waitsFor":2,"seconds":1.5,"inside":["q"],"item":{"kind":"async","function":null},"acquired":["x"],"stack":["0 a"],"#
    + #""notes":{"Submitted at":["s"]}}],"ring":[{"kind":"operation","name":"o","address":"0x3"}],"hint":"h"}"#
  private static let stall =
    #"{"kind":"stall","cause":"still","summary":"s","objects":[{"object":{"kind":"group","name":"g","address":"0x4"},"lacks":"l","#
    + #""entered":[{"count":2,"stack":["e"]}],"stopped":["t"],"items":[{"kind":"async","function":"f"}]}],"omitted":1,"#
    + #""mayStillEnd":["a timer"],"hint":"h"}"#
  private static let order =
    #"{"kind":"lockOrder","message":"m","steps":[{"held":"a","wanted":"b","thread":1,"name":"t","heldAt":["x"],"wantedAt":["y"]}]}"#
  private static let others =
    #"{"kind":"misuse","message":"m","thread":3}"# + "\n" + #"{"kind":"longItem","seconds":2,"limit":1}"#
  private static let whole = [deadlock, stall, order, others].joined(separator: "\n") + "\n"

  /// The reports that the page gets, and how many lines are not whole.
  private func page(_ bytes: [UInt8]) throws -> (reports: [JSON], damage: String?, text: String) {
    var written: [UInt8] = []
    let page = try ReportPage(bytes: bytes)
    page.write {
      written += $0; return true
    }
    let text = String(decoding: written, as: UTF8.self), mark = #"id="data">"#
    let start = try #require(text.firstRange(of: mark)?.upperBound)
    let end = try #require(text[start...].firstRange(of: "</script>")?.lowerBound)
    return (try #require(JSON(text[start..<end])).values, page.damage, text)
  }
  private func page(_ text: String) throws -> (reports: [JSON], damage: String?, text: String) { try page(Array(text.utf8)) }

  @Test("Reports that are whole are shown as they are, and no damage is reported")
  func whole() throws {
    let found = try page(Self.whole)
    #expect(found.reports.count == 5 && found.damage == nil && !found.text.contains("not whole"))
    let participant = try #require(found.reports[0]["participants"].values.first)
    #expect(participant["thread"].integer == 1 && participant["wants"]["name"].string == "m")
    #expect(participant["notes"]["Submitted at"].values.map(\.string) == ["s"] && participant["stack"].values.count == 1)
  }

  @Test("A file whose last line is cut shows the lines before it, wherever it ends")
  func cut() throws {
    let first = Self.deadlock.utf8.count + 1, bytes = Array(Self.whole.utf8)
    for end in stride(from: first + 1, to: first + Self.stall.utf8.count, by: 7) {
      let found = try page(Array(bytes[..<end]))
      #expect(found.reports.count == 1 && found.damage == "1 of 2 reports is not whole", "\(end)")
      #expect(found.text.contains("<p>1 of 2 reports is not whole</p>"))
    }
    for end in stride(from: 1, to: first - 1, by: 5) {
      #expect(throws: UnreadableRecording.self) { _ = try ReportPage(bytes: Array(bytes[..<end])) }
    }
  }

  @Test(
    "Lines that are no reports are counted",
    arguments: ["words", "{}", #"{"kind":"other"}"#, "[1]", "{\"kind\":\"stall\"", "\u{0}\u{1}!"])
  func others(line: String) throws {
    let found = try page(Self.whole + line + "\n" + Self.order + "\n" + line)
    #expect(found.reports.count == 6 && found.damage == "2 of 8 reports are not whole")
  }

  @Test("A text that is none of UTF-8 is shown, and counts as damaged")
  func encoding() throws {
    let bytes = Array(Self.others.utf8).map { $0 == UInt8(ascii: "m") ? 0xFF : $0 }
    let found = try page(bytes + [10] + Array(Self.order.utf8))
    #expect(
      found.damage == "1 of 3 reports is not whole" || found.damage == "2 of 3 reports are not whole", "\(found.damage ?? "")")
  }

  @Test("A member of another form is left out, and its report counts as damaged")
  func forms() throws {
    let cases: [(text: String, with: String)] = [
      (#""participants":[{"#, #""participants":7,"x":[{"#), (#""stack":["0 a"]"#, #""stack":"0 a""#),
      (#""wants":{"#, #""wants":3,"x":{"#), (#""hint":"h"}"#, #""hint":["h"]}"#), (#""inside":["q"]"#, #""inside":[4,"q"]"#),
      (#""notes":{"#, #""notes":[1],"x":{"#), (#""seconds":1.5"#, #""seconds":1e400"#), (#""ring":[{"#, #""ring":[null,{"#),
    ]
    for (text, other) in cases {
      let changed = Self.deadlock.replacing(text, with: other)
      #expect(changed != Self.deadlock, "\(text)")
      let found = try page(changed + "\n" + Self.stall)
      #expect(found.reports.count == 2 && found.damage == "1 of 2 reports is not whole", "\(other)")
      try check(found.reports)
    }
    // What is not known, or from a version that did not say it, is no damage.
    let bare = try page(#"{"kind":"stall","objects":[{}],"participants":[{"item":null}]}"# + "\n" + #"{"kind":"deadlock"}"#)
    #expect(bare.damage == nil)
    try check(bare.reports)
    #expect(bare.reports[0]["participants"].values.first?["wants"]["name"].string == "?")
  }

  /// What report.js takes for granted.
  private func check(_ reports: [JSON]) throws {
    func object(_ json: JSON) {
      #expect(json["kind"].string != nil && json["name"].string != nil && json["address"].string != nil)
    }
    func texts(_ json: JSON) { for value in json.values { #expect(value.string != nil) } }
    func isList(_ json: JSON) -> Bool { if case .array = json { true } else { false } }
    for report in reports {
      #expect(report["kind"].string != nil)
      for participant in report["participants"].values {
        object(participant["wants"])
        for name in ["stack", "acquired", "inside"] {
          #expect(isList(participant[name]))
          texts(participant[name])
        }
        if case .object(let members) = participant["notes"] { for member in members { texts(member.value) } }
      }
      for lack in report["objects"].values {
        object(lack["object"])
        #expect(lack["lacks"].string != nil && isList(lack["entered"]) && isList(lack["items"]) && isList(lack["stopped"]))
      }
      for one in report["ring"].values { object(one) }
      for step in report["steps"].values { #expect(step["held"].string != nil && step["wanted"].string != nil) }
      texts(report["mayStillEnd"])
    }
  }

  @Test("Whatever stands in a file of reports, the page gets reports, or the file is refused", arguments: 0..<4)
  func anything(part: Int) throws {
    var dice = Dice(seed: UInt64(350 + part))
    let bytes = Array(Self.whole.utf8),
      words = ["null", "7", "\"x\"", "[", "]", "{", "}", ",", ":", "\\", "\\u", "true", "-", "1e999"]
    var shown = 0
    for _ in 0..<500 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let place = Int.random(in: 0..<changed.count, using: &dice),
          end = min(changed.count, place + Int.random(in: 0...6, using: &dice))
        let word =
          Bool.random(using: &dice) ? Array(words.randomElement(using: &dice)!.utf8) : [UInt8.random(in: 0...255, using: &dice)]
        changed.replaceSubrange(place..<end, with: word)
      }
      let page: ReportPage
      do throws(UnreadableRecording) { page = try ReportPage(bytes: changed) } catch { continue }
      shown += 1
      try check(page.reports)
    }
    #expect(shown > 300, "\(shown)")
  }

  @Test("The command shows what is whole of a cut file, says how much is not, and ends with a status of its own")
  func command() throws {
    let folder = try ProgramFolder()
    try Files.replace(RawString(folder("cut")), with: Self.deadlock + "\n" + Self.stall.dropLast(10))
    try Files.replace(RawString(folder("none")), with: String(Self.deadlock.dropLast(10)))
    #expect(
      try folder.shell("\"${P}signalbox\" view cut 2>errors; echo $?; cat errors")
        == "\(folder("cut.html"))\n3\nsignalbox: view: cut is damaged: 1 of 2 reports is not whole\n")
    #expect(try folder.shell("grep -c 'reports is not whole' cut.html") == "1\n")
    #expect(
      try folder.shell("\"${P}signalbox\" view none; echo $?; ls none.html")
        .hasPrefix("signalbox: view: none is neither a recording nor a file of reports\n65\n"))
  }
}
