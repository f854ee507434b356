// TaskTests.swift: what readers make of events of Swift's tasks: parts, awaits, queued times, names, actors; by
// recordings that are written by hand.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxRecorder
@testable import SignalboxTimeline

@Suite("Tasks in a recording") struct TaskTests {
  private typealias Script = RecordingScript
  private static let keeper: UInt64 = 0xE000, type: UInt64 = 0xE800

  /// A task's part, an item of the queue `low`.
  private func part(
    _ script: Script, _ number: UInt64, submitted: UInt64, on thread: Int, _ began: UInt64, _ ended: UInt64,
    traits: UInt64 = 0, chain: UInt64, parent: UInt64 = 0
  ) {
    script.event(0, submitted, .submitted, Script.low, 0x100 * number)
    script.event(thread, began, .taskRuns, number | traits, TaskTraits.chain | chain, parent)
    script.event(thread, began, .started, Script.low, 0x100 * number)
    script.event(thread, ended, .ended)
  }

  /// A recording whose chains lead to functions of this process.
  private func script() throws -> (script: Script, inner: String, outer: String) {
    let script = try Script(workers: 2)
    RecordHooks.nameImages(script.room.recording)
    // A function's value begins with its address, if it is not handed over as a value of any type.
    struct Function { let call: () -> Void }
    func address(_ function: @escaping () -> Void) -> UInt64 {
      withUnsafeBytes(of: Function(call: function)) { $0.load(as: UInt64.self) }
    }
    let one = address(recordedServe), two = address(recordedAccept)
    let hexadecimal = { (address: UInt64) in String(address, radix: 16) }
    script.room.recording.name(.chain, TaskTraits.chain | 1, hexadecimal(two))
    script.room.recording.name(.chain, TaskTraits.chain | 2, "\(hexadecimal(one)) \(hexadecimal(two))")
    script.room.recording.name(.type, Self.type, "Keeper")
    let names = try script.names()
    return (
      script, try #require(names.function(ReadNumber(one))?.name), try #require(names.function(ReadNumber(two))?.name)
    )
  }

  @Test("A task is suspended from a part's end to the next submission, and queued until that begins")
  func times() throws {
    let (script, inner, outer) = try script()
    part(script, 7, submitted: 100, on: 1, 150, 200, traits: TaskTraits.begins, chain: 1, parent: 3)
    part(script, 7, submitted: 1_200, on: 2, 1_230, 1_250, chain: 2)
    part(script, 8, submitted: 1_300, on: 1, 1_310, 1_320, traits: TaskTraits.begins, chain: 1)
    // It is resumed before its thread is out of it.
    script.event(0, 1_400, .mark)
    let tables = try script.tables()
    let kinds = rows(tables["tasks"])
    #expect(kinds.map { $0["function"] } == ["\"\(outer)\""] && kinds.first?["tasks"] == "2" && kinds.first?["parts"] == "3")
    #expect(kinds.first?["busy"] == "80000", "\(kinds)")
    let awaits = rows(tables["awaits"])
    #expect(awaits.map { $0["function"] } == ["\"\(inner)\""] && awaits.first?["count"] == "1", "\(awaits)")
    #expect(awaits.first?["total"] == "1000000" && awaits.first?["at"] == "200000" && awaits.first?["task"] == "\"\(outer)\"")
    let chains = rows(tables["chains"])
    #expect(chains.map { $0["chain"] } == ["\"\(inner) ← \(outer)\""] && chains.first?["depth"] == "2", "\(chains)")
    let page = PageData.read(try script.read()).tasks
    #expect(page.lanes.all == [outer])
    #expect(page.bars.map(\.kind) == [.task, .part, .await, .part, .task, .part])
    #expect(page.bars.map(\.begin) == [150_000, 150_000, 200_000, 1_230_000, 1_310_000, 1_310_000].map { ReadNumber($0) })
    #expect(page.bars.map(\.end) == [1_250_000, 200_000, 1_200_000, 1_250_000, 1_320_000, 1_320_000].map { ReadNumber($0) })
    #expect(page.bars.map(\.number) == [7, 7, 7, 7, 8, 8])
  }

  @Test("A part that is submitted before the last one's end follows no await")
  func resumedAtOnce() throws {
    let (script, _, _) = try script()
    part(script, 7, submitted: 100, on: 1, 150, 200, traits: TaskTraits.begins, chain: 1)
    part(script, 7, submitted: 190, on: 2, 240, 250, chain: 2)
    let page = PageData.read(try script.read()).tasks
    #expect(page.bars.map(\.kind) == [.task, .part, .part])
    #expect(rows(try script.tables()["awaits"]).first?["total"] == "0")
  }

  @Test("A task that goes on before its thread has come out of the item has ended that part") func overlap() throws {
    let (script, _, _) = try script()
    script.event(0, 100, .submitted, Script.low, 0x700)
    script.event(1, 150, .taskRuns, 7 | TaskTraits.begins, TaskTraits.chain | 1)
    script.event(1, 150, .started, Script.low, 0x700)
    part(script, 7, submitted: 200, on: 2, 220, 300, chain: 2)
    script.event(1, 250, .ended)
    let page = PageData.read(try script.read()).tasks
    #expect(page.bars.map(\.begin) == [150_000, 150_000, 220_000].map { ReadNumber($0) })
    #expect(page.bars.map(\.end) == [300_000, 220_000, 300_000].map { ReadNumber($0) })
  }

  @Test("What follows a gap is no await") func gap() throws {
    var counts = TaskCounts()
    let (script, _, _) = try script(), names = try script.names()
    func item(_ flow: UInt64, at time: ReadNumber) -> TimelineItem {
      var item = TimelineItem(flow: flow, queue: 0, submitted: (time, 0))
      item.task = TimelineTask(
        RecordingFile.Event(kind: .taskRuns, time: time, a: 7, b: ReadNumber(TaskTraits.chain | 2), c: 0))
      return item
    }
    counts.began(item(1, at: 10), names, at: 20)
    counts.ended(item(1, at: 10), names, after: 10, at: 30)
    counts.forget()
    counts.began(item(2, at: 90), names, at: 95)
    #expect(counts.awaits.isEmpty && counts.kinds.map(\.tasks) == [1] && counts.kinds.map(\.queued.count) == [2])
    counts.ended(item(2, at: 90), names, after: 5, at: 100)
    counts.began(item(3, at: 150), names, at: 160)
    #expect(counts.awaits.map(\.times.total) == [50])
  }

  @Test(
    "A task's name is put together from its parts, and goes with its first item alone", arguments: [0, 1, 17, 18, 19, 72, 90])
  func names(length: Int) throws {
    let text = String(repeating: "näm", count: 30).utf8.prefix(length), (script, _, _) = try script()
    for start in stride(from: 0, to: length, by: 18) {
      let bytes = Array(text.dropFirst(start).prefix(18))
      func word(_ first: Int) -> UInt64 {
        (0..<6).reduce(0) { $0 | (first + $1 < bytes.count ? UInt64(bytes[first + $1]) << UInt64($1 * 8) : 0) }
      }
      script.event(1, 100, .taskNamed, word(0), word(6), word(12))
    }
    part(script, 7, submitted: 110, on: 1, 150, 200, traits: TaskTraits.begins, chain: 1)
    part(script, 7, submitted: 210, on: 1, 250, 300, chain: 1)
    struct Tasks: TimelineSink {
      var all: [TimelineTask] = []
      mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber) {}
      mutating func began(_ slice: TimelineSlice, on thread: Int) { if let task = slice.item?.task { all.append(task) } }
      mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber) {}
      mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber) {}
      mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber) {}
      mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber) {}
      mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber) {}
    }
    var tasks = Tasks()
    Replay.run(try script.read(), &tasks)
    #expect(tasks.all.map(\.name) == [String(decoding: text.prefix(72), as: UTF8.self), ""])
    #expect(tasks.all.map(\.begins) == [true, false])
  }

  @Test("An actor's item goes by its class, and has a lane of the actor's") func actor() throws {
    let (script, _, _) = try script()
    script.event(0, 100, .submitted, Script.low, 0x50)
    script.event(1, 400, .taskRuns, 0, Self.keeper, Self.type)
    script.event(1, 400, .started, Script.low, 0x50)
    script.event(1, 450, .ended)
    let actors = rows(try script.tables()["actors"])
    #expect(actors.map { $0["name"] } == ["\"actor Keeper\""] && actors.first?["busy"] == "50000", "\(actors)")
    let page = PageData.read(try script.read())
    #expect(page.queues.all.contains { $0.name == "actor Keeper" && $0.isActor && $0.address == ReadNumber(Self.keeper) })
    #expect(page.functions.all.map(\.name).contains("tasks of actor Keeper") && page.tasks.bars.isEmpty)
  }
}

// What chains of these tests lead to.
private func recordedServe() {}
private func recordedAccept() {}
