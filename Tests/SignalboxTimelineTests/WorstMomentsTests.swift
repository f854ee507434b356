// WorstMomentsTests.swift: a moment has one row of a summary's first table, however many ways it shows in.
import SignalboxSystem
import Testing

@testable import SignalboxRecorder
@testable import SignalboxTimeline

@Suite("The worst moments of a recording") struct WorstMomentsTests {
  private typealias Script = RecordingScript
  /// A run loop's queue.
  private static let loop: UInt64 = 0x8000

  private func told(_ script: Script) throws -> [String] { rows(try script.tables()["worst"]).compactMap { $0["what"] } }

  @Test("What kept the main thread, what it waited for meanwhile, and what waited behind it are one moment")
  func mainThreadKept() throws {
    let script = try Script(workers: 1)
    script.event(0, 200, .started, Script.main, 0x30)
    script.event(0, 300, .waitBegan, Script.lock, 8)
    script.event(1, 400, .submitted, Script.main, 0x40)
    script.event(0, 30_300, .waitEnded)
    script.event(0, 30_400, .ended)
    script.event(0, 30_500, .started, Script.main, 0x40)
    script.event(0, 30_600, .ended)
    #expect(
      try told(script) == [
        "\"the main thread was kept by item, an item of \\\"main\\\"; it waited for mutex \\\"ledger\\\", had by worker 41\""
      ])
  }

  @Test(
    "A wait in which the main thread spends less than half of what kept it has a row of its own", arguments: [15_100, 15_300])
  func shortWait(ends: UInt64) throws {
    let script = try Script(workers: 1)
    script.event(0, 200, .started, Script.main, 0x30)
    script.event(0, 202, .waitBegan, Script.lock, 8)
    script.event(0, ends, .waitEnded)
    script.event(0, 30_200, .ended)
    let moments = try told(script), isHalf = ends > 15_202
    #expect(moments.count == (isHalf ? 1 : 2), "\(moments)")
    #expect(moments.first?.contains("; it waited for mutex") == isHalf, "\(moments)")
    #expect(isHalf || moments.last?.hasSuffix(" waited for mutex \\\"ledger\\\", had by worker 41\"") == true, "\(moments)")
  }

  @Test("What kept the main thread is no earlier wait of its own, and no wait of another thread")
  func otherWaits() throws {
    let script = try Script(workers: 2)
    script.event(0, 100, .waitBegan, Script.lock, 8)
    script.event(0, 40_100, .waitEnded)
    script.event(0, 50_000, .started, Script.main, 0x30)
    script.event(2, 50_010, .waitBegan, Script.lock, 8)
    script.event(2, 95_000, .waitEnded)
    script.event(0, 90_000, .ended)
    let moments = try told(script)
    #expect(moments.count == 2 && !moments.contains { $0.contains("; it waited") }, "\(moments)")
    #expect(moments.first == "\"worker 42 waited for mutex \\\"ledger\\\", had by worker 41\"", "\(moments)")
  }

  @Test("An item that waited for most of its time while no worker could take it is the stall's", arguments: [10_000, 45_000])
  func stalledPool(submitted: UInt64) throws {
    let script = try Script(workers: 2)
    for worker in 1...2 {
      script.event(worker, 100, .started, Script.low, 0x10)
      script.event(worker, 200, .waitBegan, Script.lock)
    }
    script.event(0, submitted, .submitted, Script.low, 0x20)
    script.event(0, submitted, .submitted, Script.main, 0x30)
    script.name(Self.loop, kind: 4, serviceClass: 3, "loop")
    script.event(0, submitted, .submitted, Self.loop, 0x40)
    script.event(1, 60_000, .waitEnded)
    script.event(1, 60_100, .ended)
    // Submitted at 10 ms it waits for 80, of which the stall took 50; at 45 ms for 45, of which it took 15.
    script.event(1, 90_000, .started, Script.low, 0x20)
    script.event(1, 90_100, .ended)
    // No worker would have taken these: the main thread's, and another thread's.
    script.event(0, 60_000, .started, Script.main, 0x30)
    script.event(0, 60_100, .ended)
    script.event(1, 90_200, .started, Self.loop, 0x40)
    script.event(1, 90_300, .ended)
    let moments = try told(script), isTold = submitted == 10_000
    #expect(moments.contains { $0.hasPrefix("\"all 2 workers waited") }, "\(moments)")
    for queue in ["main", "loop"] { #expect(moments.contains("\"item waited in \\\"\(queue)\\\"\""), "\(moments)") }
    #expect(moments.contains("\"item waited in \\\"low\\\"\"") != isTold, "\(moments)")
  }

  @Test("There are twenty rows at most, of which a page has five")
  func bounded() throws {
    let script = try Script(workers: 1)
    for queue in UInt64(0)..<25 {
      script.name(0x10000 + queue * 0x100, kind: 0, serviceClass: 3, "queue \(queue)")
      script.item(0x10, of: 0x10000 + queue * 0x100, submitted: 100 * queue, on: 1, 100 * queue + 10 + queue, 100 * queue + 50)
    }
    let table = try #require(try script.tables()["worst"])
    #expect(table.rows.count == 20 && table.onPage == 5)
    #expect(try told(script).first == "\"item waited in \\\"queue 24\\\"\"")
  }
}
