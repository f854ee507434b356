// SummaryTests.swift: made-up recordings whose worst moments are known, and what a summary says of them.
import SignalboxCommandLine
import SignalboxSystem
import Testing

@testable import SignalboxRecorder
@testable import SignalboxTimeline

@Suite("Summaries") struct SummaryTests {
  private typealias Script = RecordingScript

  @Test("Half, 95 and 99 of a hundred times are the least that as many do not exceed", arguments: [0, 1, 2, 19, 20, 100, 101])
  func spread(count: Int) {
    var spread = Spread()
    for time in (1...max(1, count)).reversed().prefix(count) { spread.add(ReadNumber(count: time)) }
    let expected = [50, 95, 99, 100].map { hundredth in
      (0...count).first { least in least * 100 >= count * hundredth }.map { ReadNumber(count: $0) } ?? 0
    }
    #expect(spread.figures == expected && spread.count == count && spread.longest == ReadNumber(count: count))
    #expect(spread.total == ReadNumber(count: count * (count + 1) / 2))
  }

  @Test("Queues have their items' times, and the one with the longest wait is first")
  func queues() throws {
    let script = try Script(workers: 1)
    script.item(0x10, of: Script.low, submitted: 10, on: 1, 20, 50)
    // Two that wait at a time; the second for 90 us.
    script.event(0, 60, .submitted, Script.serial, 0x20)
    script.event(0, 70, .submitted, Script.serial, 0x30)
    for (item, began) in [(UInt64(0x20), UInt64(100)), (0x30, 160)] {
      script.event(1, began, .started, Script.serial, item)
      script.event(1, began + 40, .ended)
    }
    script.event(0, 1_000, .mark)
    let queues = rows(try script.tables()["queues"])
    #expect(queues.map { $0["name"] } == ["\"accounts\"", "\"low\""])
    try #require(queues.count == 2)
    #expect(queues[0]["items"] == "2" && queues[0]["greatestDepth"] == "2" && queues[0]["share"] == "0.08")
    #expect(queues[0]["waiting"] == "{\"p50\":40000,\"p95\":90000,\"p99\":90000,\"longest\":90000}")
    #expect(queues[0]["running"] == "{\"p50\":40000,\"p95\":40000,\"p99\":40000,\"longest\":40000}")
    #expect(queues[1]["at"] == "20000" && queues[1]["share"] == "0.03")
  }

  @Test("A queue is busy while one of its items runs or more, and so never for longer than the recording is")
  func busy() throws {
    let script = try Script(workers: 3)
    for (thread, begin, end) in [(1, 100, 500), (2, 200, 600), (3, 700, 800)] as [(Int, UInt64, UInt64)] {
      script.item(UInt64(thread * 0x10), of: Script.low, submitted: 10, on: thread, begin, end)
    }
    script.event(1, 900, .started, Script.low, 0x40)  // has not ended
    script.event(0, 1_000, .mark)
    let queues = rows(try script.tables()["queues"])
    #expect(queues.first?["share"] == "0.7", "\(queues)")
  }

  @Test("Items whose submission or whose run is not in the recording are counted, and the counts shown")
  func unmatched() throws {
    let script = try Script(workers: 1)
    script.item(0x10, of: Script.low, submitted: 10, on: 1, 20, 50)
    for item in [UInt64(0x20), 0x30] { script.event(0, 60, .submitted, Script.serial, item) }
    script.event(1, 100, .started, Script.serial, 0x40)
    script.event(1, 140, .ended)
    let summary = try script.summary(), text = summary.text()
    #expect(text.contains("items that ran and have no submission here: 1; how long they waited is not known\n"), "\(text)")
    #expect(text.contains("items that were submitted and have no run here: 2\n"), "\(text)")
    #expect(summary.json["runsWithoutSubmission"].integer == 1 && summary.json["submissionsWithoutRun"].integer == 2)
  }

  @Test("What keeps the main thread for more than 16 ms is reported once, by its outermost part")
  func mainThread() throws {
    let script = try Script(workers: 0)
    script.item(0x10, of: Script.main, submitted: 1, on: 0, 100, 16_100)
    script.event(0, 20_000, .started, Script.main, 0x20)
    script.event(0, 20_100, .turnBegan, Script.serial)
    script.event(0, 20_200, .waitBegan, Script.lock, 9)
    script.event(0, 50_000, .waitEnded)
    script.event(0, 50_100, .turnEnded)
    script.event(0, 52_000, .ended)
    script.event(0, 60_000, .intervalBegan, 0x9000)
    script.event(0, 60_001, .waitBegan, Script.lock)
    script.event(0, 80_000, .waitEnded)
    script.event(0, 80_001, .intervalEnded)
    let held = rows(try script.tables()["mainThread"])
    #expect(held.map { $0["at"] } == ["20000000", "60001000"] && held.map { $0["took"] } == ["32000000", "19999000"])
    #expect(held.first?["what"]?.contains("an item of \\\"main\\\"") == true)
    #expect(held.last?["what"]?.contains("a wait for mutex") == true)
  }

  @Test("Waits have who waited and who had the thing at the longest")
  func waits() throws {
    let script = try Script(workers: 2)
    for (thread, began, ended) in [(1, UInt64(100), UInt64(400)), (2, 500, 5_500)] {
      script.event(thread, began, .waitBegan, Script.lock, UInt64(10 - thread))
      script.event(thread, ended, .waitEnded)
    }
    let tables = try script.tables(), waits = rows(tables["waits"])
    #expect(waits.count == 1 && waits.first?["count"] == "2" && waits.first?["at"] == "500000")
    #expect(waits.first?["holderAtLongest"] == "\"worker 41\"" && waits.first?["waiter"] == "\"worker 42\"")
    #expect(rows(tables["worst"]).first?["what"] == "\"worker 42 waited for mutex \\\"ledger\\\", had by worker 41\"")
  }

  @Test("A time in which all workers wait and items do is a stall, from 10 ms on; while one has nothing to do it is none")
  func stalls() throws {
    for isIdle in [false, true] {
      let script = try Script(workers: 3)
      for worker in 1...3 {
        script.event(worker, 100, .started, Script.low, 0x10)
        script.event(worker, worker == 3 && isIdle ? 150 : 200, worker == 3 && isIdle ? .ended : .waitBegan, Script.lock)
        if worker == 3, isIdle { script.event(worker, 151, .parked) }
      }
      script.event(0, 300, .submitted, Script.low, 0x20)
      script.event(1, 50_300, .waitEnded)
      script.event(1, 50_400, .ended)
      script.event(1, 50_500, .started, Script.low, 0x20)
      script.event(1, 50_600, .ended)
      // Shorter than what the pool takes to get another worker.
      script.event(0, 51_000, .submitted, Script.low, 0x30)
      script.event(1, 51_000, .waitBegan, Script.lock)
      script.event(1, 60_999, .waitEnded)
      let tables = try script.tables(), stalls = rows(tables["stalls"])
      #expect(stalls.map { $0["at"] } == (isIdle ? [] : ["300000"]))
      #expect(
        isIdle || stalls.first?["for"] == "\"mutex \\\"ledger\\\"\"" && stalls.first?["waiter"] == "\"item\"", "\(stalls)")
      #expect(stalls.map { $0["took"] } == (isIdle ? [] : ["50000000"]) && stalls.allSatisfy { $0["workers"] == "3" })
      #expect(tables["pool"]?.title.contains("3 were there at most") == true)
      #expect(Set(rows(tables["pool"]).map { $0["runningWorkers"] }) == (isIdle ? ["0", "1", "2", "3"] : ["0", "1", "3"]))
    }
  }

  @Test("An urgent item that waits while a less urgent one runs is reported, with that one; behind its like it is not")
  func urgent() throws {
    let script = try Script(workers: 2)
    script.item(0x10, of: Script.low, submitted: 10, on: 1, 20, 9_000)
    script.item(0x20, of: Script.urgent, submitted: 1_000, on: 1, 9_010, 9_020)
    // Behind one that is as urgent, though a less urgent one runs as well.
    script.item(0x30, of: Script.low, submitted: 10_000, on: 2, 10_010, 30_000)
    script.item(0x40, of: Script.serial, submitted: 10_000, on: 1, 10_010, 29_000)
    script.item(0x50, of: Script.serial, submitted: 10_100, on: 1, 29_010, 29_020)
    // Shorter than a millisecond.
    script.item(0x60, of: Script.low, submitted: 40_000, on: 1, 40_010, 41_000)
    script.item(0x70, of: Script.urgent, submitted: 40_020, on: 1, 41_010, 41_020)
    // The main thread's turn, which no worker takes.
    script.item(0x80, of: Script.low, submitted: 50_000, on: 1, 50_010, 59_000)
    script.item(0x90, of: Script.main, submitted: 50_000, on: 0, 59_010, 59_020)
    let urgent = rows(try script.tables()["urgent"])
    #expect(urgent.count == 1)
    let row = try #require(urgent.first)
    #expect(row["at"] == "1000000" && row["waited"] == "8010000" && row["queue"] == "\"urgent\"")
    #expect(row["class"] == "\"user-interactive\"" && row["behindClass"] == "\"background\"")
  }

  @Test(
    "An urgent item behind several of its queue, none of which takes half of its wait, is reported with all that are less urgent"
  )
  func urgentBehindSeveral() throws {
    let script = try Script(workers: 1)
    for number in UInt64(0)..<4 {
      let began = 20 + number * 3_000
      script.item(0x10 + number, of: Script.serial, submitted: 10, on: 1, began, began + 3_000 - number, ownClass: 1)
    }
    script.item(0x50, of: Script.serial, submitted: 15, on: 1, 12_030, 12_040, ownClass: 5)
    // What is as urgent took more of the time than what is less so.
    script.item(0x60, of: Script.serial, submitted: 20_000, on: 1, 20_010, 26_000, ownClass: 5)
    script.item(0x70, of: Script.serial, submitted: 20_000, on: 1, 26_010, 30_000, ownClass: 1)
    script.item(0x80, of: Script.serial, submitted: 20_005, on: 1, 30_010, 30_020, ownClass: 5)
    let tables = try script.tables(), urgent = rows(tables["urgent"])
    #expect(urgent.count == 1 && urgent.first?["at"] == "15000" && urgent.first?["waited"] == "12015000", "\(urgent)")
    #expect(urgent.first?["behindItems"] == "4" && urgent.first?["behindClass"] == "\"background\"", "\(urgent)")
    let worst = rows(tables["worst"]).first?["what"]
    #expect(
      worst == "\"item, which is user-interactive, waited in \\\"accounts\\\" behind item and 3 more, which are background\"",
      "\(worst ?? "")")
  }

  @Test(
    "An item's own class counts where its queue has none but the default",
    arguments: [
      (.none, .standard), (.userInteractive, .userInteractive), (.background, .background),
    ] as [(RecordedClass, RecordedClass)])
  func ownClass(own: RecordedClass, served: RecordedClass) throws {
    let script = try Script(workers: 1)
    for queue in [Script.serial, Script.low] {
      script.item(0x10, of: queue, submitted: 10, on: 1, 20, 30, ownClass: UInt64(own.rawValue))
    }
    let names = try script.names()
    let item = TimelineItem(flow: 1, queue: ReadNumber(Script.serial), serviceClass: own)
    #expect(names.servedClass(item, at: .max) == served)
    #expect(names.servedClass(TimelineItem(flow: 1, queue: ReadNumber(Script.low), serviceClass: own), at: .max) == .background)
    #expect(names.servedClass(TimelineItem(flow: 1, queue: 0xABC0, serviceClass: own), at: .max) == own)
  }

  @Test("Timers have their lateness, the program's intervals their lengths")
  func timersAndIntervals() throws {
    let script = try Script(workers: 1)
    for (armed, fired) in [(UInt64(0), UInt64(2_000)), (10_000, 15_000)] {
      script.event(0, armed, .timerArmed, Script.serial, 0x10, 1_000_000)
      script.event(1, fired, .timerFired, Script.serial, 0x10)
      script.event(1, fired, .intervalBegan, 0x9000, 1)
      script.event(1, fired + armed / 10 + 100, .intervalEnded)
    }
    let tables = try script.tables(), timer = try #require(rows(tables["timers"]).first)
    #expect(timer["name"] == "\"accounts\"" && timer["count"] == "2" && timer["at"] == "15000000")
    #expect(timer["late"] == "{\"p50\":1000000,\"p95\":4000000,\"p99\":4000000,\"longest\":4000000}")
    let interval = try #require(rows(tables["intervals"]).first)
    #expect(interval["times"] == "{\"p50\":100000,\"p95\":1100000,\"p99\":1100000,\"longest\":1100000}")
  }

  @Test("A page has as many rows as fit, all rows are asked for, and a label cannot command the terminal")
  func text() throws {
    let script = try Script(workers: 1)
    for place in UInt64(0)..<30 {
      let queue = 0x10_0000 + place * 16
      script.name(queue, kind: 0, serviceClass: 3, place == 29 ? "evil\u{1B}[2J\u{202E}label" : "queue \(place)")
      script.item(0x10, of: queue, submitted: place * 100, on: 1, place * 101 + 1, place * 101 + 2)
    }
    let summary = try script.summary(), page = summary.text(), whole = summary.text(isWhole: true)
    #expect(page.contains("  … and 22 more (--all)\n") && !whole.contains("(--all)"))
    #expect(page.contains("evil\u{FFFD}[2J\u{FFFD}label") && whole.contains("queue 0 "))
    #expect(page.split(separator: "\n").count < 60)
    for line in whole.split(separator: "\n") { #expect(line.last != " ") }
  }

  @Test("Tables fit the terminal: cells of text lose their middle, figures nothing")
  func width() {
    let path = "/" + String(repeating: "folder/", count: 20) + "Server.swift:80"
    let table = SummaryTable(
      "made", "made", onPage: 9, [("name", "name"), ("count", "times"), ("place", "at")],
      [[.text("handle(_:)"), .count(1_234_567), .text(path)], [.text("x"), .count(1), .text("short")]])
    for width in [40, 80] {
      let lines = SummaryText.lines(table, isWhole: true, width: width)
      #expect(lines.allSatisfy { $0.count <= width } && lines.contains { $0.count == width }, "\(lines)")
      #expect(lines[2].contains("  handle(_:)  1,234,567  /fold") && lines[2].contains("…"))
      #expect(lines[2].hasSuffix("wift:80") && lines[3].hasSuffix("  short"))
    }
    // A terminal that is too narrow wraps lines.
    let narrow = SummaryText.lines(table, isWhole: true, width: 10)
    #expect(narrow[2].contains("1,234,567  /folde…ft:80") && narrow[2].contains("handle(_:)"))
    #expect(SummaryText.lines(table, isWhole: true, width: 0)[2].hasSuffix(path))
  }

  @Test(
    "Times have three figures, moments six behind the point, numbers commas",
    arguments: [
      (0, "0 ns", "0.000000 s"), (999, "999 ns", "0.000000 s"), (1_000, "1.0 us", "0.000001 s"),
      (9_999, "9.9 us", "0.000009 s"),
      (10_000, "10 us", "0.000010 s"), (1_234_567, "1.2 ms", "0.001234 s"), (61_000_000_000, "61 s", "61.000000 s"),
      (1_234_000_000_000, "1,234 s", "1234.000000 s"),
    ])
  func words(time: ReadNumber, span: String, moment: String) {
    #expect(SummaryText.span(time) == span && SummaryText.moment(time) == moment)
    #expect(SummaryText.place("/a/b/c/d.swift:1") == "…/b/c/d.swift:1" && SummaryText.place("a/b/c/d:1") == "a/b/c/d:1")
    #expect(SummaryText.number(-1_234_567) == "-1,234,567" && SummaryText.number(123) == "123")
  }
}
