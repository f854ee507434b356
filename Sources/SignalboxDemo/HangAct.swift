// HangAct.swift: act 2: two queues that wait for each other: silence on the toolchain's library, a report under
// `signalbox run`. And a server that hangs in `await` on the toolchain's libraries, read from outside by `signalbox
// inspect`.
import SignalboxCommandLine

enum HangAct {
  /// - Parameter isWhole: whether the report is shown as it is, not its main lines alone.
  static func play(_ stage: borrowing Stage, _ page: Page, isWhole: Bool) throws(DemoRefusal) -> Scene {
    var scene = Scene(
      2, "A hang that names itself",
      about: "A transfer holds its account and wants the journal, while an audit holds the journal and wants the account.",
      advice: "signalbox run --watch -- PROGRAM")
    let stock = try stage.run(.hang, on: .toolchain, seconds: stage.isQuick ? 1 : 5)
    let ours = try stage.run(.hang, on: .signalbox, seconds: 30)
    let report = ours.text.replacing(stage.folder, with: "").split(separator: "\n").map(String.init)
    scene.show(
      [
        "     " + Page.padded("toolchain", 15) + (stock.text.isEmpty ? "prints nothing; " : "prints something; ")
          + "\(stock.endWords) after \(Page.seconds(stock.seconds))",
        "     " + Page.padded("signalbox run", 15) + "\(ours.endWords) after \(Page.seconds(ours.seconds)), and says:", "",
      ]
        + (isWhole ? report : mainLines(of: report)).flatMap {
          Page.wrapped($0.trimmed, indent: 3 + $0.indentation, hanging: 2)
        })
    if !isWhole { scene.show(["   " + page.paint(.quiet, "(\(report.count) lines; all of them: signalbox demo --act 2)")]) }

    scene.note("toolchain", stock, [("text", .string(stock.text))])
    scene.note("signalbox run", ours, [("text", .string(ours.text))])
    scene.claim("the toolchain's library leaves the program hanging without a word", stock.wasStopped && stock.text.isEmpty)
    scene.claim("the program ends by SIGABRT under signalbox run", ours.end == .signal(6))
    let lines = ["journal.sync { lines", "account.sync { lines"].compactMap(DemoProgram.hang.line(of:))
    scene.claim(
      "the report names the deadlock, and the lines \(lines.map(String.init).joined(separator: " and ")) of hang.swift",
      ours.text.contains("deadlock: 2 threads wait for one another") && lines.count == 2
        && lines.allSatisfy { ours.text.contains("hang.swift:\($0)") })
    try playServer(stage, &scene)
    return scene
  }

  /// The second half: no thread waits, so nothing but the tasks says why.
  private static func playServer(_ stage: borrowing Stage, _ scene: inout Scene) throws(DemoRefusal) {
    let found = try stage.inspect(.server, seconds: 60)
    let text = found.text.replacing(stage.folder, with: "")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let about =
      "In `await` no thread waits. A server lends two connections; two requests fail and keep theirs, six wait. It runs on "
      + "the toolchain's libraries, and knows nothing of being read:"
    scene.show(
      [""] + Page.wrapped(about, indent: 3)
        + ["", "     signalbox inspect PID, after \(Page.seconds(found.seconds)):", ""]
        + taskLines(of: text).flatMap { Page.wrapped($0.trimmed, indent: 3 + $0.indentation, hanging: 2) })
    scene.note("signalbox inspect", found, [("text", .string(found.text))])
    let lines = ["await withCheckedContinuation", "await connections.lease()"].compactMap(DemoProgram.server.line(of:))
    scene.claim(
      "inspect names requests, and the lines \(lines.map(String.init).joined(separator: " and ")) of server.swift in which "
        + "they wait",
      found.text.contains("GET /orders/") && lines.count == 2
        && lines.allSatisfy { line in text.contains { $0.contains("server.swift:\(line)") && $0.contains("a continuation") } })
  }

  /// How many tasks there are, and those that do the same at the same place.
  static func taskLines(of lines: [String]) -> [String] {
    guard let first = lines.firstIndex(where: { $0.contains(" tasks: ") && $0.first?.isNumber == true }) else { return [] }
    let table = lines[first...].prefix { !$0.isEmpty }
    return Array(table.prefix(1)) + table.dropFirst(2).prefix(mostRows)
  }
  private static let mostRows = 2

  /// The heading, what each thread runs, holds and wants with its first frame of the program, and the fix.
  static func mainLines(of report: [String]) -> [String] {
    var lines: [String] = []
    for line in report {
      let text = line.trimmed
      if text.contains(": deadlock: ") || text.hasPrefix("fix:") { lines.append(line) }
      if text.hasPrefix("thread "), text.contains(", waiting for ") { lines.append(line.cut(before: ", waiting for ") + ":") }
      if text.hasPrefix("holds:") || text.hasPrefix("wants:") {
        lines.append(line.replacing("<", with: "").cut(before: "\" 0x") + "\"")
      }
      if text.hasPrefix("0 ") { lines.append(line.cutIndentation(by: 2).replacing(" 0 ", with: " at: ")) }
    }
    return lines
  }
}

extension String {
  fileprivate var indentation: Int { prefix { $0 == " " }.count }
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
  /// What stands before `mark`; all, if it is not there.
  fileprivate func cut(before mark: String) -> String { firstRange(of: mark).map { String(self[..<$0.lowerBound]) } ?? self }
  fileprivate func cutIndentation(by count: Int) -> String { String(dropFirst(Swift.min(count, indentation))) }
}
