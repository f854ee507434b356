// RecordedProgramTests.swift: a program is recorded, and the recording says what the program did: items, waits, holders; after SIGKILL as
// well. What may not be a recording's file is refused.
import Glibc
import SignalboxRecorder
import SignalboxSystem
import Testing

@testable import SignalboxTimeline

@Suite("Recorded programs") struct RecordedProgramTests {
  private final class Folder: Sendable {
    let path: String
    init() throws { path = try Files.makeFreshFolder("/tmp/signalbox-tests-").description }
    deinit { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(path)], environment: []) }
    func callAsFunction(_ name: String) -> String { path + "/" + name }
  }

  private let folder: Folder
  private let programs: RawString

  init() throws {
    folder = try Folder()
    let tests = try Files.realPath("/proc/self/exe").bytes
    programs = RawString(tests[...(tests.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
  }

  private func run(
    _ program: RawString, _ arguments: [String], record: String? = nil, isInspected: Bool = false, isCounted: Bool = false
  ) throws -> (text: String, status: Int32?) {
    var environment = record.map { [RawString("SIGNALBOX_RECORD=" + $0)] } ?? []
    if isCounted { environment += ["SIGNALBOX_FIGURES=1"] }
    if isInspected { environment += ["SIGNALBOX_INSPECT=1", RawString("XDG_RUNTIME_DIR=" + folder.path)] }
    let printed = try Programs.output(
      of: programs + program, arguments: [program] + arguments.map { RawString($0) }, environment: environment, seconds: 500)
    return (String(decoding: printed.bytes, as: UTF8.self), printed.status)
  }

  /// What a listener hears, counted.
  private struct Tally: TimelineSink {
    var submitted: [ReadNumber: Int] = [:], ran: [ReadNumber: Int] = [:]
    var unmatched = 0, lateness: [ReadNumber] = []
    var slices: [String: Int] = [:], open = 0, marks: [ReadNumber] = [], depths: [ReadNumber: Int] = [:], gaps = 0
    var disordered = 0, holders: [ReadNumber] = []
    mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber) {
      submitted[item.queue, default: 0] += 1
    }
    mutating func began(_ slice: TimelineSlice, on thread: Int) {
      open += 1
      slices["\(slice.kind)", default: 0] += 1
      if slice.kind == .waitBegan { holders.append(slice.number) }
      guard let item = slice.item else { return }
      ran[item.queue, default: 0] += 1
      guard let submitted = item.submitted else { return unmatched += 1 }
      if submitted.time > slice.begin { disordered += 1 }
    }
    mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber) {
      open -= 1
      if time < slice.begin { disordered += 1 }
    }
    mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber) { depths[queue] = depth }
    mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber) { marks.append(number) }
    mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber) {
      if let late { lateness.append(late) }
    }
    mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber) { gaps += 1 }
  }

  private func check(_ recording: RecordingFile, rounds: Int) throws {
    var tally = Tally()
    Replay.run(recording, &tally)
    let names = TimelineNames(recording)
    let counts = Dictionary(uniqueKeysWithValues: tally.ran.map { (names.queue($0.key, at: .max), $0.value) })
    #expect(counts == ["probe.serial": 5 * rounds + 2, "probe.concurrent": 2 * rounds])
    #expect(tally.submitted == tally.ran && tally.unmatched == 0 && tally.disordered == 0 && tally.gaps == 0 && tally.open == 0)
    #expect(tally.marks == (0..<UInt64(rounds)).map { ReadNumber($0) })
    #expect(tally.slices["intervalBegan"] == rounds && tally.slices["turnBegan"] == rounds)
    #expect(tally.depths.values.allSatisfy { $0 == 0 })
    #expect(tally.lateness.count == 1)
    // Whoever wanted the lock has waited for the main thread, which had it.
    let main = try #require(recording.threads.first { $0.isMain })
    let waited = recording.threads.flatMap(\.events).filter { $0.kind == .waitBegan && $0.b == main.owner }
    #expect(waited.contains { names.object($0.a, at: $0.time).hasPrefix("mutex") })
    #expect(recording.lostEvents == 0 && recording.lostNames == 0)
  }

  @Test("The environment's recording says what the program did")
  func environment() throws {
    let file = folder("a")
    #expect(try run("RecordProbe", ["work", "20"], record: file).status == 0)
    let status = try FileStatus(of: RawString(file))
    #expect(status.permissions == 0o600)
    let recording = try RecordingFile(file)
    #expect(recording.isComplete)
    try check(recording, rounds: 20)
  }

  @Test("In a program with locks and no queues a wait is recorded, with the lock's name and its holder")
  func locksAlone() throws {
    let file = folder("a")
    #expect(try run("RecordLocksProbe", [], record: file).status == 0)
    let recording = try RecordingFile(file), names = TimelineNames(recording)
    let events = recording.threads.flatMap(\.events)
    let wait = try #require(events.first { $0.kind == .waitBegan })
    #expect(names.object(wait.a, at: wait.time).contains("alone"), "\(names.object(wait.a, at: wait.time))")
    #expect(wait.b != 0, "the holder")
    #expect(events.contains { $0.kind == .waitEnded })
  }

  @Test("While a program may be inspected, which makes samples of some items, each run is still its submission's")
  func sampled() throws {
    let file = folder("a"), rounds = 400
    #expect(try run("RecordProbe", ["work", "\(rounds)"], record: file, isInspected: true).status == 0)
    let recording = try RecordingFile(file)
    #expect(recording.isComplete)
    try check(recording, rounds: rounds)
    let text = RecordingSummary(recording).text()
    #expect(!text.contains("have no submission here") && !text.contains("have no run here"), "\(text)")
  }

  /// When each item of one queue was submitted and when it began, in the order of the beginnings.
  private struct Waits: TimelineSink {
    let names: TimelineNames, label: String
    var items: [(submitted: ReadNumber, began: ReadNumber)] = [], unmatched = 0
    init(_ names: TimelineNames, of label: String) { (self.names, self.label) = (names, label) }
    mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber) {}
    mutating func began(_ slice: TimelineSlice, on thread: Int) {
      guard let item = slice.item, names.queue(item.queue, at: slice.begin) == label else { return }
      if let submitted = item.submitted { items.append((submitted.time, slice.begin)) } else { unmatched += 1 }
    }
    mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber) {}
    mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber) {}
    mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber) {}
    mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber) {}
    mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber) {}
  }

  @Test(
    "A source that accepts connections has waited for none that was accepted before: each run is its own submission's",
    arguments: ["plain", "inspected", "counted"])
  func accepting(how: String) throws {
    let file = folder("a"), rounds = 10
    let ran = try run(
      "RecordProbe", ["accept", "\(rounds)"], record: file, isInspected: how == "inspected", isCounted: how == "counted")
    #expect(ran.status == 0, "\(ran.text)")
    let recording = try RecordingFile(file)
    #expect(recording.isComplete && recording.lostEvents == 0)
    var waits = Waits(TimelineNames(recording), of: "probe.accept")
    Replay.run(recording, &waits)
    let items = waits.items.sorted { $0.began < $1.began }
    #expect(waits.unmatched == 0 && items.count >= 12 * rounds, "\(items.count)")
    // The source lies in its queue once at a time: it is submitted again only after the run before has begun. A run that is taken for
    // another's waits longer than that.
    for (before, item) in zip(items, items.dropFirst()) {
      #expect(before.began <= item.submitted && item.submitted <= item.began, "\(before), \(item)")
    }
    let text = RecordingSummary(recording).text()
    #expect(!text.contains("have no submission here") && !text.contains("have no run here"), "\(text)")
  }

  @Test("A program records a part of its own work")
  func programsOwn() throws {
    let file = folder("a")
    #expect(try run("RecordProbe", ["api", file]).status == 0)
    let recording = try RecordingFile(file)
    #expect(recording.isComplete)
    try check(recording, rounds: 3)
  }

  @Test("Each way to submit is seen, of queues and threads that come and go as well", arguments: [false, true])
  func wide(isInspected: Bool) throws {
    let file = folder("a"), ways = 50
    #expect(try run("RecordProbe", ["wide"], record: file, isInspected: isInspected).status == 0)
    let recording = try RecordingFile(file)
    #expect(recording.isComplete && recording.lostEvents == 0 && recording.lostNames == 0)
    var tally = Tally()
    Replay.run(recording, &tally)
    #expect(tally.unmatched == 0 && tally.disordered == 0 && tally.gaps == 0 && tally.open == 0)
    let names = TimelineNames(recording)
    // Queues that came and went may have had one address.
    let ran = tally.ran.map { (names.queue($0.key, at: .max), $0.value) }.filter { !$0.0.hasPrefix("short") }
    let counts = Dictionary(ran, uniquingKeysWith: +)
    let expected = ["wide.one": ways, "wide.two": ways, "wide.beside": ways, "wide.late": ways, "wide.target": 1]
    for (queue, count) in expected { #expect(counts[queue] == count, "\(queue): \(counts)") }
    #expect(counts["probe.serial"] == 2 * ways && counts["probe.concurrent"] ?? 0 >= ways, "\(counts)")
    let short = Set(
      recording.threads.flatMap(\.events).filter { $0.kind == .submitted }.map { names.queue($0.a & ~15, at: $0.time) })
    #expect(short.isSuperset(of: (0..<20).map { "short.\($0)" }), "\(short)")
    #expect(recording.threads.filter { $0.events.contains { $0.kind == .threadEnded } }.count >= ways)
    // Threads that follow each other write into one ring.
    #expect(try FileStatus(of: RawString(file)).identity.size < 20 * RecordLayout.chunkSize)
  }

  /// For each mark the label of the queue whose item made it.
  private struct Labels: TimelineSink {
    let names: TimelineNames
    var labels: [ReadNumber: String] = [:], marks = 0, turns: [String: Int] = [:], gaps = 0
    private var open: [Int: [TimelineSlice]] = [:]
    init(_ names: TimelineNames) { self.names = names }
    mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber) {}
    mutating func began(_ slice: TimelineSlice, on thread: Int) {
      open[thread, default: []].append(slice)
      if slice.kind == .turnBegan { turns[names.queue(slice.object, at: slice.begin), default: 0] += 1 }
    }
    mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber) { open[thread]?.removeLast() }
    mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber) {}
    mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber) {
      guard let item = open[thread]?.last(where: { $0.item != nil }), let queue = item.item?.queue else { return }
      marks += 1
      labels[number] = names.queue(queue, at: item.begin)
    }
    mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber) {}
    mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber) { gaps += 1 }
  }

  @Test("Queues that are made and freed by the thousand, at addresses that others had, have each its own name and items")
  func churn() throws {
    let file = folder("a"), threads = 4, queues = 5_000
    #expect(try run("RecordProbe", ["churn", "\(threads)", "\(queues)"], record: file).status == 0)
    let recording = try RecordingFile(file)
    #expect(recording.isComplete && recording.lostEvents == 0 && recording.lostNames == 0 && !recording.lacksRoom)
    var found = Labels(TimelineNames(recording)), wrong: [String] = []
    Replay.run(recording, &found)
    #expect(found.marks == threads * queues && found.labels.count == threads * queues && found.gaps == 0)
    for (number, label) in found.labels where label != "churn.\(number >> 32).\(number & 0xFFFF_FFFF)" {
      wrong.append("\(number >> 32).\(number & 0xFFFF_FFFF): \(label)")
    }
    #expect(wrong.isEmpty, "\(wrong.count), such as \(wrong.prefix(5))")
    // What got its turn has the name as well.
    let turns = found.turns.filter { $0.key.hasPrefix("churn.") }
    #expect(turns.count == threads * queues && turns.values.allSatisfy { $0 == 1 })
    // Most had an address that another had had.
    let addresses = Set(recording.threads.flatMap(\.events).filter { $0.kind == .submitted }.map { $0.a & ~15 })
    #expect(addresses.count < threads * queues / 2, "\(addresses.count)")
  }

  /// Whether a file system can be made here that nobody else sees.
  private static let mayMount: Bool = {
    let line = "unshare -m mount -t tmpfs -o size=64k none /mnt 2>&1"
    let printed = try? Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
    return printed?.status == 0
  }()

  @Test(
    "A full disk, and a limit of file sizes, are reported; the program continues, and the newest events are there",
    arguments: mayMount ? ["disk", "limit"] : ["limit"])
  func full(how: String) throws {
    let place = folder("disk"), count: UInt64 = 1_000_000
    try Files.makeFolder(RawString(place))
    let command = "SIGNALBOX_RECORD='\(place)/a' '\(programs)RecordProbe' cost \(count)"
    let line =
      how == "limit"
      ? "ulimit -f 2048; \(command) 2>&1; echo status $?; cp '\(place)/a' '\(folder("copy"))'"
      : "unshare -m bash -c \"mount -t tmpfs -o size=2m none '\(place)' && { \(command) 2>&1; echo status \\$?; "
        + "cp '\(place)/a' '\(folder("copy"))'; }\""
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
    let text = String(decoding: printed.bytes, as: UTF8.self)
    #expect(text.contains("status 0\n"), "\(text)")
    #expect(
      text.contains(
        "SIGNALBOX_RECORD=\(place)/a: there was no room for more than 1 MiB of the recording, on the disk or by the limit of file sizes: the "
          + "newest events are in it"), "\(text)")
    let recording = try RecordingFile(folder("copy"))
    #expect(recording.isComplete && recording.lacksRoom && recording.lostEvents == 0)
    let main = try #require(recording.threads.first { $0.isMain })
    let marks = main.events.filter { $0.kind == .mark }.map(\.number.bits)
    #expect(marks == Array(count - UInt64(marks.count)..<count) && marks.count > RecordLayout.cellsInChunk, "\(marks.count)")
    #expect(main.gaps.map(\.count.bits) == [count + 1_002 - UInt64(marks.count)])
    let summary = try run("signalbox", ["summary", folder("copy")])
    #expect(
      summary.text.contains("\nthe file had no room for more, on the disk or by the limit of file sizes\n")
        && summary.text.contains("events were lost"),
      "\(summary.text)")
    #expect(try run("signalbox", ["summary", folder("copy"), "--json"]).text.contains("\"lacksRoom\":true"))
    #expect(try run("signalbox", ["view", folder("copy"), "-o", folder("page")]).status == 0)
    #expect(Files.text(RawString(folder("page")))?.contains("\"lacksRoom\":true") == true)
  }

  @Test("Where there is no room for a beginning nothing is recorded, and the program goes on")
  func noRoom() throws {
    let line = "ulimit -f 1; SIGNALBOX_RECORD='\(folder("a"))' '\(programs)RecordProbe' work 2 2>&1; echo status $?"
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
    let text = String(decoding: printed.bytes, as: UTF8.self)
    #expect(
      text.contains("nothing is recorded, because there is no room for it on the disk, or by the limit of file sizes")
        && text.hasSuffix("status 0\n"), "\(text)")
  }

  @Test("A flight recording stays small, holds the newest events, and says how many went")
  func flight() throws {
    let file = folder("a"), count: UInt64 = 4_000_000
    let printed = try Programs.output(
      of: programs + "RecordProbe", arguments: ["RecordProbe", "cost", RawString("\(count)")],
      environment: [RawString("SIGNALBOX_RECORD=" + file), "SIGNALBOX_FLIGHT=3600"], seconds: 500)
    #expect(printed.status == 0)
    #expect(try FileStatus(of: RawString(file)).identity.size <= Recorder.flightLimit)
    let recording = try RecordingFile(file)
    #expect(recording.seconds == 3600 && recording.isComplete && recording.lostEvents == 0)
    let main = try #require(recording.threads.first { $0.isMain })
    let marks = main.events.filter { $0.kind == .mark }.map(\.number.bits)
    #expect(marks == Array(count - UInt64(marks.count)..<count) && marks.count > 2_500_000)
    // 1,000 events before it, and two that say whose ring it is.
    #expect(main.gaps.map(\.count.bits) == [count + 1_002 - UInt64(marks.count)])
  }

  @Test("A flight recording has a file of its own name where none is given", arguments: ["", "2"])
  func flightFile(seconds: String) throws {
    let line = "cd '\(folder.path)' && SIGNALBOX_FLIGHT=\(seconds) '\(programs)RecordProbe' work 2 && ls"
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
    let name = String(decoding: printed.bytes, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
    try #require(name.hasPrefix("signalbox-flight.") && Int32(name.dropFirst(17)) ?? 0 > 0, "\(name)")
    let recording = try RecordingFile(folder(name))
    #expect(recording.seconds == (seconds.isEmpty ? 10 : 2) && recording.threads.contains { $0.isMain })
  }

  @Test("A value that is not a number of seconds is reported, and nothing is recorded", arguments: ["x", "-1", "3601", "off"])
  func badFlight(seconds: String) throws {
    let line = "cd '\(folder.path)' && SIGNALBOX_FLIGHT=\(seconds) '\(programs)RecordProbe' work 2 2>&1; ls"
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
    let text = String(decoding: printed.bytes, as: UTF8.self)
    let expected =
      "SIGNALBOX_FLIGHT=\(seconds) is not a whole number of seconds from 1 to 3600, nor off: there is no flight recording"
    #expect(seconds == "off" ? text.isEmpty : text.contains(expected) && !text.contains("signalbox-flight."), "\(text)")
  }

  @Test("Functions of items have their names")
  func functions() throws {
    let file = folder("a")
    #expect(try run("RecordProbe", ["work", "1"], record: file).status == 0)
    let recording = try RecordingFile(file)
    let names = TimelineNames(recording)
    let items = recording.threads.flatMap(\.events).filter { $0.kind == .submitted }.map {
      names.item(TimelineItem(flow: 1, queue: 0, outer: $0.c))
    }
    #expect(items.count == 9 && items.allSatisfy { $0.name.contains("Work.run") }, "\(items)")
    // Of closures that capture something as well.
    #expect(items.allSatisfy { $0.place?.contains("main.swift:") == true }, "\(items)")
  }

  @Test("What a program had written when it was killed is read")
  func killed() throws {
    let file = folder("a")
    let line =
      "SIGNALBOX_RECORD='\(file)' '\(programs)RecordProbe' endless > '\(folder("out"))' & probe=$!; "
      + "n=0; while [ ! -s '\(folder("out"))' ] && [ $n -lt 3000 ]; do n=$((n+1)); read -t 0.02 x <> '\(folder("wait"))' || true; done; "
      + "kill -9 $probe; wait $probe; echo $?"
    #expect(mkfifo(folder("wait"), 0o600) == 0)
    let printed = try Programs.output(
      of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
    #expect(String(decoding: printed.bytes, as: UTF8.self).hasSuffix("137\n"))
    let recording = try RecordingFile(file)
    #expect(!recording.isComplete)
    var tally = Tally()
    Replay.run(recording, &tally)
    #expect(tally.marks.count >= 10 && tally.marks.prefix(10).map(\.bits) == Array(0..<10))
    #expect(tally.open == 0 && tally.disordered == 0 && tally.unmatched == 0)
  }

  @Test("A file that is none of a recording's is refused, with the reason, and the program runs")
  func refusals() throws {
    let fifo = folder("fifo"), link = folder("link"), text = folder("text"), target = folder("target")
    #expect(mkfifo(fifo, 0o600) == 0)
    try PrivateFile.append("somebody's words", to: text)
    try Files.makeLink(RawString(link), to: RawString(target))
    let cases = [
      (fifo, "it is no regular file"), (folder.path, "it is no regular file"), ("/dev/null", "it is no regular file"),
      (link, "it is a symbolic link"), (text, "it holds something else already"), (folder("no/such"), "No such file"),
    ]
    for (file, reason) in cases {
      let result = try run("RecordProbe", ["work", "1"], record: file)
      #expect(result.status == 0, "\(file)")
      #expect(result.text.contains("nothing is recorded, because") && result.text.contains(reason), "\(file): \(result.text)")
    }
    #expect(Files.text(RawString(text)) == "somebody's words")
    #expect((try? FileStatus(of: RawString(target))) == nil)
  }

  @Test("A recording becomes a page beside it, which is its user's alone")
  func view() throws {
    let file = folder("a.b.signalbox"), page = folder("a.b.html"), named = folder("named")
    #expect(try run("RecordProbe", ["work", "2"], record: file).status == 0)
    let printed = try run("signalbox", ["view", file])
    #expect(printed.status == 0 && printed.text == page + "\n", "\(printed.text)")
    #expect(try FileStatus(of: RawString(page)).permissions == 0o600)
    let text = try #require(Files.text(RawString(page)))
    #expect(text.hasPrefix("<!doctype html>") && text.contains("probe.serial") && text.contains("Work.run"))
    for option in [["-o", named], ["--output", named], ["--output=" + named]] {
      #expect(try run("signalbox", ["view"] + option + [file]).text == named + "\n")
    }
    #expect(Files.text(RawString(named)) == text)
    // Names without an ending, and folders with one.
    let inner = folder("dotted.folder"), plain = inner + "/plain"
    try Files.makeFolder(RawString(inner))
    #expect(try run("signalbox", ["view", file, "-o", plain]).status == 0)
    for name in [inner + "/recording", inner + "/.hidden"] {
      let moved = try Programs.output(
        of: "/bin/cp", arguments: ["cp", RawString(file), RawString(name)], environment: [], seconds: 500)
      #expect(moved.status == 0)
      #expect(try run("signalbox", ["view", name]).text == name + ".html\n")
    }
  }

  @Test("What cannot become a page is refused, with the reason")
  func viewRefusals() throws {
    let file = folder("a.signalbox"), text = folder("text"), link = folder("link"), fifo = folder("fifo"), page = folder("page")
    #expect(try run("RecordProbe", ["work", "1"], record: file).status == 0)
    try PrivateFile.append("somebody's words", to: text)
    try Files.makeLink(RawString(link), to: RawString(folder("target")))
    #expect(mkfifo(fifo, 0o600) == 0)
    for (input, reason) in [
      (text, "is neither a recording nor a file of reports"), (folder("absent"), "cannot be read"),
      (folder.path, "is no regular file"), (fifo, "is no regular file"),
    ] {
      let refused = try run("signalbox", ["view", input, "-o", page])
      #expect(refused.status == 65 && refused.text.contains("signalbox: view: \(input) \(reason)"), "\(refused.text)")
      #expect((try? FileStatus(of: RawString(page))) == nil)
    }
    for output in [link, fifo, folder.path, folder("no/such")] {
      let refused = try run("signalbox", ["view", file, "-o", output])
      #expect(refused.status == 73 && refused.text.contains("\(output) cannot be written, because"), "\(refused.text)")
    }
    #expect((try? FileStatus(of: RawString(folder("target")))) == nil)
    // What is being recorded is not written over.
    let busy = try GrowingFile(page, room: 1 << 20) { _ in false }
    #expect(busy.grow(0, 4096))
    #expect(try run("signalbox", ["view", file, "-o", page]).text.contains("in use"))
    for same in [file, "\(folder.path)/./a.signalbox"] {
      let refused = try run("signalbox", ["view", file, "-o", same])
      #expect(refused.status == 64 && refused.text.contains("would take the place of \(file)"), "\(refused.text)")
    }
    for wrong in [[], [file, text], ["-x", file], [file, "-o"], [file, "-o", "-x"], ["-o", page], [file, "--output="]] {
      let refused = try run("signalbox", ["view"] + wrong)
      #expect(refused.status == 64 && refused.text.contains("one file is to be named"), "\(wrong): \(refused.text)")
    }
  }

  @Test("The commands refuse what is no recording, and write Perfetto's form")
  func commands() throws {
    let file = folder("a"), out = folder("a.pftrace")
    #expect(try run("RecordProbe", ["work", "2"], record: file).status == 0)
    #expect(try run("signalbox", ["perfetto", file, out]).status == 0)
    let trace = try FileStatus(of: RawString(out))
    #expect(trace.permissions == 0o600 && trace.identity.size > 1_000)
    let summary = try run("signalbox", ["summary", file])
    #expect(summary.status == 0 && summary.text.contains(#/\n  probe\.serial +12[ ]/#), "\(summary.text)")
    let json = try run("signalbox", ["summary", file, "--json"])
    #expect(json.status == 0 && json.text.contains("{\"name\":\"probe.serial\",\"items\":12,"), "\(json.text)")
    for other in [out, folder("absent"), folder.path] {
      #expect(try run("signalbox", ["summary", other]).status == 65)
      #expect(try run("signalbox", ["perfetto", other, folder("b")]).status == 65)
    }
    // What is being written is not written over.
    let busy = try GrowingFile(folder("busy"), room: 1 << 20) { _ in false }
    #expect(busy.grow(0, 4096))
    #expect(try run("signalbox", ["perfetto", file, folder("busy")]).status == 73)
    #expect(try FileStatus(of: RawString(folder("busy"))).identity.size == 4096)
    #expect(try run("signalbox", ["summary", file, "--all"]).status == 0)
    for wrong in [[], [file, "--all", "--json"], [file, "--least"]] {
      #expect(try run("signalbox", ["summary"] + wrong).status == 64)
    }
    #expect(try run("signalbox", ["perfetto", file]).status == 64)
  }
}
