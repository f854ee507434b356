// ReportTests.swift: the lab's text and JSON, and breaking lines.
import BenchSupport
import SignalboxCommandLine
import SignalboxLab
import Testing

private let scenario = Scenario(
  "demo", "A demonstration", .notes, "B2", article: "one thing and another, at some length, so that lines are broken",
  documents: "the \"other\" thing", errs: "it is the other thing", scale: "1 s is 1 ms"
) { _ in "nothing" }

private func result(_ end: End = .exited(0), problems: [Problem] = [], message: String = "") -> ScenarioResult {
  var seen = Observation(end: end)
  seen.measured = "the other thing"
  seen.problems = problems
  seen.message = message
  seen.events = [
    Event(thread: "main", threadID: 7, queue: "q\"1\"", text: "first"),
    Event(thread: "thread 1", threadID: 8, queue: nil, text: "second"),
  ]
  return ScenarioResult(scenario, seen, seconds: 0.5)
}

@Suite("Breaking lines") struct WrappingTests {
  @Test("Wrapped lines keep to the width")
  func linesKeepToTheWidth() {
    let text = "the quick brown fox jumps over the lazy dog and on and on and on it goes until nobody listens any more"
    for width in 8...60 {
      let lines = Wrapping.lines(text, width: width)
      #expect(lines.allSatisfy { $0.count <= width && !$0.hasPrefix(" ") && !$0.hasSuffix(" ") }, "\(width): \(lines)")
      #expect(lines.joined(separator: " ") == text, "\(width)")
    }
  }

  @Test("A word that is wider than the line is cut")
  func wordsThatAreTooWideAreCut() {
    #expect(Wrapping.lines("aaaaaaaaaaaaaaaaaaaa bb", width: 8) == ["aaaaaaaa", "aaaaaaaa", "aaaa bb"])
    #expect(Wrapping.lines("", width: 10) == [""])
  }

  @Test("A paragraph's further lines stand below its first line's text")
  func paragraphsStandBelowTheirFirstLine() {
    let text = Wrapping.paragraph("ab", "one two three four", column: 4, width: 14)
    #expect(text == "ab  one two\n    three four\n")
  }
}

@Suite("The lab's text") struct LabTextTests {
  @Test("No line of the lab's report is wider than the page", arguments: [40, 60, 80, 120]) func noLineIsWider(width: Int) {
    let text = LabText(ink: .plain, width: width)
    let all = text.block(result()) + text.foot([result()], seconds: 1) + text.listing(scenario, nameWidth: 4)
    for line in all.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
  }

  @Test("The report has all that was expected and measured")
  func everythingIsSaid() {
    let text = LabText(ink: .plain, width: 120).block(result())
    for part in [
      "PASS  demo\n", "A demonstration", "the article         Notes on threads\n", "it says             one thing",
      "the documents say   the \"other\" thing",
      "measured here       the other thing", "the article errs    it is the other thing", "scale               1 s is 1 ms",
      "1  main      q\"1\"  first", "2  thread 1  -     second",
    ] {
      #expect(text.contains(part), "\(part) in:\n\(text)")
    }
    #expect(!text.contains("\u{1B}"))
    #expect(LabText(ink: .coloured, width: 120).block(result()).contains("\u{1B}[32mPASS"))
  }

  @Test("A failure names what was expected and what happened")
  func aFailureNamesWhatWasExpectedAndWhatHappened() {
    let failed = result(problems: [Problem(expected: "this", happened: "that")])
    let text = LabText(ink: .plain, width: 100)
    #expect(text.block(failed).contains("FAIL  demo"))
    #expect(text.block(failed).contains("expected            this"))
    #expect(text.block(failed).contains("happened            that"))
    #expect(LabText(ink: .coloured, width: 100).block(failed).contains("\u{1B}[31mexpected\u{1B}[0m            this"))
    let foot = text.foot([result(), failed], seconds: 1.25)
    #expect(foot.contains("failed: demo"))
    #expect(foot.contains("2 scenarios: 1 passed, 1 failed; the articles err in 2; 1.3 s"))
    #expect(foot.contains("not confirmed"))
    #expect(
      foot.contains(
        "  Notes on threads: what each of iOS's ways to threads offers, in short\n    - it is the other thing (demo)\n"))
  }

  @Test("A scenario leads to the page of its subject")
  func pagesAreNamed() throws {
    let scenario = try #require(Registry.scenario("timer-once"))
    let text = LabText(ink: .plain, width: 100)
    let block = text.block(ScenarioResult(scenario, Observation(end: .exited(0)), seconds: 0.5))
    #expect(block.hasSuffix("      read on             documentation/signalboxdispatch/dispatchsourcetimer\n"), "\(block)")
    let subject = try #require(Registry.subject(of: "timer-once"))
    #expect(text.heading(subject) == "Timer sources\n  documentation/signalboxdispatch/dispatchsourcetimer\n")
  }
}

@Suite("The lab's JSON") struct LabJSONTests {
  @Test("The JSON has the documented members")
  func membersAreAsDocumented() {
    let text = result(problems: [Problem(expected: "a", happened: "b")], message: "said").json.text
    #expect(
      text.hasPrefix(
        "{\"name\":\"demo\",\"title\":\"A demonstration\",\"subject\":null,\"page\":null,\"source\":\"Notes on threads\",\"row\":\"B2\",\"article\":"
      ),
      "\(text)")
    for part in [
      "\"documents\":\"the \\\"other\\\" thing\"", "\"articleErrs\":\"it is the other thing\"", "\"scale\":\"1 s is 1 ms\"",
      "\"verdict\":\"fail\"", "\"measured\":\"the other thing\"", "\"message\":\"said\"",
      "\"failures\":[{\"expected\":\"a\",\"happened\":\"b\"}]",
      "\"events\":[{\"thread\":\"main\",\"queue\":\"q\\\"1\\\"\",\"text\":\"first\"},"
        + "{\"thread\":\"thread 1\",\"queue\":null,\"text\":\"second\"}]", "\"seconds\":0.5}",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
  }

  @Test("Every scenario's JSON is well-formed")
  func everyScenarioIsWellFormed() {
    let text = JSON.array(Registry.all.map(\.json)).text
    var reader = JSONReader(text)
    #expect(reader.isValue() && reader.isAtEnd)
    var broken = JSONReader(String(text.dropLast()))
    #expect(!broken.isValue() || !broken.isAtEnd, "the reader itself must see what is broken")
  }
}

/// Says whether a text is JSON, by its grammar.
private struct JSONReader {
  private let bytes: [UInt8]
  private var at = 0
  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { at == bytes.count }

  private mutating func take(_ text: String) -> Bool {
    guard bytes[at...].starts(with: text.utf8) else { return false }
    at += text.utf8.count
    return true
  }

  mutating func isValue() -> Bool {
    if take("{") { return isList(end: "}") { $0.isString() && $0.take(":") && $0.isValue() } }
    if take("[") { return isList(end: "]") { $0.isValue() } }
    if at < bytes.count, bytes[at] == UInt8(ascii: "\"") { return isString() }
    if take("null") || take("true") || take("false") { return true }
    let start = at
    while at < bytes.count, "+-.eE0123456789".utf8.contains(bytes[at]) { at += 1 }
    return Double(String(decoding: bytes[start..<at], as: UTF8.self)) != nil
  }

  private mutating func isList(end: String, element: (inout JSONReader) -> Bool) -> Bool {
    if take(end) { return true }
    repeat { guard element(&self) else { return false } } while take(",")
    return take(end)
  }

  private mutating func isString() -> Bool {
    guard take("\"") else { return false }
    while at < bytes.count {
      if take("\"") { return true }
      if bytes[at] < 0x20 { return false }
      at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    return false
  }
}
