// ExploreResults.swift: failures and the summary for programs: an object a line, and as test runners write it.
import CSignalboxExplore
import SignalboxCommandLine

/// A failure as it is reported.
struct ToldFailure {
  let studied: StudiedFailure
  let text: String

  /// One object.
  var json: JSON {
    .object([
      ("failure", .string(studied.kind.rawValue)), ("token", .string(studied.token.text)),
      ("schedule", studied.run.map { .number(Double($0)) } ?? .null),
      ("strategy", .string(String(cString: sbx_strategy_name(studied.strategy)))),
      ("steps", .number(Double(studied.result.outcome.steps))),
      ("switches", .number(Double(studied.result.decisions.count))),
      ("switchesBefore", .number(Double(studied.decisionsBefore))), ("saved", .boolean(studied.isSaved)),
      ("text", .string(text)),
    ])
  }
}

/// What is reported at the end.
struct ExploreSummary {
  var counts: ExploreCounts
  /// How many different failures were reported.
  var failures: Int
  /// Saved tokens that show no failure any more.
  var dropped: [Token] = []
  var seconds: Double
  var seed: UInt64
  var floor: UInt64?
  /// What a run costs with nobody in control, where that was asked for.
  var free: UInt64?
  var isInterrupted: Bool

  /// `explored 2,000 schedules in 14.2 s (1 failed)   strategies: pos 600, pct3 300`.
  var text: String {
    var parts = [failed]
    if counts.stuck > 0 { parts.append("\(Self.grouped(counts.stuck)) stuck outside, abandoned") }
    if counts.outside > 0 {
      parts.append("\(Self.grouped(counts.outside)) not deterministic: something outside the program affected them")
    }
    if counts.unrepeated > 0 { parts.append("\(Self.grouped(counts.unrepeated)) of these failed, and not when run again") }
    let strategies = counts.perStrategy.enumerated().filter { $0.element > 0 && $0.offset > 0 }
      .map { "\(String(cString: sbx_strategy_name(UInt32($0.offset)))) \(Self.grouped($0.element))" }
    let tail = strategies.isEmpty ? "" : "   strategies: " + strategies.joined(separator: ", ")
    let head = isInterrupted ? "interrupted: explored" : "explored"
    let cut = counts.cut == 0 ? "" : "   \(Self.grouped(counts.cut)) that would only repeat others were cut short"
    if counts.isComplete {
      // The plain one is among them.
      let count = counts.perStrategy[Int(SBX_EXHAUSTIVE.rawValue)]
      let all = count == 1 ? "the only schedule" : "all \(Self.grouped(count)) schedules"
      let result = counts.failed == 0 ? "none fails" : parts[0]
      return "\(all): \(result) (in \(tenths(seconds)) s\(parts.dropFirst().map { ", " + $0 }.joined()))\(cut)"
    }
    var what = Self.counted(counts.runs, "schedule")
    if counts.saved > 0 { what += " and \(Self.grouped(counts.saved)) saved" }
    return "\(head) \(what) in \(tenths(seconds)) s (\(parts.joined(separator: ", ")))\(tail)\(cut)"
  }

  /// One number where each schedule that failed is reported; else both, by name: the same failure is met more than once.
  private var failed: String {
    guard counts.failed > 0 else { return "none failed" }
    if UInt64(failures) == counts.failed { return "\(Self.grouped(counts.failed)) failed" }
    return "\(Self.counted(UInt64(failures), "different failure")) in \(Self.counted(counts.failed, "schedule")) that failed"
  }

  private static func counted(_ number: UInt64, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// The last line of the file.
  var json: JSON {
    let runs = Double(max(1, counts.runs))
    let strategies = counts.perStrategy.enumerated().filter { $0.element > 0 }
      .map { (name: String(cString: sbx_strategy_name(UInt32($0.offset))), value: JSON.number(Double($0.element))) }
    return .object([
      ("summary", .boolean(true)), ("schedules", .number(Double(counts.runs))), ("failed", .number(Double(counts.failed))),
      ("failures", .number(Double(failures))), ("saved", .number(Double(counts.saved))),
      ("dropped", .array(dropped.map { .string($0.text) })),
      ("stuck", .number(Double(counts.stuck))), ("outside", .number(Double(counts.outside))),
      ("unrepeated", .number(Double(counts.unrepeated))), ("seconds", .number(seconds)), ("seed", .number(Double(seed))),
      ("stepsPerSchedule", .number(Double(counts.steps) / runs)),
      ("switchesPerSchedule", .number(Double(counts.switches) / runs)),
      ("microsecondsPerSchedule", .number(Double(counts.processorTime) / runs / 1e3)),
      ("complete", .boolean(counts.isComplete)), ("cut", .number(Double(counts.cut))),
      ("floorMicroseconds", floor.map { .number(Double($0) / 1e3) } ?? .null),
      ("freeMicroseconds", free.map { .number(Double($0) / 1e3) } ?? .null),
      ("strategies", .object(strategies)), ("interrupted", .boolean(isInterrupted)),
    ])
  }

  static func grouped(_ number: UInt64) -> String {
    let digits = String(number)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }
}

func tenths(_ number: Double) -> String {
  let tenth = Int((number * 10).rounded())
  return "\(tenth / 10).\(tenth % 10)"
}

/// The result as an XML file of test suites.
enum XUnit {
  static func text(_ program: String, _ summary: ExploreSummary, _ failures: [ToldFailure]) -> String {
    let name = escaped(program)
    let head = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
        <testsuite name="signalbox explore" tests="1" failures="\(failures.isEmpty ? 0 : 1)" errors="0" time="\(tenths(summary.seconds))">
          <testcase classname="explore" name="\(name)" time="\(tenths(summary.seconds))">

      """
    let body = failures.map { failure in
      "      <failure message=\"\(escaped(failure.studied.kind.rawValue)) \(failure.studied.token.text)\">\(escaped(failure.text))</failure>\n"
    }
    let tail = """
            <system-out>\(escaped(summary.text))</system-out>
          </testcase>
        </testsuite>
      </testsuites>

      """
    return head + body.joined() + tail
  }

  /// Control characters, and two that are none, have no place in XML.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "?"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
