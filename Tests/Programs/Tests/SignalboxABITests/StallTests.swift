// StallTests.swift: waits with nobody left in a C program that knows nothing of us, under `signalbox run --watch`: each is reported
// with its cause, and what comes late is not taken for it (Probes/CStalls).
import struct Foundation.Data
import class Foundation.JSONSerialization
import SignalboxSystem
import SignalboxTestSupport
import Testing

/// One deed of the probe and what must be reported of it.
private struct Stall: Sendable, CustomTestStringConvertible {
  let name: String
  let message: [String]
  /// 134 is SIGABRT.
  var status: Int32 = 134
  /// What must not be reported.
  var never = ["suspected", "done\n"]
  /// Seconds after which it is ended, if it would not end.
  var limit: Int?

  init(_ name: String, stops message: String...) { (self.name, self.message) = (name, ["deadlock: "] + message) }
  init(_ name: String, suspects message: String...) {
    (self.name, self.message, status, never) = (name, ["suspected deadlock: "] + message + ["done\n"], 0, [": deadlock: "])
  }
  init(silent name: String) { (self.name, message, status, never) = (name, ["done\n"], 0, ["deadlock"]) }

  /// Waits on forever, after a suspicion or in silence.
  init(_ name: String, goesOn message: String..., never: String...) { self.init(name, message, never) }
  init(_ name: String, never: String...) { self.init(name, [], never) }
  private init(_ name: String, _ message: [String], _ never: [String]) {
    (self.name, self.message, status) = (name, message, 124)
    (self.never, limit) = ([": deadlock: ", "done\n"] + never, 5)
  }

  var testDescription: String { name }
}

private let still =
  "suspected deadlock: for 0.2 s now nothing can happen any more: no thread runs, nothing is queued, no timer is armed"

private let stalls = [
  // First, because their time counts: nobody is at work on a report yet.
  Stall(silent: "soon"), Stall(silent: "timed"), Stall(silent: "slow"),
  Stall("semaphore", stops: "nothing is left that could end this wait", "  semaphore 0x", "nothing is left to signal it"),
  Stall("semaphore-on-thread", stops: "nothing is left to signal it"),
  Stall("crosswise", stops: "nothing is left that could end these 2 waits"),
  Stall("group", stops: "  group 0x", "(1 inside): nothing is left to leave it", "entered once at:", "balance every enter()"),
  Stall("suspended", stops: "  serial queue \"stopped\": suspended, and nothing is left to resume it", "fix: resume()"),
  Stall("inactive", stops: "  serial queue \"asleep\": never activated, and nothing is left to activate it"),
  Stall("pool", stops: "work is queued, and all 4 worker threads wait for others, forever", "runs: async"),
  Stall(
    "main-parked", stops: "items lie in the main queue, and the main thread waits, forever", "do not wait on the main thread"),
  Stall("main-ended", stops: "items lie in the main queue, and the main thread has ended", "inside: an item of global queue"),
  Stall(
    "main-reads", suspects: "items lie in the main queue, and the main thread is elsewhere: thread \"",
    "asleep in read"),
  Stall(
    "reader", suspects: "nothing is left that could end this wait", "it might still be ended by thread \"",
    "asleep in read"),
  // Sleep that ends by its time: nothing is suspected, of its thread or of those that wait for it.
  Stall(silent: "main-elsewhere"), Stall(silent: "sleeper"), Stall(silent: "monitored"),
  Stall(
    "condition-in-c", goesOn: still, "no item of a queue has run", " waits for a lock or condition of the C library:",
    "condition_in_c"),
  Stall("mutex-twice", goesOn: "suspected deadlock: ", "mutex_twice", "mutex 0x"),
  Stall("mutex-twice-beside-a-runner", goesOn: "suspected deadlock: ", "mutex_twice"),
  Stall("condition-in-child", goesOn: still, " waits for a lock or condition of the C library:", "condition_in_child"),
  Stall("later", suspects: "events came, but none has helped", "it might still be ended by a timer that is armed"),
  Stall(
    "handler", suspects: "nothing is left that could end this wait",
    "it might still be ended by a signal that the program handles: SIGALRM"),
  Stall("timer-on-thread", suspects: "nothing is left that could end this wait", "it might still be ended by thread \""),
  Stall("crash-handler", stops: "nothing is left that could end this wait"),
  Stall("nothing-left", goesOn: still, "what ran last, ", " s ago: async: ran_last", never: "it might still be ended"),
  Stall(
    "nothing-left-but-a-signal", goesOn: still, "what ran last, ",
    "it might still be ended by a signal that the program handles: SIGUSR1"),
  Stall("nothing-left-of-threads", goesOn: still, never: "it might still be ended"),
  Stall("timer-left", never: "suspected"), Stall("reader-left", never: "suspected"), Stall("sleeper-left", never: "suspected"),
  Stall(
    "group-held", stops: "(2 inside): nothing is left to leave it", "entered 2 times at:",
    "serial queue \"held\": suspended with 2 items in it (all of group 0x", "    holds: async: ", "stopped at:",
    "fix: resume()"),
]

@Suite("Waits with nobody left, through the C interface") struct StallTests {
  /// Each deed's run. They mostly wait, so they are done several at a time, all when the first is asked for.
  private static let runs: [String: Result<Run, any Error>] = {
    let runs = sideBySide(stalls, width: 4) { stall in
      try Run("CStallProbe", stall.name, options: "--watch=0.2", changes: ["SIGNALBOX_MAX_THREADS": "4"], limit: stall.limit)
    }
    return Dictionary(uniqueKeysWithValues: zip(stalls.map(\.name), runs))
  }()

  @Test("A wait that nothing is left to end is reported with its cause, any other is not", arguments: stalls)
  fileprivate func deeds(_ stall: Stall) throws {
    let run = try #require(Self.runs[stall.name]).get()
    #expect(run.status == stall.status, "\(run.text)")
    for part in stall.message { #expect(run.text.contains(part), "\(part) is missing in \(run.text)") }
    for part in stall.never { #expect(!run.text.contains(part), "\(part) is reported in \(run.text)") }
    #expect(run.text.components(of: "deadlock: ") <= 1, "told once: \(run.text)")
  }

  @Test("The list of stalls has every one that the probe can do")
  func allOfThem() throws {
    let listed = try Run("CStallProbe", "").text.split(separator: "\n").map(String.init).filter { !$0.contains(" ") }
    #expect(Set(listed) == Set(stalls.map(\.name)))
  }

  @Test("--json=FILE gets the report as one object; the program waits on where the policy says so")
  func json() throws {
    let file = "/tmp/signalbox-stall-\(ProcessDescriptor.own)-\(UInt64.random(in: 0 ... .max)).json"
    defer { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-f", RawString(file)], environment: []) }
    let run = try Run(
      "CStallProbe", "soon", options: "--watch=0.2 --json=\(file)", changes: ["SIGNALBOX_DEADLOCK": "report"])
    #expect(run.status == 0 && (try? Files.realPath(RawString(file))) == nil, "nothing found, nothing written: \(run.text)")
    let stopped = try Run("CStallProbe", "semaphore", options: "--watch=0.2 --json=\(file)")
    #expect(stopped.status == 134)
    let bytes = Data(try FileBytes(RawString(file)).read(at: 0, count: 100_000))
    let found = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    #expect(found["kind"] as? String == "stall" && found["certainty"] as? String == "certain")
    #expect((found["participants"] as? [[String: Any]])?.count == 1)
    #expect(try Run("CStallProbe", "group-held", options: "--watch=0.2 --json=\(file)").status == 134)
    // One line each.
    let lines = try FileBytes(RawString(file)).read(at: 0, count: 200_000).split(separator: UInt8(ascii: "\n"))
    let report = try #require(JSONSerialization.jsonObject(with: Data(lines.last ?? [])) as? [String: Any])
    let objects = try #require(report["objects"] as? [[String: Any]])
    #expect(objects.count == 2 && (objects[1]["items"] as? [[String: Any]])?.count == 2)
    #expect((objects[1]["stopped"] as? [String])?.isEmpty == false && report["cause"] as? String == "all wait")
  }

  @Test("Without --watch no stall is reported; with SIGNALBOX_DEADLOCK=report one is, and the program waits on")
  func policies() throws {
    let ways: [(deed: String, options: String, policy: RawString?, limit: Int)] = [
      ("semaphore", "", nil, 2), ("group", "--watch=0.1", "report", 8), ("group", "--watch=0.1", "ignore", 2),
    ]
    let runs = try sideBySide(ways) { way in
      try Run(
        "CStallProbe", way.deed, options: way.options, changes: way.policy.map { ["SIGNALBOX_DEADLOCK": $0] } ?? [:],
        limit: way.limit)
    }.map { try $0.get() }
    let (off, report, ignore) = (runs[0], runs[1], runs[2])
    #expect(off.status == 124 && !off.text.contains("deadlock"), "\(off.text)")
    #expect(report.status == 124 && report.text.components(of: "deadlock: ") == 1, "\(report.text)")
    #expect(ignore.status == 124 && !ignore.text.contains("deadlock"), "\(ignore.text)")
  }

  @Test("A value that is no number is reported, and the program runs")
  func misuse() throws {
    let run = try Run("CStallProbe", "timed", changes: ["SIGNALBOX_WATCH": "soon"])
    #expect(run.status == 0 && run.text.contains("SIGNALBOX_WATCH=soon is not a number of seconds"), "\(run.text)")
    let refused = try Run("CStallProbe", "timed", options: "--watch=soon")
    #expect(refused.status == 64 && refused.text.contains("--watch=soon is not a number of seconds"), "\(refused.text)")
  }
}

extension String {
  /// How often `part` is reported.
  fileprivate func components(of part: String) -> Int {
    var (count, rest) = (0, Substring(self))
    while let found = rest.firstRange(of: part) {
      count += 1
      rest = rest[found.upperBound...]
    }
    return count
  }
}
