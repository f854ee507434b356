// RecorderTests.swift: what a program asks of its recorder: starting, stopping, copying; files that are in use; the child of a fork, and other
// programs.
import Glibc
import SignalboxRecorder
import SignalboxSystem
import Testing

@testable import SignalboxTimeline

@Suite("The recorder as programs use it") struct RecorderTests {
  private let folder: ProgramFolder
  init() throws { folder = try ProgramFolder() }

  private func marks(_ recording: RecordingFile) -> [UInt64] {
    recording.threads.flatMap(\.events).filter { $0.kind == .mark }.map(\.number.bits)
  }

  @Test("A program copies its flight recording, ends it, and begins another; each refusal says why")
  func copies() throws {
    let text = try folder.shell(
      "\"${P}RecordProbe\" copy '\(folder("flight"))' '\(folder("copy"))' '\(folder("next"))'; echo status $?")
    let inUse =
      "it is in use, by another process, or in this one by another copy of Signalbox or an earlier recording"
    #expect(
      text == """
        copy of nothing: no recording is under way
        small: the limit is not from 1048576 to 1099511627776 bytes
        second: a recording is under way
        flight within: a recording is under way
        copy: done
        copy to itself: \(inUse)
        copy to a folder: it is no regular file
        copy after the end: no recording is under way
        the file again: \(inUse)
        on: false
        status 0

        """, "\(text)")
    let flight = try RecordingFile(folder("flight")), copy = try RecordingFile(folder("copy"))
    #expect(marks(flight) == [0, 1, 2, 1_000] && flight.isComplete && flight.seconds == 600)
    #expect(marks(copy) == [0, 1, 2] && !copy.isComplete && copy.seconds == 600 && copy.lostNames == 0)
    #expect(try FileStatus(of: RawString(folder("copy"))).permissions == 0o600)
    // Functions have their names in the copy as well, which no stop has written.
    let names = TimelineNames(copy)
    let items = copy.threads.flatMap(\.events).filter { $0.kind == .submitted }
    #expect(
      items.count == 23
        && items.allSatisfy { names.item(TimelineItem(flow: 1, queue: 0, outer: $0.c)).name.contains("Work.run") })
    let next = try RecordingFile(folder("next"))
    #expect(marks(next) == [0, 1] && next.seconds == 0 && next.isComplete)
  }

  @Test("The child of a fork writes nothing into its parent's recording, and copies none")
  func fork() throws {
    let text = try folder.shell("\"${P}RecordProbe\" fork '\(folder("a"))'; echo status $?")
    #expect(text == "child 7\nstatus 0\n" && folder.names == ["a"], "\(text)")
    let recording = try RecordingFile(folder("a"))
    #expect(marks(recording) == [0, 1, 5] && recording.isComplete && recording.lostEvents == 0)
    let names = TimelineNames(recording)
    #expect(!recording.threads.flatMap(\.events).contains { $0.kind == .mark && names.note($0.a, at: $0.time) == "child" })
  }

  @Test("%p gives each process a file of its own; without it the second finds the file in use, says so and runs")
  func children() throws {
    let line = "\"${P}RecordProbe\" work 1; bash -c '\"${P}RecordProbe\" work 2'; echo status $?"
    let own = try folder.shell(line, ["SIGNALBOX_RECORD": folder("own.%p")])
    #expect(own == "status 0\n", "\(own)")
    let counts = try folder.names.filter { $0.hasPrefix("own.") }.map { name in
      let recording = try RecordingFile(folder(name))
      #expect(name == "own.\(recording.process)")
      return marks(recording).count
    }
    #expect(counts.sorted() == [1, 2])
    // The first lives until the second has ended.
    let shared = try folder.shell(
      "mkfifo said hold; \"${P}RecordProbe\" endless > said & first=$!; read -r line < said; "
        + "\"${P}RecordProbe\" work 2; echo second $?; kill -9 $first; wait $first; echo first $?",
      ["SIGNALBOX_RECORD": folder("shared")])
    #expect(
      shared.contains("nothing is recorded, because it is in use, by another process") && shared.contains("second 0\n")
        && shared.hasSuffix("first 137\n"), "\(shared)")
    #expect(try RecordingFile(folder("shared")).threads.contains { $0.isMain })
  }

  @Test("Chains of awaits have names up to a bound; after that they are short, and no name is lost") func chains() throws {
    let text = try folder.shell(
      "\"${P}signalbox\" run --record='\(folder("a"))' -- \"${P}RecordTasksProbe\" chains; echo $?",
      ["XDG_RUNTIME_DIR": folder.path])
    #expect(text == "0\n", "\(text)")
    let recording = try RecordingFile(folder("a")), chains = recording.chains.values.map { AwaitChain.addresses($0).count }
    #expect((4_096...4_200).contains(chains.count) && recording.lostNames == 0, "\(chains.count)")
    #expect(chains.filter { $0 > 12 }.count > 4_000 && chains.filter { $0 <= 2 }.count > 0)
    let parts = recording.threads.flatMap(\.events).filter { $0.kind == .taskRuns }
    // A task that is resumed before it has gone to sleep has no part more.
    #expect(parts.count > chains.count && parts.allSatisfy { recording.chains[$0.b] != nil })
  }

  @Test("Jobs of Swift's tasks are items with their functions and classes, linked and as they are", arguments: [true, false])
  func tasks(isLinked: Bool) throws {
    let rounds = 5
    let text = try folder.shell(
      isLinked
        ? "SIGNALBOX_RECORD='\(folder("a"))' \"${P}RecordProbe\" tasks \(rounds); echo $?"
        : "\"${P}signalbox\" run --record='\(folder("a"))' -- \"${P}RecordTasksProbe\" \(rounds); echo $?",
      ["XDG_RUNTIME_DIR": folder.path])
    #expect(text == "0\n", "\(text)")
    let recording = try RecordingFile(folder("a")), names = TimelineNames(recording)
    #expect(recording.isComplete && recording.lostEvents == 0 && recording.lostNames == 0)
    struct Items: TimelineSink {
      var submitted: [TimelineItem] = [], began: [TimelineItem] = []
      mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber) { submitted.append(item) }
      mutating func began(_ slice: TimelineSlice, on thread: Int) { if let item = slice.item { began.append(item) } }
      mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber) {}
      mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber) {}
      mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber) {}
      mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber) {}
      mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber) {}
    }
    var items = Items()
    Replay.run(recording, &items)
    #expect(items.submitted.count == items.began.count && items.began.allSatisfy { $0.submitted != nil })
    // Each of four tasks calls the actor, whose jobs are the queue's items.
    let visits = items.began.filter { names.queue($0.queue, at: .max) == "probe.visited" }
    #expect(visits.count == 4 * rounds)
    let functions = items.began.map { names.item($0).name }
    let hosts = zip(items.began, functions).filter { $0.1.contains("Jobs.run") }
    let children = zip(items.began, functions).filter { $0.1.contains("Jobs.hosts") }
    #expect(!hosts.isEmpty && children.count >= 4 * rounds, "\(Dictionary(functions.map { ($0, 1) }, uniquingKeysWith: +))")
    // A child is as urgent as its parent, who waits for it.
    #expect((hosts + children).allSatisfy { names.servedClass($0.0, at: .max) == .utility })
    // A job that a queue is given says its class itself.
    if isLinked { #expect((visits + hosts.map(\.0) + children.map(\.0)).allSatisfy { $0.serviceClass == .utility }) }
    #expect(functions.allSatisfy { $0 != "item" }, "\(Set(functions))")

    // Each host has a name, four children, and awaits them and the task on the actor.
    let parts = items.began.filter { $0.task?.number ?? 0 != 0 }.compactMap(\.task)
    let named = parts.filter { !$0.name.isEmpty }
    #expect(named.map(\.name) == Array(repeating: "host of a round of visits", count: rounds))
    let numbers = Set(named.map(\.number))
    let begun = parts.filter { $0.begins && numbers.contains($0.parent) }
    #expect(Set(begun.map(\.number)).count == 4 * rounds, "\(begun.map(\.number)) \(numbers)")
    let chains = Set(parts.filter { numbers.contains($0.number) && !$0.begins }.map { names.chain($0).text })
    #expect(
      chains.contains { $0.contains("Jobs.hosts") && $0.contains(" ← closure #1 in ") && $0.contains("Jobs.run") }, "\(chains)")
    #expect(chains.allSatisfy { !$0.contains("TaskGroup") && !$0.contains("thunk") }, "\(chains)")
    // The actor's tasks are its items.
    let kept = items.began.compactMap(\.task).filter { $0.number == 0 }
    #expect(kept.count >= rounds && kept.allSatisfy { names.actor($0) == "actor Keeper" }, "\(kept.count)")

    let tables = SummaryTables(SummaryCounts(recording)).all
    let awaits = rows(tables.first { $0.key == "awaits" })
    let hosting = awaits.filter { $0["function"]?.contains("Jobs.hosts") == true && $0["task"]?.contains("Jobs.run") == true }
    #expect(hosting.compactMap { $0["count"].flatMap(Int.init) }.reduce(0, +) >= rounds, "\(awaits)")
    let kinds = rows(tables.first { $0.key == "tasks" }).filter { $0["function"]?.contains("Jobs.run") == true }
    #expect(kinds.map { $0["tasks"] } == ["\(rounds)"], "\(kinds)")
    #expect(rows(tables.first { $0.key == "actors" }).map { $0["name"] } == ["\"actor Keeper\""])
    let page = PageData.read(recording).tasks
    #expect(
      page.bars.filter { $0.kind == .task }.count == Set(parts.map(\.number)).count && page.bars.contains { $0.kind == .await })
  }
}
