// RaceAct.swift: act 3: a race between an answer and a timeout that lie 19 ms apart: plain runs do not meet it, the explorer does.
import SignalboxCommandLine

enum RaceAct {
  static func play(_ stage: borrowing Stage, _ page: Page) throws(DemoRefusal) -> Scene {
    var scene = Scene(
      3, "A race that testing does not show",
      about:
        "A request ends once: with its answer after 1 ms, or with its timeout after 20 ms. It asks whether it is over, and "
        + "then notes that it is: two steps, and nothing keeps the other end from coming in between.",
      advice: "signalbox explore -- PROGRAM")
    let plain = try runPlainly(stage)
    scene.show([
      "     " + Page.padded("toolchain", 19)
        + "\(plain.runs) runs in \(Page.seconds(plain.seconds)), of which \(plain.failed == 0 ? "none" : "\(plain.failed)") failed"
    ])
    scene.note(
      "toolchain",
      .object([
        ("runs", .number(Double(plain.runs))), ("failed", .number(Double(plain.failed))), ("seconds", .number(plain.seconds)),
      ]))

    let found = try stage.explore(.race, ["--json", "/dev/stdout"], seconds: 120)
    let facts = found.text.split(separator: "\n").compactMap { JSON($0) }
    let failure = facts.first { $0["failure"].string != nil }
    let summary = facts.first { $0["summary"].boolean == true }
    let token = failure?["token"].string ?? ""
    let schedules = summary?["schedules"].integer ?? 0
    scene.show([
      "     " + Page.padded("signalbox explore", 19)
        + (token.isEmpty
          ? "nothing found in \(schedules) schedules"
          : "fails in schedule \(failure?["schedule"].integer ?? 0), after \(Page.seconds(found.seconds))")
    ])
    scene.note(
      "explore",
      .object([
        ("seconds", .number(found.seconds)), ("schedules", .number(Double(schedules))),
        ("token", token.isEmpty ? .null : .string(token)),
        ("switches", failure.map { $0["switches"] } ?? .null),
        ("switchesBefore", failure.map { $0["switchesBefore"] } ?? .null),
      ]))
    scene.claim("signalbox explore finds the race", !token.isEmpty)
    guard let failure, !token.isEmpty else { return scene }

    let report = (failure["text"].string ?? "").replacing(stage.folder, with: "").split(separator: "\n").map(String.init)
    let (left, before) = (failure["switches"].integer ?? 0, failure["switchesBefore"].integer ?? 0)
    scene.show(["", "   \(left) switches of threads matter, of the \(before) that it had:"])
    let from = report.firstIndex { $0.hasSuffix("the switches that matter:") }.map { $0 + 1 } ?? report.count
    scene.show(report[from...].prefix { $0.hasPrefix("    ") }.map { Page.cut(" " + $0) })

    let again = try stage.explore(.race, ["--replay", token], seconds: 120)
    let said = again.text.split(separator: "\n").first { $0.contains("| ") }.map { String($0.drop { $0 != "|" }.dropFirst(2)) }
    scene.show(
      [""] + Page.wrapped("Its token replays it: \"\(said ?? "")\"", indent: 3, hanging: 0)
        + ["     signalbox explore --replay \(token.prefix(28))… -- ./race"])
    scene.note("replay", again, [("text", .string(again.text))])
    scene.claim("its token replays it", again.end == .exit(1) && said?.contains("has ended 2 times") == true)
    return scene
  }

  /// Up to 300 runs on the toolchain's library, for five seconds at most.
  private static func runPlainly(_ stage: borrowing Stage) throws(DemoRefusal) -> (runs: Int, failed: Int, seconds: Double) {
    var plain = (runs: 0, failed: 0, seconds: 0.0)
    let (most, limit) = stage.isQuick ? (20, 1.0) : (300, 5.0)
    while plain.runs < most, plain.seconds < limit {
      stage.progress("toolchain: \(plain.runs) runs, \(plain.failed) failed")
      let run = try stage.run(.race, on: .toolchain, seconds: 30)
      plain = (plain.runs + 1, plain.failed + (run.end == .exit(0) ? 0 : 1), plain.seconds + run.seconds)
    }
    return plain
  }
}
