// LabText.swift: the lab's results for people. For programs: LabJSON.swift.
import BenchSupport

/// Results as text of a certain width, with or without colours.
public struct LabText: Sendable {
  private let ink: Ink
  private let width: Int
  private static let column = 22

  /// Text for a terminal of this many columns; widths that no user can read are not kept to.
  public init(ink: Ink, width: Int) {
    self.ink = ink
    self.width = min(max(width, 40), 160)
  }

  /// One line for the listing, or a few if the terminal is narrow.
  public func listing(_ scenario: Scenario, nameWidth: Int) -> String {
    Wrapping.paragraph("  " + scenario.name, scenario.title, column: nameWidth + 4, width: width)
  }

  /// What stands before the scenarios of a subject.
  public func heading(_ subject: Subject) -> String {
    bold(subject.title) + "\n" + Wrapping.paragraph("", subject.page, column: 2, width: width)
  }

  /// One result: verdict, three columns, what happened.
  public func block(_ result: ScenarioResult) -> String {
    let scenario = result.scenario
    var text = "\(verdict(result))  \(bold(scenario.name))\n"
    text += Wrapping.paragraph("", scenario.title, column: 6, width: width)
    text += row("the article", scenario.source.rawValue)
    text += row("it says", scenario.article)
    text += row("the documents say", scenario.documents)
    text += row("measured here", result.measured)
    if let errs = scenario.errs { text += row("the article errs", errs) }
    if let scale = scenario.scale { text += row("scale", scale) }
    if !result.message.isEmpty, !result.measured.contains(result.message) { text += row("the library said", result.message) }
    for failure in result.failures {
      text += row(red("expected"), failure.expected, label: "expected")
      text += row(red("happened"), failure.happened, label: "happened")
    }
    text += trace(result.events)
    return text + (Registry.subject(of: scenario.name).map { row("read on", $0.page) } ?? "")
  }

  /// The places where articles err, and the summary.
  public func foot(_ results: [ScenarioResult], seconds: Double) -> String {
    var text = ""
    let erring = results.compactMap { result in result.scenario.errs.map { (result: result, errs: $0) } }
    if !erring.isEmpty {
      text += bold("Where the articles err") + "\n"
      for source in Source.allCases {
        let its = erring.filter { $0.result.scenario.source == source }
        if !its.isEmpty { text += Wrapping.paragraph("  ", "\(source.rawValue): \(source.content)", column: 2, width: width) }
        for (result, errs) in its {
          let evidence = " (\(result.scenario.name)\(result.hasPassed ? "" : ": not confirmed, it failed"))"
          text += Wrapping.paragraph("    -", errs + evidence, column: 6, width: width)
        }
      }
      text += "\n"
    }
    let failed = results.filter { !$0.hasPassed }
    if !failed.isEmpty {
      text += Wrapping.paragraph("failed: ", failed.map(\.scenario.name).joined(separator: ", "), column: 8, width: width)
    }
    let passed = results.count - failed.count
    let summary = "\(results.count) \(results.count == 1 ? "scenario" : "scenarios"): \(passed) passed, \(failed.count) failed"
    let whole = "\(summary); the articles err in \(erring.count); \(fixedText(seconds, digits: 1)) s"
    return text + Wrapping.paragraph("", whole, column: 0, width: width)
  }

  // MARK: parts

  /// `shown` is the label with its colours, `label` the same without, for the width.
  private func row(_ shown: String, _ text: String, label: String? = nil) -> String {
    let plain = "      " + (label ?? shown)
    let paragraph = Wrapping.paragraph(plain, text, column: 6 + Self.column - 2, width: width)
    return label == nil ? paragraph : "      " + shown + paragraph.dropFirst(plain.count)
  }

  private func trace(_ events: [Event]) -> String {
    guard !events.isEmpty else { return row("what happened", "nothing was noted") }
    var text = "      what happened\n"
    let shown = events.count <= Self.mostEvents ? events[...] : events.prefix(Self.mostEvents - 3)
    let threadWidth = shown.map(\.thread.count).max() ?? 0
    let queueWidth = min(shown.map { ($0.queue ?? "-").count }.max() ?? 0, 28)
    for (number, event) in shown.enumerated() {
      let place = extended(event.thread, to: threadWidth) + "  " + extended(Self.shortened(event.queue ?? "-"), to: queueWidth)
      let head = "        \(padded("\(number + 1)", to: 2))  \(place)  "
      text += Wrapping.paragraph(head, event.text, column: head.count, width: width)
    }
    if shown.count < events.count { text += "        and \(events.count - shown.count) more of the kind\n" }
    return text
  }

  private static let mostEvents = 16

  private static func shortened(_ label: String) -> String { label.count <= 28 ? label : label.prefix(27) + "…" }

  private func verdict(_ result: ScenarioResult) -> String { result.hasPassed ? colour("PASS", 32) : red("FAIL") }
  private func red(_ text: String) -> String { colour(text, 31) }
  private func bold(_ text: String) -> String { colour(text, 1) }
  private func colour(_ text: String, _ code: Int) -> String { ink == .coloured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
