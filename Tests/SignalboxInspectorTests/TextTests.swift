// TextTests.swift: command lines, tables and pictures, from inspections that tests make.
import SignalboxCommandLine
import SignalboxWords
import Testing

@testable import SignalboxInspector

@Suite("Tables and pictures of inspections") struct TextTests {
  /// An inspection from what a process might answer.
  private func made(_ threads: String, queues: String = "", cycles: String = "") throws -> Inspection {
    let json = try #require(
      JSON(
        "{\"version\":1,\"process\":7,\"copy\":\"/bin/probe\",\"circles\":[\(cycles)],\"threads\":[\(threads)],\"queues\":[\(queues)],"
          + "\"pools\":[],\"timers\":2,\"unread\":[\"the moon\"],\"images\":[]}"))
    return try #require(Inspection(json))
  }

  private func waiting(_ thread: Int, _ seconds: Double, _ object: String, for holder: Int? = nil) -> String {
    "{\"thread\":\(thread),\"name\":\"t\(thread)\",\"state\":\"sleeps\",\"waits\":{\"kind\":\"mutex\",\"object\":\"\(object)\",\"seconds\":\(seconds),"
      + "\"limited\":false,\"because\":\"\(holder == nil ? "no thread" : "held")\",\"for\":[\(holder.map { "\($0)" } ?? "")]}}"
  }

  @Test("Command lines")
  func options() throws {
    let all = try InspectOptions(["12", "--all", "--stacks", "--svg", "a.svg"])
    #expect(all.process == 12 && all.wantsAll && all.wantsStacks && all.picture == "a.svg" && !all.isJSON)
    #expect(try InspectOptions(["--json", "12"]).isJSON && InspectOptions(["--help"]).wantsHelp)
    #expect(try InspectOptions(["--svg=b", "3"]).picture == "b")
    #expect(try InspectOptions(["--wide", "3"]).isWide && !all.isWide)
    let core = try InspectOptions(["--core", "a.core", "program", "--all"])
    #expect(core.core == "a.core" && core.program == "program" && core.wantsAll && core.process == 0)
    let top = try TopOptions(["9", "--interval", "0.5", "--count", "3"])
    #expect(top.process == 9 && top.interval == 0.5 && top.count == 3)
  }

  @Test(
    "Wrong command lines",
    arguments: [
      ([], "one process is to be named, by its number"), (["1", "2"], "one process is to be named, by its number"),
      (["x"], "\"x\" is no process's number"), (["-1"], "unknown option \"-1\""), (["0"], "\"0\" is no process's number"),
      (["1", "--svg"], "--svg needs a file"), (["1", "--record"], "--record needs a file"),
      (["1", "--record", "a", "--json"], "--record copies the recording, and shows nothing: leave the other options out"),
      (["--core"], "--core needs a file"), (["--core", "a"], "--core needs the core dump and the program that ran"),
      (["--core", "a", "b", "c"], "--core needs the core dump and the program that ran"),
      (["--core", "a", "b", "--record", "c"], "a core dump has no recording: --record needs a process"),
      (["1", "--json", "--all"], "--json has all that there is: --all is for tables"),
      (["1", "--json", "--wide"], "--json cuts nothing: --wide is for tables"),
    ])
  func wrongOptions(arguments: [String], message: String) {
    #expect(throws: InspectRefusal(.usage, message)) { try InspectOptions(arguments) }
  }

  @Test(
    "Wrong command lines of top",
    arguments: [
      (["1", "--interval", "0"], "--interval needs seconds, from 0.1 to 3600"),
      (["1", "--count", "0"], "--count needs a number of tables"),
      (["--count"], "--count needs a number of tables"), ([], "one process is to be named, by its number"),
    ])
  func wrongTopOptions(arguments: [String], message: String) {
    #expect(throws: InspectRefusal(.usage, message)) { try TopOptions(arguments) }
  }

  @Test("Cycles come first, then who waits longest")
  func order() throws {
    let threads = [waiting(1, 1, "0xa"), waiting(2, 9, "0xb", for: 3), waiting(3, 4, "0xc", for: 2)].joined(separator: ",")
    let inspection = try made(threads, cycles: "{\"certainty\":\"suspected\",\"threads\":[2,3]}")
    let text = InspectionTables([inspection], process: "7 (probe)", InspectOptions()).text
    let places = [
      "suspected deadlock: 2 threads wait for one another",
      "thread 2 \"t2\" waits for 9.0 s for mutex 0xb, and so for thread 3 \"t3\"",
      "waits, the longest first", "9.0 s  thread 2", "4.0 s  thread 3", "1.0 s  thread 1", "2 timers armed",
      "not read: the moon",
    ].map { text.firstRange(of: $0)?.lowerBound }
    #expect(places.allSatisfy { $0 != nil }, "\(text)")
    #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted(), "\(text)")
    #expect(text.contains("thread 3 \"t3\" has it") && text.contains("no thread has it at this moment"))
  }

  @Test("A stack that is missing or ends early says why")
  func stackEnds() throws {
    func text(_ stack: String) throws -> String {
      let thread = "{\"thread\":1,\"name\":\"t\",\"state\":\"runs\",\"inside\":[{\"queue\":\"0x1\",\"as\":\"item\"}]\(stack)}"
      return InspectionTables([try made(thread)], process: "7 (probe)", try InspectOptions(["7", "--stacks"])).text
    }
    #expect(try text("").contains("\n  its stack cannot be had\n"))
    #expect(try text(",\"stackEnds\":\"the moon\"").contains("\n  its stack cannot be had: the moon\n"))
    #expect(try text(",\"stack\":[\"0x10\"],\"stackEnds\":\"the moon\"").contains("0x10\n  it ends here: the moon\n"))
    #expect(try !text(",\"stack\":[\"0x10\"]").contains("ends here"))
  }

  /// A queue with an item in it.
  private func queue(_ label: String, _ address: String, _ kind: String = "serial", _ besides: String = "") -> String {
    "{\"queue\":\"\(address)\",\"label\":\"\(label)\",\"kind\":\"\(kind)\",\"class\":\"unspecified\",\"pending\":4,\"done\":0\(besides)}"
  }

  @Test("A main thread that is kept in an item stands out, from 16 ms on; outside of items it may wait")
  func mainThread() throws {
    for (seconds, isInside, stands) in [(0.02, true, true), (0.015, true, false), (9.0, false, false)] {
      let inside = isInside ? "\"inside\":[{\"queue\":\"0x1\",\"as\":\"item\"}]," : ""
      let main = waiting(1, seconds, "0xa", for: 3).replacingFirst("{", with: "{\"main\":true,\(inside)")
      let text = InspectionTables(
        [try made(main, queues: queue("main", "0x1", "main"))], process: "7 (probe)", InspectOptions()
      ).text
      let line = "what stands out\n  the main thread is kept in \"main\": it waits for 20 ms for mutex 0xa; thread 3 has it\n"
      #expect(text.contains("what stands out") == stands && (!stands || text.contains(line)), "\(text)")
    }
    let sleeping =
      "{\"main\":true,\"thread\":1,\"name\":\"m\",\"inside\":[{\"queue\":\"0x1\",\"as\":\"item\"}],\"call\":\"read\"}"
    let text = InspectionTables([try made(sleeping)], process: "7 (probe)", InspectOptions()).text
    #expect(text.contains("  the main thread is kept in 0x1: it sleeps in read\n"), "\(text)")
  }

  @Test("A pool of which every thread waits stands out if there may be no more and items lie in queues that could run")
  func exhausted() throws {
    func text(limit: Int, running: Int = 0, state: String = "waits", _ kind: String = "concurrent", _ besides: String = "")
      throws -> String
    {
      let pool =
        "\"pools\":[{\"name\":\"default\",\"threads\":2,\"running\":\(running),\"idle\":0,\"limit\":\(limit),\"workers\":"
        + "[{\"thread\":1,\"state\":\"waits\"},{\"thread\":2,\"state\":\"\(state)\"}]}]"
      let json =
        "{\"version\":1,\"process\":7,\"threads\":[\(waiting(1, 1, "0xa")),\(waiting(2, 2, "0xa"))],"
        + "\"queues\":[\(queue("q", "0x1", kind, besides))],\(pool)}"
      let inspection = try #require(JSON(json).flatMap { Inspection($0) })
      return InspectionTables([inspection], process: "7 (probe)", InspectOptions()).text
    }
    let line =
      "what stands out\n  the pool default is exhausted: all 2 threads wait, 2 of them for mutex 0xa, and there may be no more; items lie in "
      + "\"q\" (4)\n"
    let stuck = try text(limit: 2)
    #expect(stuck.contains(line), "\(stuck)")
    #expect(try text(limit: 2, state: "sleeps in an item").contains(line))
    let others = [
      try text(limit: 3), try text(limit: 2, running: 1), try text(limit: 2, state: "runs"), try text(limit: 2, "main"),
      try text(limit: 2, "serial", ",\"suspended\":1"), try text(limit: 2, "serial", ",\"inactive\":true"),
    ]
    for other in others { #expect(!other.contains("is exhausted"), "\(other)") }
    // Whatever lies in queues, and though more threads may come: one thing keeps all of them.
    let common = "  all 2 workers of the pool default wait for mutex 0xa; no thread has it at this moment\n"
    #expect(stuck.contains(common) && others[0].contains("what stands out\n" + common), "\(others[0])")
    for other in [others[1], others[2]] { #expect(!other.contains("what stands out"), "\(other)") }
  }

  @Test("The holders of what threads wait for are listed with what each does, those that keep a thread longest first")
  func holders() throws {
    let threads = [
      waiting(1, 1, "0xa", for: 4), waiting(2, 9, "0xb", for: 3), waiting(3, 4, "0xa", for: 4), waiting(5, 2, "0xd"),
      "{\"thread\":4,\"name\":\"t4\",\"state\":\"sleeps\",\"call\":\"read\"}",
    ]
    let text = InspectionTables([try made(threads.joined(separator: ","))], process: "7 (probe)", InspectOptions()).text
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let table = lines.drop { $0 != "holders of what threads wait for" }.prefix { !$0.isEmpty }
    let rows = table.dropFirst(2).map { $0.split(separator: " ").joined(separator: " ") }
    #expect(
      rows == [
        "thread 3 \"t3\" mutex 0xb 1 waits for mutex 0xa; thread 4 \"t4\" has it",
        "thread 4 \"t4\" mutex 0xa 2 sleeps in read",
      ], "\(text)")
    let alone = InspectionTables([try made(waiting(5, 2, "0xd"))], process: "7 (probe)", InspectOptions()).text
    #expect(!alone.contains("holders of what"), "\(alone)")
  }

  @Test("An urgent item behind others stands out, with who has the queue")
  func urgent() throws {
    let owned = queue("q", "0x1", "serial", ",\"owner\":2,\"urgent\":{\"class\":\"userInteractive\",\"behind\":1}")
    let runs =
      "{\"thread\":2,\"name\":\"w\",\"inside\":[{\"queue\":\"0x1\",\"as\":\"item\"}],\"runs\":{\"kind\":\"async\",\"function\":[]}}"
    let text = InspectionTables([try made(runs, queues: owned)], process: "7 (probe)", InspectOptions()).text
    #expect(
      text.contains(
        "\nwhat stands out\n  an urgent item (userInteractive) lies in serial queue \"q\" behind 1 less urgent one; thread 2 on queue \"q\" "
          + "has the queue, and runs \"q\": async\n"), "\(text)")
  }

  @Test("A label cannot move a terminal's cursor, nor end a picture's text")
  func marks() throws {
    let queue =
      "{\"queue\":\"0x10\",\"label\":\"a\\u001b[2J<b>\\\"&\",\"kind\":\"serial\",\"class\":\"default\",\"pending\":1,\"done\":0}"
    let inspection = try made(waiting(1, 1, "0x10"), queues: queue)
    let text = InspectionTables([inspection], process: "7 (probe)", InspectOptions()).text
    #expect(!text.contains("\u{1b}") && text.contains("a?[2J<b>"))
    let svg = WaitPicture([inspection], process: "7 (probe)").svg
    #expect(!svg.contains("<b>") && svg.contains("a?[2J&lt;b&gt;&quot;&amp;"), "\(svg)")
  }

  @Test("A table has a page unless all is wanted")
  func page() throws {
    let inspection = try made((1...30).map { waiting($0, Double($0), "0xa") }.joined(separator: ","))
    let page = InspectionTables([inspection], process: "7 (probe)", InspectOptions()).text
    #expect(page.contains("and 10 more: --all") && page.contains("\"t30\"") && !page.contains("\"t10\""), "\(page)")
    var options = InspectOptions()
    options.wantsAll = true
    #expect(InspectionTables([inspection], process: "7 (probe)", options).text.contains("\"t1\""))
  }

  @Test("Top shows what was done between two inspections, the most first")
  func rates() throws {
    func queues(_ counts: [Int]) -> String {
      counts.enumerated().map { number, done in
        "{\"queue\":\"0x\(number)0\",\"label\":\"q\(number)\",\"kind\":\"serial\",\"class\":\"default\",\"pending\":\(number),\"done\":\(done)}"
      }.joined(separator: ",")
    }
    let before = try made("", queues: queues([100, 100])), now = try made("", queues: queues([300, 120, 50]))
    let lines = TopTable([now], after: [before], seconds: 2, title: "7 (probe)", width: 0).lines
    let rows = lines.drop { !$0.contains("items/s") }.dropFirst().map { $0.split(separator: " ").map(String.init) }
    #expect(
      rows.prefix(3).map { [$0[0], $0[1], $0.last ?? ""] } == [["100", "0", "q0"], ["25", "2", "q2"], ["10", "1", "q1"]],
      "\(lines)")
    #expect(TopTable([now], after: nil, seconds: 0, title: "a long title", width: 12).lines.allSatisfy { $0.count <= 12 })
  }

  @Test("Top shows waits of which it is not known since when they last, those for what a thread has first")
  func untimedWaits() throws {
    func wait(_ thread: Int, _ because: String, _ holders: String) -> String {
      "{\"thread\":\(thread),\"name\":\"t\",\"waits\":{\"kind\":\"mutex\",\"object\":\"0x1\",\"because\":\"\(because)\",\"for\":[\(holders)]}}"
    }
    let threads = [wait(1, "anyone", ""), wait(2, "held", "1"), waiting(3, 5, "0xa")].joined(separator: ",")
    let lines = TopTable([try made(threads)], after: nil, seconds: 1, title: "", width: 0).lines
    let rows = lines.drop { !$0.hasPrefix("waits") }.dropFirst().prefix(3).map { $0.split(separator: " ").map(String.init) }
    #expect(rows.map(\.first) == ["5.0", "?", "?"] && rows[1].contains("2") && rows[2].contains("1"), "\(lines)")
  }

  @Test("Top shows how long items have waited since the table before, and not since the queue was made")
  func waitsOfInterval() throws {
    func queue(_ counts: [Int: UInt32]) throws -> Inspection.Queue {
      let text = "{\"queue\":\"0x1\",\"label\":\"q\",\"kind\":\"serial\",\"pending\":1,\"done\":9,\"p50\":7,\"p95\":8}"
      var queue = try #require(try made("", queues: text).queues.first), all = [UInt32](repeating: 0, count: WaitBucket.count)
      for (index, count) in counts { all[index] = count }
      queue.waited = (all, 0.5)
      return queue
    }
    let before = try queue([20: 100, 60: 4]), now = try queue([20: 100, 60: 4, 30: 19, 40: 1])
    #expect(now.waited(50, since: before) == Double(WaitBucket.end(30)) / 2)
    #expect(now.waited(95, since: before) == Double(WaitBucket.end(30)) / 2)
    #expect(try queue([20: 100, 60: 4, 40: 1]).waited(95, since: before) == Double(WaitBucket.end(40)) / 2)
    #expect(before.waited(50, since: before) == nil, "none was sampled in between")
    #expect(now.waited(50, since: nil) == 7 && now.waited(95, since: nil) == 8, "the first table")
  }

  @Test("Queues of one label are told apart by their addresses, and a queue that others lie on says that it counts their turns")
  func labels() throws {
    let queues = [
      queue("q", "0x1", "serial"), queue("q", "0x2", "serial", ",\"target\":\"0x3\""), queue("base", "0x3", "serial"),
    ]
    let inspection = try made(waiting(1, 1, "0x2"), queues: queues.joined(separator: ","))
    var options = InspectOptions()
    options.wantsAll = true
    for text in [
      InspectionTables([inspection], process: "7 (probe)", options).text,
      TopTable([inspection], after: nil, seconds: 1, title: "", width: 0).lines.joined(separator: "\n"),
    ] {
      #expect(text.contains("q (0x1)") && text.contains("q (0x2)") && !text.contains("base (0x3)"), "\(text)")
      #expect(text.contains("done counts the turns of 1 queue on it"), "\(text)")
    }
    #expect(InspectionTables([inspection], process: "7 (probe)", options).text.contains("serial queue \"q\" (0x2)"))
  }

  @Test("An answer of another form is none")
  func strange() {
    #expect(
      JSON("{}").flatMap { Inspection($0) } == nil && JSON("{\"version\":2,\"process\":1}").flatMap { Inspection($0) } == nil)
  }

  @Test(
    "Times in few characters",
    arguments: [(0.000_002, "2 us"), (0.25, "250 ms"), (3.21, "3.2 s"), (1200, "20 min"), (40_000, "11 h")])
  func times(seconds: Double, text: String) { #expect(InspectionNames.time(seconds) == text) }
}

extension String {
  /// With the first `old` replaced.
  fileprivate func replacingFirst(_ old: String, with new: String) -> String {
    firstRange(of: old).map { String(self[..<$0.lowerBound]) + new + String(self[$0.upperBound...]) } ?? self
  }
}
