// ActivityTests.swift: made-up recordings of groups, semaphores, turns, operations, sources, transfers and run loops: who ended which wait, what held
// an operation, and what summary, page and Perfetto's form say of it.
import SignalboxCommandLine
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxRecorder
@testable import SignalboxTimeline

@Suite("Activities") struct ActivityTests {
  private typealias Script = RecordingScript
  private static let group: UInt64 = 0x6000, semaphore: UInt64 = 0x7000, operations: UInt64 = 0x8000, loop: UInt64 = 0x9000
  private static let mode: UInt64 = 0x9100, resize: UInt64 = 0xA000, source: UInt64 = 0xB001

  /// A recording with names for all of it.
  private func script(workers: Int) throws -> Script {
    let script = try Script(workers: workers)
    script.room.recording.name(.object, Self.group, "group \"pages\"")
    script.room.recording.name(.object, Self.semaphore, "semaphore \"slots\"")
    script.room.recording.name(.object, Self.operations, "operation queue \"thumbnails\"")
    script.room.recording.name(.object, Self.loop, "run loop of main")
    script.room.recording.name(.note, Self.mode, "default")
    script.room.recording.name(.type, Self.resize, "Resize")
    script.room.recording.name(.object, Self.source, "read source on 5")
    return script
  }

  /// What a listener hears of waits and lives.
  private struct Heard: TimelineSink {
    var wakers: [(wait: ReadNumber, waker: TimelineWaker)] = [], moments: [TimelineMoment] = []
    var operations: [(operation: TimelineOperation, isOver: Bool, at: ReadNumber)] = []
    var transfers: [(transfer: TimelineTransfer, isOver: Bool)] = [], items: [TimelineItem] = []
    var slices: [TimelineSlice] = [], open = 0
    mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber) { items.append(item) }
    mutating func began(_ slice: TimelineSlice, on thread: Int) {
      slices.append(slice)
      open += 1
    }
    mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber) { open -= 1 }
    mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber) {}
    mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber) {}
    mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber) {}
    mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber) {}
    mutating func happened(_ moment: TimelineMoment, on thread: Int, at time: ReadNumber) { moments.append(moment) }
    mutating func woken(_ wait: TimelineSlice, by waker: TimelineWaker, on thread: Int, at time: ReadNumber) {
      wakers.append((wait.begin, waker))
    }
    mutating func operationEnded(_ operation: TimelineOperation, isOver: Bool, at time: ReadNumber) {
      operations.append((operation, isOver, time))
    }
    mutating func transferEnded(_ transfer: TimelineTransfer, isOver: Bool, at time: ReadNumber) {
      transfers.append((transfer, isOver))
    }
  }

  private func heard(_ script: Script) throws -> Heard {
    var heard = Heard()
    Replay.run(try script.read(), &heard)
    #expect(heard.open == 0)
    return heard
  }

  // MARK: who ended a wait

  @Test("Who leaves a group last has ended the waits for it, with the item that he was in")
  func groups() throws {
    let script = try script(workers: 2)
    script.event(0, 10, .groupEntered, Self.group, 1, 0)
    script.event(0, 11, .groupEntered, Self.group, 1, 1)
    script.event(0, 100, .waitBegan, Self.group, 0, 1)
    script.item(0x10, of: Script.low, submitted: 20, on: 1, 30, 4_000)
    script.event(1, 3_000, .groupLeft, Self.group, 1, 2)
    script.event(2, 200, .started, Script.urgent, 0x20)
    script.event(2, 5_000, .groupLeft, Self.group, 1, 1)
    script.event(0, 5_100, .waitEnded)
    script.event(2, 5_200, .ended)
    let heard = try heard(script)
    #expect(heard.moments.filter { $0.kind == .groupEntered || $0.kind == .groupLeft }.map(\.count) == [1, 2, 1, 0])
    #expect(heard.moments.map { $0.flow != 0 } == [false, false, false, true])
    try #require(heard.wakers.count == 1)
    #expect(heard.wakers[0].waker.kind == .groupLeft && heard.wakers[0].waker.item?.queue == Script.urgent)
    let tables = try script.tables(), group = try #require(rows(tables["groups"]).first)
    #expect(group["name"] == "\"group \\\"pages\\\"\"" && group["entered"] == "2" && group["left"] == "2")
    #expect(group["waits"] == "1" && group["waitedLongest"] == "5000000")
    #expect(group["leftLastBy"] == "\"item on worker 42\"" && group["at"] == "100000")
    #expect(rows(tables["waits"]).first?["endedBy"] == "\"item on worker 42\"")
  }

  @Test("A group that was entered before the recording is counted from what the first event says")
  func groupsBefore() throws {
    let script = try script(workers: 1)
    script.event(0, 100, .waitBegan, Self.group, 0, 1)
    script.event(1, 200, .groupLeft, Self.group, 2, 3)
    script.event(1, 300, .groupLeft, Self.group, 1, 1)
    script.event(0, 310, .waitEnded)
    let heard = try heard(script)
    #expect(heard.moments.map(\.count) == [1, 0] && heard.wakers.count == 1)
  }

  @Test("A signal that found somebody waiting ends one wait; a wait whose time was up was ended by nobody")
  func semaphores() throws {
    let script = try script(workers: 2)
    script.event(1, 10, .semaphoreSignalled, Self.semaphore, 0)
    for thread in [0, 2] { script.event(thread, 100, .waitBegan, Self.semaphore) }
    script.event(1, 200, .semaphoreSignalled, Self.semaphore, 2)
    script.event(1, 210, .semaphoreSignalled, Self.semaphore, 1)
    for thread in [0, 2] { script.event(thread, 300 + UInt64(thread), .waitEnded) }
    // Its time is up, though there was a signal before.
    script.event(0, 400, .waitBegan, Self.semaphore)
    script.event(0, 500, .waitEnded)
    let heard = try heard(script)
    #expect(heard.wakers.map(\.waker.kind) == [.semaphoreSignalled, .semaphoreSignalled])
    #expect(Set(heard.wakers.map(\.waker.flow)).count == 2 && heard.wakers.allSatisfy { $0.waker.thread == 1 })
    #expect(heard.moments.filter { $0.flow == 0 }.count == 1)
  }

  @Test("A turn that is handed over ends the wait of the thread that gets it, and no other's")
  func turns() throws {
    let script = try script(workers: 2)
    for thread in [0, 2] { script.event(thread, 100, .waitBegan, Script.serial, 8) }
    // The owner value of the thread of place 2.
    script.event(1, 200, .turnHanded, Script.serial, 9)
    for thread in [0, 2] { script.event(thread, 300, .waitEnded) }
    let heard = try heard(script)
    try #require(heard.wakers.count == 1)
    #expect(heard.wakers[0].waker.kind == .turnHanded && heard.moments.first?.other == 9)
  }

  @Test("What runs once, and an operation's end, end the waits for them")
  func ends() throws {
    let script = try script(workers: 2), token: UInt64 = 0xC000
    script.event(1, 10, .onceBegan, token)
    script.event(0, 20, .waitBegan, token, 8)
    script.event(1, 30, .onceEnded, token)
    script.event(0, 40, .waitEnded)
    script.event(1, 50, .operationAdded, 0xD000, Self.operations | OperationTraits.isReady, Self.resize)
    for (thread, object) in [(0, UInt64(0xD000)), (2, Self.operations)] { script.event(thread, 60, .waitBegan, object) }
    script.event(1, 70, .operationFinished, 0xD000)
    for thread in [0, 2] { script.event(thread, 80, .waitEnded) }
    let heard = try heard(script)
    #expect(heard.wakers.map(\.waker.kind) == [.onceEnded, .operationFinished, .operationFinished])
    #expect(heard.slices.filter { $0.kind == .onceBegan }.count == 1)
  }

  @Test("An item that follows the end of a group says so, and the next one does not")
  func causes() throws {
    let script = try script(workers: 1)
    script.event(1, 10, .groupLeft, Self.group, 1, 1)
    script.event(1, 11, .notified, Self.group, 0x10)
    script.event(0, 12, .submitted, Script.low, 0x30)
    script.event(1, 13, .submitted, Script.low, 0x10)
    script.event(1, 14, .submitted, Script.low, 0x20)
    #expect(try heard(script).items.map(\.cause.bits) == [0, Self.group, 0])
  }

  // MARK: operations

  @Test("An operation has been held by those it depended on, then waited for its turn, and then run until its end")
  func operations() throws {
    let script = try script(workers: 2), one: UInt64 = 0xD000, other: UInt64 = 0xE000, never: UInt64 = 0xF000
    script.room.recording.name(.object, other, "operation \"cover\" (Resize 0xe000)")
    script.event(0, 100, .operationAdded, one, Self.operations, Self.resize)
    script.event(
      0, 110, .operationAdded, other, Self.operations | OperationTraits.isReady | OperationTraits.isNamed, Self.resize)
    script.event(0, 120, .operationAdded, never, Self.operations, Self.resize)
    script.event(0, 130, .operationCancelled, never)
    script.event(1, 1_110, .operationBegan, other, Self.operations | OperationTraits.isNamed, Self.resize)
    script.event(1, 3_110, .operationFinished, other)
    script.event(1, 3_115, .operationReady, one, other)
    script.event(1, 3_120, .operationReturned, other)
    script.event(1, 4_115, .operationBegan, one, Self.operations, Self.resize)
    script.event(1, 4_120, .operationReturned, one)
    // It goes on, and another thread says that it is finished.
    script.event(2, 9_115, .operationFinished, one)
    script.event(2, 9_120, .operationBegan, never, Self.operations, Self.resize)
    script.event(2, 9_121, .operationFinished, never, OperationTraits.isCancelled)
    script.event(2, 9_122, .operationReturned, never)
    let heard = try heard(script)
    #expect(
      heard.operations.map(\.isOver) == [true, true, true]
        && heard.operations.map(\.operation.isCancelled) == [false, false, true])
    #expect(Set(heard.operations.map(\.operation.flow)).count == 3)
    let rows = rows(try script.tables()["operations"])
    #expect(rows.map { $0["name"] } == ["\"Resize\"", "\"operation \\\"cover\\\"\""])
    let resize = try #require(rows.first)
    #expect(resize["count"] == "2" && resize["cancelled"] == "1" && resize["heldLongest"] == "3015000")
    #expect(resize["heldBy"] == "\"operation \\\"cover\\\"\"" && resize["waitedLongest"] == "8990000")
    #expect(resize["running"]?.contains("\"longest\":5000000") == true && resize["at"] == "4115000")
    #expect(resize["queue"] == "\"operation queue \\\"thumbnails\\\"\"")
    #expect(rows.last?["heldLongest"] == "0" && rows.last?["waitedLongest"] == "1000000")
  }

  @Test(
    "Operations and transfers whose end is not in the recording are reported once, as such; after a gap nothing is known of them"
  )
  func unfinished() throws {
    let script = try script(workers: 1)
    script.event(1, 10, .operationAdded, 0xD000, Self.operations | OperationTraits.isReady, Self.resize)
    script.event(1, 20, .transferBegan, 0x10, 5 | TransferTraits.isWrite, 100)
    let heard = try heard(script)
    #expect(heard.operations.map(\.isOver) == [false] && heard.transfers.map(\.isOver) == [false])
    let tables = try script.tables()
    #expect(rows(tables["operations"]).isEmpty && rows(tables["transfers"]).isEmpty)
    // A ring that turns over once: the beginning is gone.
    let full = RecordingRoom(chunks: 1)
    var ring = try #require(Ring(full.recording, who: 7))
    ring.write(.operationAdded, ring.ticks(), 0xD000, Self.operations, 0)
    for number in 0..<UInt64(RecordLayout.cellsInChunk) { ring.write(.mark, ring.ticks(), 1, number, 0) }
    ring.write(.operationFinished, ring.ticks(), 0xD000, 0, 0)
    var late = Heard()
    Replay.run(try full.read(), &late)
    #expect(late.operations.map(\.isOver) == [true] && late.operations.first?.operation.added == nil)
  }

  // MARK: sources, transfers, loops

  @Test("Sources have the time of their handlers")
  func sources() throws {
    let script = try script(workers: 1)
    for (began, length) in [(UInt64(100), UInt64(50)), (1_000, 900)] {
      script.event(1, began, .sourceBegan, Self.source, 7, 0)
      script.event(1, began + length, .sourceEnded, Self.source)
    }
    script.event(0, 10_000, .mark)
    let source = try #require(rows(try script.tables()["sources"]).first)
    #expect(source["name"] == "\"read source on 5\"" && source["events"] == "2" && source["share"] == "0.095")
    #expect(source["running"]?.contains("\"longest\":900000") == true && source["at"] == "1000000")
  }

  @Test("Reads and writes have their bytes, times and errors, by descriptor, also of a path that was opened late")
  func transfers() throws {
    let script = try script(workers: 1), closed = UInt64(UInt32(bitPattern: -1))
    script.event(0, 100, .transferBegan, 0x10, 5, 4_096)
    script.event(0, 110, .transferBegan, 0x20, closed, EventCell.addressMask)
    script.event(1, 300, .transferEnded, 0x10, 1_000, 5 << 16)
    script.event(1, 1_110, .transferEnded, 0x20, 20, 5 << 16 | 9)
    script.event(1, 2_000, .transferBegan, 0x10, 6 | TransferTraits.isWrite, 30)
    script.event(1, 2_010, .transferEnded, 0x10, 30, 6 << 16)
    let rows = rows(try script.tables()["transfers"])
    #expect(rows.map { $0["name"] } == ["\"read from descriptor 5\"", "\"write to descriptor 6\""])
    let read = try #require(rows.first)
    #expect(
      read["count"] == "2" && read["bytes"] == "1020" && read["failed"] == "1" && read["error"] == "\"Bad file descriptor\"")
    #expect(read["took"]?.contains("\"longest\":1000000") == true && read["at"] == "110000")
    let heard = try heard(script)
    #expect(heard.transfers.map(\.transfer.length) == [4_096, nil, 30])
  }

  @Test(
    "A run loop's time goes to its phases; what waits is not what keeps the main thread, and an item in it is reported by itself"
  )
  func loops() throws {
    let script = try script(workers: 0)
    script.event(0, 1_000, .loopBegan, Self.loop, Self.mode)
    script.event(0, 1_000, .loopPhase, Self.loop, LoopPhase.timers.rawValue)
    script.event(0, 31_000, .loopPhase, Self.loop, LoopPhase.sources.rawValue)
    script.event(0, 31_100, .loopPhase, Self.loop, LoopPhase.waiting.rawValue)
    script.event(0, 71_100, .loopPhase, Self.loop, LoopPhase.woken.rawValue)
    script.event(0, 71_200, .started, Script.main, 0x10)
    script.event(0, 91_200, .ended)
    script.event(0, 91_300, .loopEnded, Self.loop)
    // Of a run that the recording does not have.
    script.event(0, 95_000, .loopPhase, Self.loop, LoopPhase.waiting.rawValue)
    script.event(0, 101_000, .mark)
    let tables = try script.tables(), loop = try #require(rows(tables["loops"]).first)
    #expect(loop["name"] == "\"run loop of main\"" && loop["turns"] == "1" && loop["longestPhase"] == "\"timers\"")
    #expect(loop["took"] == "30000000" && loop["at"] == "1000000")
    let held = rows(tables["mainThread"])
    #expect(held.map { $0["at"] } == ["1000000", "71200000"] && held.map { $0["took"] } == ["30000000", "20000000"])
    #expect(held.first?["what"] == "\"timers of run loop of main\"")
    let heard = try heard(script)
    #expect(heard.slices.map(\.kind) == [.loopBegan, .loopPhase, .loopPhase, .loopPhase, .loopPhase, .started])
    let thread = try #require(rows(tables["threads"]).first)
    #expect(Double(thread["parkedShare"] ?? "") ?? 0 > 0.39 && Double(thread["runningShare"] ?? "") ?? 0 > 0.49)
  }

  // MARK: the page

  /// Numbers of a column, as the page reads them.
  private func numbers(_ data: PageData, _ name: String) -> [ReadNumber] {
    var all: [ReadNumber] = [], value: UInt64 = 0, shift: UInt64 = 0
    for byte in data.columns.first(where: { $0.name == name })?.column.bytes ?? [] {
      value |= UInt64(byte & 127) << shift
      shift += 7
      guard byte < 128 else { continue }
      all.append(ReadNumber(value))
      (value, shift) = (0, 0)
    }
    return all
  }

  @Test("A page has operations, activities and transfers as slices, and moments with what they count")
  func page() throws {
    let script = try script(workers: 2), one: UInt64 = 0xD000
    script.event(0, 100, .operationAdded, one, Self.operations, Self.resize)
    script.event(0, 200, .operationReady, one)
    script.event(1, 500, .operationBegan, one, Self.operations, Self.resize)
    script.event(1, 600, .operationReturned, one)
    script.event(1, 600, .operationFinished, one)
    script.event(2, 700, .waitBegan, Self.semaphore)
    script.event(1, 800, .semaphoreSignalled, Self.semaphore, 1)
    script.event(2, 850, .waitEnded)
    script.event(1, 900, .sourceBegan, Self.source, 7)
    script.event(1, 950, .sourceEnded, Self.source)
    script.event(1, 1_000, .transferBegan, 0x10, 5 | TransferTraits.isWrite, 100)
    script.event(2, 1_500, .transferEnded, 0x10, 40, 5 << 16 | 9)
    script.event(0, 2_000, .mark)
    let data = PageData.read(try script.read())
    #expect(data.slices.map(\.kind) == [.operationBegan, .waitBegan, .sourceBegan, .transferBegan])
    #expect(data.slices.map(\.isCut) == [false, false, false, false])
    // An operation that was added; a wait that somebody ended; an activity; a transfer.
    #expect(numbers(data, "head") == [5 | 16, 2 | 8, 6, 7])
    #expect(numbers(data, "length") == [100_000, 150_000, 50_000, 500_000])
    #expect(numbers(data, "extra") == [400_000, 0, 100_000, 0, 50_000, 1, 7, 40, 101, 9])
    #expect(data.queues.all.map(\.name) == ["operation queue \"thumbnails\"", "I/O: write to descriptor 5"])
    #expect(data.functions.all.map(\.name) == ["Resize", "write to descriptor 5"])
    // Added, ready, finished, a signal that found one waiting.
    #expect(data.activities.map(\.count) == [nil, nil, nil, 1])
    #expect(
      data.objects.all[Int(data.activities[3].text)] == "signal semaphore \"slots\"" && numbers(data, "activities").count == 16)
  }

  // MARK: reports, timers, turns that are alone, pools at their bounds

  @Test("A report is a moment, with its kind and number and the item in which it was found")
  func reports() throws {
    let script = try script(workers: 1)
    script.event(0, 50, .submitted, Script.low, 0x10)
    script.event(1, 100, .started, Script.low, 0x10)
    script.event(1, 200, .reported, RecordedReport.stall.rawValue, 1)
    script.event(1, 300, .ended)
    script.event(0, 400, .reported, RecordedReport.deadlock.rawValue, 2)
    script.event(0, 500, .reported, 99, 3)
    let heard = try heard(script)
    #expect(heard.moments.map(\.kind) == [.reported, .reported, .reported] && heard.moments.map(\.count) == [1, 2, 3])
    let table = rows(try script.tables()["reports"])
    #expect(table.map { $0["at"] } == ["200000", "400000", "500000"] && table.map { $0["number"] } == ["1", "2", "3"])
    #expect(table.map { $0["what"] } == ["\"waits that nothing ends\"", "\"a deadlock\"", "\"something\""])
    #expect(table.map { $0["inside"] } == ["\"item\"", "null", "null"] && table.first?["thread"] == "\"worker 41\"")
    let data = PageData.read(try script.read())
    #expect(
      data.activities.map { data.objects.all[Int($0.text)] }.prefix(2) == [
        "report 1: waits that nothing ends", "report 2: a deadlock",
      ])
    #expect(try script.summary().text().contains("Reports of the diagnosis, in their order"))
  }

  @Test("A timer of its own is due when it was armed for last, and says itself how late it is")
  func timers() throws {
    let script = try script(workers: 1), timer = Self.source | 1
    script.room.recording.name(.object, timer, "timer source of queue \"ticks\"")
    script.event(0, 10, .timerArmed, timer, 0, 3_600_000_000_000)
    script.event(0, 20, .timerArmed, timer, 0, 1_000_000)
    script.event(1, 1_520, .timerFired, timer, 0, 400_001)
    script.event(1, 1_600, .timerArmed, timer, 0, 1_000_000)
    script.event(0, 2_000, .timerCancelled, timer)
    // Of the layout before: by the source's address, of which nobody knows when it was due.
    script.event(1, 3_000, .timerFired, Self.source & ~1)
    // It does not say how late it is, as an item's of the layout before.
    script.event(0, 4_000, .timerArmed, timer, 0, 1_000_000)
    script.event(1, 7_000, .timerFired, timer)
    let heard = try heard(script)
    #expect(heard.moments.map(\.kind) == [.timerArmed, .timerArmed, .timerArmed, .timerCancelled, .timerArmed])
    #expect(heard.moments.map(\.count) == [3_600_000_000_000, 1_000_000, 1_000_000, 0, 1_000_000])
    let tables = try script.tables(), timers = rows(tables["timers"])
    let own = try #require(timers.first { $0["name"]?.contains("ticks") == true })
    #expect(own["count"] == "2" && own["late"]?.contains("\"longest\":2000000") == true, "\(timers)")
    #expect(rows(tables["worst"]).contains { $0["what"] == "\"timer source of queue \\\"ticks\\\" was late\"" })
    let data = PageData.read(try script.read())
    #expect(data.timers.map(\.late) == [400_000, nil, 2_000_000])
  }

  @Test("A turn that is alone is a barrier where the queue runs several at a time", arguments: [(1, true), (0, false)])
  func aloneTurns(kind: UInt64, isBarrier: Bool) throws {
    let script = try script(workers: 0)
    script.name(0x7000, kind: kind, serviceClass: 3, "pages")
    script.event(0, 100, .turnBegan, 0x7001)
    script.event(0, 30_000, .turnEnded)
    script.event(0, 40_000, .turnBegan, 0x7000)
    script.event(0, 70_000, .turnEnded)
    let word = isBarrier ? "barrier sync on pages" : "sync on pages"
    #expect(rows(try script.tables()["mainThread"]).map { $0["what"] } == ["\"sync on pages\"", "\"\(word)\""])
    let data = PageData.read(try script.read())
    #expect(data.slices.map(\.isBarrier) == [isBarrier, false])
    #expect(numbers(data, "head") == [isBarrier ? 1 | 8 : 1, 1])
  }

  @Test("A pool is at its bound while it has all the workers that it may have; what began before the recording is not known")
  func bounds() throws {
    let script = try script(workers: 3)
    for worker in 1...2 { script.event(worker, UInt64(worker) * 1_000, .woken, 2, 0) }
    script.event(1, 5_000, .parked, 2, 0)
    script.event(1, 6_000, .woken, 2, 0)
    script.event(2, 7_000, .threadEnded)
    script.event(3, 9_000, .woken, 2, 0)
    script.event(3, 10_000, .parked, 2, 0)
    script.event(0, 12_000, .mark)
    let tables = try script.tables(), row = try #require(rows(tables["bounds"]).first)
    #expect(row["name"] == "\"default\"" && row["most"] == "2" && row["limit"] == "2" && row["times"] == "2")
    #expect(row["total"] == "8000000" && row["longest"] == "5000000" && row["at"] == "2000000", "\(row)")
    let before = try self.script(workers: 1)
    before.event(1, 100, .parked)
    before.event(1, 200, .woken)
    #expect(rows(try before.tables()["bounds"]).isEmpty)
  }

  // MARK: versions

  @Test("Recordings of the layouts before are read, and of any other refused, by its number", arguments: [0, 1, 2, 3, 4])
  func versions(version: UInt64) throws {
    let room = RecordingRoom(chunks: 2)
    var ring = try #require(Ring(room.recording, who: 7))
    ring.write(.mark, ring.ticks(), 1, 5, 0)
    room.recording.cell(.version).pointee.storeRelease(version | UInt64(RecordLayout.chunkSize) << 32)
    if RecordLayout.oldestVersion...RecordLayout.version ~= version {
      #expect(try room.read().threads.first?.events.map(\.b) == [5])
      return
    }
    let error = #expect(throws: UnreadableRecording.self) { _ = try room.read() }
    #expect(
      error?.description
        == "is a recording of another version of Signalbox: its layout is \(version), and those from 1 to 4 can be read")
  }
}
