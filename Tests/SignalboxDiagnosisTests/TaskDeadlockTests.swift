// TaskDeadlockTests.swift: reports of programs whose tasks hang inside of calls that block (Probes/TaskDeadlocks): on
// the toolchain's library under `signalbox run`, the same optimised, and with Signalbox in them. Each task that takes
// part is named, with the functions under way and those that await them, the innermost first.
import Foundation
import SignalboxSystem
import SignalboxTestSupport
import Testing

/// The ways in which the one text is compiled and run.
private enum Way: String, CaseIterable, CustomTestStringConvertible {
  case run = "TaskDeadlocks", optimised = "TaskDeadlocksOptimised", imported = "TaskDeadlocksImported"
  var testDescription: String { rawValue }
}

/// One case of the probe.
private struct Hang: Sendable, CustomTestStringConvertible {
  let name: String
  /// What the report says first.
  let summary: String
  /// The tasks that take part, by their names, with functions and the words that mark their lines.
  let tasks: [String: [Step]]

  struct Step: Sendable {
    let function: String, mark: String
    init(_ function: String, _ mark: String) { (self.function, self.mark) = (function, mark) }
  }
  var testDescription: String { name }

  static let all = [
    Hang(
      name: "semaphore", summary: "deadlock: nothing is left that could end these 2 waits, forever",
      tasks: [
        "order-42": [
          .init("block(_:)", "wait"), .init("ask(_:)", "ask"), .init("handle(_:)", "handle"),
          .init("closure #1 in hangInSemaphores()", "order"),
        ],
        "replies": [
          .init("block(_:)", "wait"), .init("reply()", "reply"), .init("closure #2 in hangInSemaphores()", "replies"),
        ],
      ]),
    Hang(
      name: "queues", summary: "deadlock: 2 threads wait for one another, forever",
      tasks: [
        "transfer": [
          .init("closure #1 in Store.post(_:)", "post"), .init("Store.post(_:)", "turn"), .init("transfer(_:_:)", "transfer"),
          .init("closure #1 in hangInQueues()", "queues"),
        ]
      ]),
    Hang(
      name: "actor", summary: "deadlock: nothing is left that could end these 2 waits, forever",
      tasks: [
        "keeper": [
          .init("Store.save(_:)", "save"), .init("keep(_:_:)", "keep"), .init("closure #1 in hangInActor()", "actor"),
        ]
      ]),
    // With Signalbox in it, it is certain; of the toolchain's Foundation it is not known.
    Hang(
      name: "condition", summary: "deadlock: ",
      tasks: [
        "filler": [
          .init("awaitFull()", "full"), .init("fill(_:)", "fill"), .init("closure #1 in hangInCondition()", "condition"),
        ]
      ]),
    Hang(
      name: "locks", summary: "deadlock: 2 threads wait for one another, ",
      tasks: [
        "deposit": [
          .init("move(_:from:to:isFirst:)", "move"), .init("deposit(_:)", "deposit"),
          .init("closure #1 in hangInLocks()", "depositing"),
        ],
        "": [
          .init("move(_:from:to:isFirst:)", "move"), .init("withdraw(_:)", "withdraw"),
          .init("closure #2 in hangInLocks()", "withdrawing"),
        ],
      ]),
  ]
}

/// The text of the probe.
private enum ProbeText {
  /// The line that a word marks.
  static func line(_ mark: String) throws -> Int {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../Probes/TaskDeadlocks/TaskDeadlocks.swift")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    return try #require(lines.firstIndex { $0.hasSuffix("// at: \(mark)") }, "no line is marked \(mark)") + 1
  }
}

/// A program that hangs, until it has said why; ended with the value.
private final class HangingProgram {
  let text: String
  let report: [String: Any]

  /// - Parameter helper: the program that finds files and lines; nil: the one that reports find themselves.
  init(_ way: Way, _ hang: Hang, helper: String? = nil) throws {
    let tests = try Files.realPath("/proc/self/exe").description
    let folder = tests[...(tests.lastIndex(of: "/") ?? tests.startIndex)]
    let file = "/tmp/signalbox-task-deadlock-\(ProcessDescriptor.own)-\(UInt64.random(in: 0 ... .max)).json"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let run = way == .imported ? "" : "'\(folder)signalbox' run -- "
    let child = try ChildProcess(
      "/bin/sh", ["-c", "ulimit -c 0; exec \(run)'\(folder)\(way.rawValue)' \(hang.name)"],
      adding: [
        "SIGNALBOX_WATCH": "0.2", "SIGNALBOX_LOCK_ORDER": "off", "SIGNALBOX_REPORT_JSON": file, "SIGNALBOX_STACKS": "",
        "SIGNALBOX_DEADLOCK": "report", "SIGNALBOX_SUSPECT_AFTER": "0",
      ].merging(helper.map { ["SIGNALBOX_SYMBOLICATOR": $0] } ?? [:]) { $1 })
    defer { child.kill() }
    func said() -> String { String(decoding: child.errorOutput, as: UTF8.self) }
    func line() -> Data? { (try? Data(contentsOf: URL(filePath: file)))?.split(separator: 10).first.map { Data($0) } }
    // The file is written after the lines on standard error.
    let isTold = eventually {
      _ = child.read(milliseconds: 50)
      return line().map { (try? JSONSerialization.jsonObject(with: $0)) != nil } ?? false
    }
    text = said()
    let written = try #require(isTold ? line() : nil, "nothing is reported: \(said())")
    report = try #require(JSONSerialization.jsonObject(with: written) as? [String: Any])
  }

  /// What the report says of the task of that name, behind its title; nil: nothing.
  func chain(ofTask name: String) -> String? {
    let title = name.isEmpty ? ": " : " \"\(name)\": "
    for line in text.split(separator: "\n") where line.hasPrefix("    in task ") {
      let rest = line.dropFirst("    in task ".count).drop(while: \.isNumber)
      if rest.hasPrefix(title) { return String(rest.dropFirst(title.count)) }
    }
    return nil
  }
}

@Suite("Tasks in reports of deadlocks") struct TaskDeadlockTests {
  @Test(
    "Each task that takes part is named with the functions under way and those that await them", arguments: Way.allCases,
    Hang.all)
  fileprivate func named(way: Way, hang: Hang) throws {
    let program = try HangingProgram(way, hang)
    #expect(program.text.contains(hang.summary), "\(program.text)")
    for (name, steps) in hang.tasks {
      let chain = try #require(program.chain(ofTask: name), "task \(name) is missing: \(program.text)")
      let found = chain.components(separatedBy: " ← ")
      let wanted = try steps.map { "\($0.function) \(try ProbeText.line($0.mark))" }
      #expect(found.map(Self.short) == wanted, "\(program.text)")
    }
  }

  /// `save(_:) at …/TaskDeadlocks.swift:41` without the path.
  private static func short(_ step: String) -> String {
    let parts = step.components(separatedBy: " at ")
    guard parts.count == 2, let line = parts[1].split(separator: ":").last, parts[1].contains("TaskDeadlocks.swift:") else {
      return step + " "
    }
    return "\(parts[0]) \(line)"
  }

  @Test("Without a helper that finds lines the chain has functions alone", arguments: Way.allCases)
  fileprivate func functions(way: Way) throws {
    let hang = try #require(Hang.all.first { $0.name == "semaphore" })
    let program = try HangingProgram(way, hang, helper: "/none")
    for (name, steps) in hang.tasks {
      #expect(program.chain(ofTask: name) == steps.map(\.function).joined(separator: " ← "), "\(program.text)")
    }
  }

  @Test(
    "The JSON has each participant's task with number, name and functions, and none for one without", arguments: Way.allCases)
  fileprivate func json(way: Way) throws {
    let hang = try #require(Hang.all.first { $0.name == "queues" }), report = try HangingProgram(way, hang).report
    #expect(report["kind"] as? String == "deadlock")
    let participants = try #require(report["participants"] as? [[String: Any]])
    let tasks = participants.compactMap { $0["task"] as? [String: Any] }
    #expect(participants.count == 2 && tasks.count == 1 && participants.allSatisfy { $0.keys.contains("task") })
    #expect(tasks[0]["name"] as? String == "transfer" && (tasks[0]["number"] as? Int ?? 0) > 0)
    let awaits = try #require(tasks[0]["awaits"] as? [[String: Any]]), steps = try #require(hang.tasks["transfer"])
    #expect(awaits.map { $0["function"] as? String } == steps.map(\.function), "\(awaits)")
    let lines = try steps.map { try ProbeText.line($0.mark) }
    #expect(awaits.map { $0["line"] as? Int ?? 0 } == lines, "\(awaits)")
    #expect(awaits.allSatisfy { ($0["file"] as? String)?.hasSuffix("TaskDeadlocks.swift") == true }, "\(awaits)")
  }
}
