// ReportingTests.swift: the table, the JSON text and the chart have the shape that readers and programs rely on.
import BenchSupport
import SignalboxCommandLine
import Testing

@Suite("The bench's table, JSON and chart") struct ReportingTests {
  private var report: Report {
    let machine = Machine(processors: 2, load: 0.25, kernel: "6.1 & \"more\"", architecture: "x86_64")
    var report = Report(
      machine: machine, toolchainLibrary: "libdispatch.so", subjectName: "Signalbox", rounds: 11, pace: .full)
    report.rows = [
      rowResult(bar: .ratio(8), ours: steady(10), theirs: steady(140)),
      rowResult("slow", bar: .ratio(8), ours: steady(10), theirs: steady(20)),
      rowResult("shaky", bar: .ratio(8), ours: steady(10), theirs: [60, 70, 75, 90, 95]),
      rowResult("contended", bar: .ownCost(atMost: 5, of: "slow"), ours: steady(20), theirs: steady(90), reference: steady(10)),
    ]
    return report
  }

  @Test("The summary names the rows that miss their bar and those that are open")
  func summaryNamesWhatIsMissedAndWhatIsOpen() {
    #expect(
      report.summary == "2 of 4 bars met; open, the interval spans the bar: shaky; missed: slow")
  }

  @Test("A line of the table has every figure")
  func tableLineHasEveryFigure() {
    let line = Table(ink: .plain, subjectName: "Signalbox").line(report.rows[0])
    for part in ["sync-serial", "10.0", "140", "4.00", "14.00x", "[14.00, 14.00]", "0 : 2", "met (≥ 8x)"] {
      #expect(line.contains(part), "\(part) in \(line)")
    }
    #expect(!line.contains("\u{1B}"))
    #expect(Table(ink: .coloured, subjectName: "Signalbox").line(report.rows[0]).contains("\u{1B}[32m"))
  }

  @Test("A row of own cost shows its multiple")
  func ownCostShowsItsMultiple() {
    #expect(Table(ink: .plain, subjectName: "Signalbox").line(report.rows[3]).contains("met (≤ 5x slow): 2.00x"))
  }

  @Test("The JSON is one object with the rows")
  func jsonIsOneObjectWithTheRows() {
    let text = report.json.text
    #expect(text.hasPrefix("{\"subject\":\"Signalbox\",\"toolchainLibrary\":\"libdispatch.so\",\"processors\":2,"))
    #expect(text.contains("\"kernel\":\"6.1 & \\\"more\\\"\""))
    #expect(text.contains("\"ratio\":{\"median\":14,\"low\":14,\"high\":14,\"coverage\":0.9375}"))
    #expect(text.contains("\"bar\":{\"timesOwnRow\":5,\"row\":\"slow\"}"))
    #expect(text.contains("\"verdict\":\"missed\""))
  }

  @Test("The JSON escapes texts, and has no number that JSON lacks")
  func jsonEscapesAndNeverWritesWhatJSONLacks() {
    let value = JSON.object([
      ("a\"b\\c\n", .string("\u{1}é")), ("n", .array([.number(.nan), .number(-.infinity), .number(1e-7), .number(-2), .null])),
      ("t", .boolean(true)),
    ])
    #expect(value.text == #"{"a\"b\\c\n":"\u0001é","n":[null,null,1e-07,-2,null],"t":true}"#)
  }

  @Test("The chart of ratios is well-formed and has every bar")
  func chartIsWellFormedAndComplete() {
    let svg = Chart(report).svg
    #expect(unbalancedTag(in: svg) == nil)
    #expect(svg.components(of: "<rect class=\"faster\"") == 4)
    #expect(!svg.contains("missed") && !svg.contains("mark"), "what a row must reach is for the table")
    #expect(
      svg.contains(">sync on an &quot;idle&quot; queue &amp; &lt;nothing&gt; else<")
        && svg.contains("14.00x · 10.0 ns beside 140 ns"), "\(svg)")
    #expect(svg.contains("6.1 &amp; &quot;more&quot;"))
    #expect(!svg.contains("nan") && !svg.contains("inf"))
  }

  @Test("Extreme ratios stay on the chart's paper")
  func chartOfExtremesStaysOnItsPaper() {
    var report = report
    report.rows = [
      rowResult(bar: .ratio(1), ours: steady(1e9), theirs: steady(0.001)),
      rowResult(bar: .ratio(1), ours: steady(0), theirs: steady(5)),
    ]
    let svg = Chart(report).svg
    #expect(unbalancedTag(in: svg) == nil)
    #expect(!svg.contains("width=\"inf") && !svg.contains("nan"))
  }

  @Test(
    "A ratio is written with the digits that it deserves",
    arguments: [(8.0, "8x"), (1.2, "1.2x"), (0.95, "0.95x"), (20, "20x"), (100, "100x")])
  func ratios(value: Double, text: String) { #expect(ratioText(value) == text) }

  @Test(
    "A fixed number is written with its decimals",
    arguments: [
      (0.0, 2, "0.00"), (1.005, 1, "1.0"), (9.996, 2, "10.00"), (-0.04, 1, "0.0"), (-1.25, 1, "-1.3"), (12_345.6, 0, "12346"),
    ])
  func fixed(value: Double, digits: Int, text: String) { #expect(fixedText(value, digits: digits) == text) }

  @Test(
    "A count is written without needless digits",
    arguments: [(nil, "-"), (0.0, "0"), (2.00004, "2"), (0.25, "0.25")] as [(Double?, String)])
  func counts(value: Double?, text: String) { #expect(countText(value) == text) }
}

extension String {
  /// How often a text occurs.
  func components(of part: String) -> Int { split(separator: part, omittingEmptySubsequences: false).count - 1 }
}

/// The first tag that is not closed, or closed without being open; nil if all are in order.
func unbalancedTag(in xml: String) -> String? {
  var open: [Substring] = []
  for piece in xml.split(separator: "<", omittingEmptySubsequences: false).dropFirst() {
    guard let end = piece.firstIndex(of: ">") else { return String(piece) }
    let tag = piece[..<end]
    guard !tag.hasSuffix("/") else { continue }
    let name = tag.prefix { $0 != " " && $0 != "\n" }
    if name.hasPrefix("/") {
      guard open.popLast() == name.dropFirst() else { return String(tag) }
    } else {
      open.append(name)
    }
  }
  return open.last.map(String.init)
}
