// RecordedActivityTests.swift: a program that enters groups, signals, runs things once, hands turns over, runs operations, sources, reads, writes and run
// loops is recorded, and the recording says what it did. Items, locks and files are RecordedProgramTests.swift.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxTimeline

@Suite("Recorded activities") struct RecordedActivityTests {
  private static let rounds = 3

  /// Everything that a listener hears besides items.
  private struct Heard: TimelineSink {
    var moments: [(moment: TimelineMoment, at: ReadNumber)] = [], slices: [(slice: TimelineSlice, thread: Int)] = []
    var wakers: [(wait: TimelineSlice, waker: TimelineWaker, at: ReadNumber)] = [], items: [TimelineItem] = []
    var operations: [TimelineOperation] = [], transfers: [TimelineTransfer] = [], unfinished = 0, gaps = 0, open = 0
    mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber) { items.append(item) }
    mutating func began(_ slice: TimelineSlice, on thread: Int) {
      slices.append((slice, thread))
      open += 1
    }
    mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber) { open -= 1 }
    mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber) {}
    mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber) {}
    var firings: [(timer: ReadNumber, late: ReadNumber?, at: ReadNumber)] = []
    mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber) {
      firings.append((object, late, time))
    }
    mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber) { gaps += 1 }
    mutating func happened(_ moment: TimelineMoment, on thread: Int, at time: ReadNumber) { moments.append((moment, time)) }
    mutating func woken(_ wait: TimelineSlice, by waker: TimelineWaker, on thread: Int, at time: ReadNumber) {
      wakers.append((wait, waker, time))
    }
    mutating func operationEnded(_ operation: TimelineOperation, isOver: Bool, at time: ReadNumber) {
      if isOver { operations.append(operation) } else { unfinished += 1 }
    }
    mutating func transferEnded(_ transfer: TimelineTransfer, isOver: Bool, at time: ReadNumber) {
      if isOver { transfers.append(transfer) } else { unfinished += 1 }
    }
  }

  private let recording: RecordingFile
  private let names: TimelineNames
  private let heard: Heard

  init() throws {
    let folder = try Files.makeFreshFolder("/tmp/signalbox-tests-").description
    defer { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(folder)], environment: []) }
    let tests = try Files.realPath("/proc/self/exe").bytes
    let program = RawString(tests[...(tests.lastIndex(of: UInt8(ascii: "/")) ?? 0)]) + "RecordActivityProbe"
    let printed = try Programs.output(
      of: program, arguments: ["RecordActivityProbe", RawString("\(Self.rounds)"), RawString(folder + "/data")],
      environment: [RawString("SIGNALBOX_RECORD=" + folder + "/recording")], seconds: 500)
    try #require(printed.status == 0, "\(String(decoding: printed.bytes, as: UTF8.self))")
    recording = try RecordingFile(folder + "/recording")
    names = TimelineNames(recording)
    var heard = Heard()
    Replay.run(recording, &heard)
    self.heard = heard
  }

  /// Moments of things that are called so.
  private func moments(_ kind: EventKind, _ name: String) -> [TimelineMoment] {
    heard.moments.filter { $0.moment.kind == kind && names.object($0.moment.object, at: $0.at).contains(name) }.map(\.moment)
  }
  private func wakers(_ kind: EventKind, _ name: String) -> Int {
    heard.wakers.filter { $0.waker.kind == kind && names.object($0.wait.object, at: $0.wait.begin).contains(name) }.count
  }

  @Test("Nothing is lost, and everything that begins ends")
  func isWhole() {
    #expect(recording.isComplete && recording.lostEvents == 0 && recording.lostNames == 0)
    #expect(heard.gaps == 0 && heard.open == 0 && heard.unfinished == 0)
  }

  @Test("Groups are entered and left, the last to leave ends the wait, and what follows says so")
  func groups() {
    let rounds = Self.rounds
    #expect(moments(.groupEntered, "activity.group").map(\.count) == Array(repeating: [1, 2], count: rounds).flatMap { $0 })
    #expect(moments(.groupLeft, "activity.group").map(\.count) == Array(repeating: [1, 0], count: rounds).flatMap { $0 })
    #expect(wakers(.groupLeft, "activity.group") == rounds)
    // What lies where a group was is another thing: waits for that are not the group's.
    let table = SummaryTables(SummaryCounts(recording)).all.first { $0.key == "groups" }
    let group = rows(table).first { $0["name"] == "\"group \\\"activity.group\\\"\"" }
    #expect(group?["waits"] == "\(rounds)" && group?["entered"] == "\(2 * rounds)" && group?["left"] == "\(2 * rounds)")
    let following = heard.items.filter { $0.cause != 0 }
    #expect(following.count == rounds)
    for item in following {
      #expect(names.object(item.cause, at: item.submitted?.time ?? 0) == "group \"activity.group\"")
      #expect(names.queue(item.queue, at: item.submitted?.time ?? 0) == "activity.serial")
    }
  }

  @Test("Signals say whether somebody waited, and end waits")
  func semaphores() {
    let signals = moments(.semaphoreSignalled, "activity.semaphore").map(\.count)
    #expect(signals == Array(repeating: [1, 0], count: Self.rounds).flatMap { $0 })
    #expect(wakers(.semaphoreSignalled, "activity.semaphore") == Self.rounds)
  }

  @Test("What runs once is run once, a work item is cancelled where it waits, and a turn is handed over to who sleeps for it")
  func others() {
    #expect(heard.slices.filter { $0.slice.kind == .onceBegan }.count == Self.rounds)
    let cancelled = heard.moments.filter { $0.moment.kind == .workItemCancelled }
    #expect(
      cancelled.map { names.queue($0.moment.other, at: $0.at) } == Array(repeating: "activity.serial", count: Self.rounds))
    #expect(
      moments(.turnHanded, "activity.serial").count == Self.rounds && wakers(.turnHanded, "activity.serial") == Self.rounds)
  }

  @Test("Operations live from their queue to their end; who depends says on whom last")
  func operations() throws {
    let rounds = Self.rounds
    #expect(heard.operations.count == 5 * rounds)
    let queued = heard.operations.filter { $0.queue != 0 }
    #expect(queued.count == 4 * rounds && queued.allSatisfy { $0.added != nil && $0.ready != nil && $0.began != nil })
    #expect(queued.allSatisfy { names.object($0.queue, at: $0.name.time) == "operation queue \"activity.operations\"" })
    for operation in queued {
      let (added, ready, began) = (operation.added?.time ?? 0, operation.ready ?? 0, operation.began?.time ?? 0)
      #expect(added <= ready && ready <= began)
    }
    // In the order of their ends.
    let labels = queued.map { names.operation($0.name).name }
    for round in 0..<rounds {
      let own = Array(labels[round * 4..<round * 4 + 4])
      #expect(own[0] == "Resize" && own[1] == "operation \"second\"", "\(own)")
      #expect(own[2].contains("Work.operations") && own[3].contains("Work.operations"), "\(own)")
    }
    let held = queued.filter { $0.heldBy != nil }
    #expect(held.count == rounds && held.allSatisfy { $0.heldBy.map { names.operation($0).name } == "operation \"second\"" })
    #expect(queued.filter(\.isCancelled).count == rounds)
    #expect(wakers(.operationFinished, "activity.operations") == rounds)
    let byHand = heard.operations.filter { $0.queue == 0 }
    #expect(byHand.count == rounds && byHand.allSatisfy { $0.began != nil && names.operation($0.name).name == "Resize" })
  }

  @Test("A source's handler has its data and its function, and reads and writes their bytes")
  func sourcesAndTransfers() {
    let sources = heard.slices.map(\.slice).filter {
      $0.kind == .sourceBegan && !names.activity($0).hasPrefix("timer source")
    }
    #expect(sources.map(\.number) == Array(repeating: 7, count: Self.rounds))
    #expect(
      sources.allSatisfy { names.activity($0).hasSuffix("source of queue \"activity.serial\"") },
      "\(sources.map { names.activity($0) })")
    #expect(sources.allSatisfy { names.function($0.function)?.name.contains("Work.sources") == true })
    let transfers = heard.transfers
    #expect(transfers.map(\.isWrite) == Array(repeating: [true, false], count: Self.rounds).flatMap { $0 })
    #expect(transfers.map(\.bytes) == Array(repeating: [10_000, 4_096], count: Self.rounds).flatMap { $0 })
    #expect(transfers.allSatisfy { $0.error == 0 && $0.descriptor >= 0 })
  }

  @Test("Timers of sources are armed, armed anew, and cancelled by their names, and fire so late as they do")
  func timers() {
    let rounds = Self.rounds
    func fired(_ name: String) -> [(timer: ReadNumber, late: ReadNumber?, at: ReadNumber)] {
      heard.firings.filter { names.timer($0.timer, at: $0.at) == name }
    }
    let repeats = "timer source of queue \"activity.repeats\"", moved = "timer source of queue \"activity.moved\""
    let never = "timer source of queue \"activity.never\""
    // Two points that have passed may be one event; a fourth may come before the third handler has cancelled.
    #expect(fired(repeats).count >= 3 * rounds && moments(.timerArmed, repeats).count >= 3 * rounds)
    #expect(fired(moved).count == rounds && fired(never).isEmpty)
    for firing in fired(repeats) + fired(moved) { #expect(firing.late.map { $0 < 60_000_000_000 } == true) }
    let due = moments(.timerArmed, moved).map(\.count)
    #expect(due.count == 2 * rounds)
    for round in 0..<rounds where due.count == 2 * rounds {
      #expect(due[2 * round] > 3_000_000_000_000 && due[2 * round + 1] <= 1_000_000)
    }
    #expect(moments(.timerArmed, never).count == rounds && moments(.timerCancelled, never).count == rounds)
    #expect(moments(.timerCancelled, moved).isEmpty)
    let handlers = heard.slices.map(\.slice).filter { $0.kind == .sourceBegan && names.activity($0) == repeats }
    #expect(handlers.count == 3 * rounds)
    let table = SummaryTables(SummaryCounts(recording)).all.first { $0.key == "timers" }
    #expect(rows(table).filter { $0["name"]?.contains("activity.moved") == true }.map { $0["count"] } == ["\(rounds)"])
  }

  @Test("Timers of run loops are armed, fire and are cancelled as sources' do")
  func loopTimers() {
    let rounds = Self.rounds, loops = 2 * rounds
    let fired = heard.firings.filter { names.timer($0.timer, at: $0.at).hasPrefix("timer of run loop of thread") }
    #expect(fired.count == loops && fired.allSatisfy { $0.late.map { $0 < 60_000_000_000 } == true })
    // One that fires, and one that is invalidated before.
    #expect(moments(.timerArmed, "timer of run loop of thread").count == 2 * loops)
    #expect(moments(.timerCancelled, "timer of run loop of thread").count == loops)
  }

  @Test("Run loops of the main thread and of another go through their phases")
  func loops() {
    let loops = heard.slices.filter { $0.slice.kind == .loopBegan }
    let main = loops.filter { recording.threads[$0.thread].isMain }
    #expect(main.count >= Self.rounds && loops.count - main.count >= Self.rounds)
    #expect(
      loops.allSatisfy { names.activity($0.slice).contains("run loop of thread") && names.activity($0.slice).contains("mode ") }
    )
    for isMain in [true, false] {
      let phases = heard.slices.filter { $0.slice.kind == .loopPhase && recording.threads[$0.thread].isMain == isMain }
      #expect(Set(phases.compactMap(\.slice.phase)) == Set(LoopPhase.allCases))
      // It slept once in each round at least: for the block.
      #expect(phases.filter { $0.slice.phase == .waiting }.count >= Self.rounds)
    }
  }
}
