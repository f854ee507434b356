// RequestTests.swift: what a process answers to its readers: memory of which its description speaks, and stacks;
// nothing else, whatever is asked. What an asker makes of answers that make no sense.
import Glibc
import SignalboxTestSupport
import SignalboxView
import Testing

@testable import SignalboxInspector
@testable import SignalboxSystem

/// Answers that a test has written down.
private final class SaidChannel: ByteChannel, @unchecked Sendable {
  // SAFETY of @unchecked: one test's thread uses it.
  private var said: [[UInt8]]
  private(set) var asked = ""
  init(_ said: [[UInt8]]) { self.said = said }
  convenience init(_ said: String...) { self.init(said.map { Array($0.utf8) }) }

  func read(until deadline: UInt64) throws(SystemError) -> [UInt8]? { said.isEmpty ? nil : said.removeFirst() }
  func write(_ bytes: [UInt8], until deadline: UInt64) -> Bool {
    asked += String(decoding: bytes, as: UTF8.self)
    return true
  }
}

@Suite("Requests") struct RequestTests {
  private static let greeting = "signalbox-inspect 2 0x1000\n"

  /// A connection to the program's process.
  private func connection(_ program: InspectedProgram) throws -> LocalConnection {
    let process = try #require(OtherProcess(program.child.id))
    #expect(eventually { !InspectionPlace.paths(of: process).isEmpty })
    let path = try #require(InspectionPlace.paths(of: process).first)
    var made: LocalConnection?
    #expect(
      eventually {
        made = try? LocalConnection(to: path)
        return made != nil
      })
    return try #require(made)
  }

  private func requests(_ program: InspectedProgram) throws -> ProcessRequests {
    let requests = ProcessRequests(try connection(program), patience: 60_000_000_000)
    try #require(requests.failure == nil && requests.table != 0)
    return requests
  }

  // MARK: what is answered

  /// What there is of each thread and queue that stands still.
  private func facts(_ inspection: Inspection) -> [String] {
    inspection.threads.map {
      "\($0.id) \($0.name) \($0.isMain) \($0.isOwn) \($0.inside) \($0.runs?.kind ?? "") \($0.runs?.function ?? []) "
        + "\($0.wait?.kind ?? "") \($0.wait?.object ?? "") \($0.wait?.name ?? "") \($0.wait?.because ?? "") "
        + "\($0.wait?.holders ?? []) \($0.wait == nil ? [] : $0.stack)"
    }
      + inspection.queues.map {
        "\($0.address) \($0.label) \($0.kind) \($0.qos) \($0.pending) \($0.isCounted) \($0.done) \($0.owner ?? 0) "
          + "\($0.suspended) \($0.isInactive) \($0.target ?? "") \($0.next) \($0.urgent.map { "\($0)" } ?? "")"
      }
      + inspection.pools.map { "\($0)" } + inspection.armed.map { "\($0.kind) \($0.queue) \($0.function)" }
      + inspection.monitored.map { "\($0)" }
      + ["\(inspection.timers ?? -1) \(inspection.events ?? -1) \(inspection.cycles)"]
  }

  @Test(
    "What a process answers makes the same inspection as what the kernel shows",
    arguments: ["deadlock", "asleep", "waits", "global", "idle", "events"])
  func same(mode: String) throws {
    let program = try InspectedProgram([mode], adding: ["SIGNALBOX_MAX_THREADS": mode == "waits" ? "64" : "2"])
    let process = try InspectedProcess(program.child.id, patience: 60_000_000_000)
    _ = try requests(program)
    // Threads begin to sleep some time after the program is ready: then both are the same, and stay so.
    var asked: Inspection?, read: Inspection?
    #expect(
      eventually {
        (asked, read) = (try? process.ask().first, try? process.inspect().first)
        guard let asked, let read, mode != "deadlock" || !asked.cycles.isEmpty else { return false }
        return facts(asked) == facts(read)
      }, "\(asked.map(facts) ?? [])\n\(read.map(facts) ?? [])")
    #expect(asked?.source == "answers" && read?.source == "memory")
    let text = InspectionTables([try #require(asked)], process: "1 (InspectProbe)", InspectOptions()).text
    #expect(text.contains("the kernel does not show its memory: it has answered itself"), "\(text)")
  }

  @Test("10,000 queues are asked for, and all are there")
  func crowd() throws {
    let program = try InspectedProgram(["crowd", "10000", "10"])
    _ = try requests(program)
    let asked = try #require(try InspectedProcess(program.child.id, patience: 60_000_000_000).ask().first)
    #expect(asked.queues.filter { $0.label.hasPrefix("crowd.") }.count == 10_001 && asked.lost == 0)
  }

  @Test("Queues that come and go while they are asked for: those that stay are always there, once")
  func churn() throws {
    let program = try InspectedProgram(["churn"]), process = try InspectedProcess(program.child.id, patience: 60_000_000_000)
    _ = try requests(program)
    let stays = (0..<20).map { "churn.stays.\($0)" }
    for _ in 0..<20 {
      let queues = try #require(try process.ask().first).queues
      #expect(queues.map(\.label).filter { $0.hasPrefix("churn.stays.") }.sorted() == stays.sorted())
      #expect(Set(queues.map(\.address)).count == queues.count)
    }
  }

  @Test("The stack of a thread that sleeps, of one that runs, and of one that there is not")
  func stacks() throws {
    let program = try InspectedProgram(["busy"]), requests = try requests(program)
    let inspection = try program.inspect(until: { !$0.onQueue("probe.long").isEmpty })
    let sleeping = try #require(inspection.onQueue("probe.long").first)
    let found = try #require(requests.stack(of: Int32(sleeping.id)))
    #expect(found.addresses.count > 5 && found.gap == nil, "\(found)")
    let none = try #require(requests.stack(of: 1 << 22))
    #expect(none.addresses.isEmpty && none.gap == "the thread has ended", "\(none)")
    let stacks = try program.inspect(wantsStacks: true)
    #expect(stacks.threads.allSatisfy { $0.isOwn || !$0.stack.isEmpty || $0.stackEnd != nil }, "\(stacks.threads)")
  }

  @Test(
    "Of a process that does not answer the stacks of threads that sleep are read; the inspection says that others are missing")
  func withoutStacks() throws {
    let asleep = try InspectedProgram(["asleep"], isPrepared: false, adding: ["SIGNALBOX_MAX_THREADS": "2"])
    let sleeping = try asleep.inspect(wantsStacks: true, until: { $0.threads.allSatisfy { $0.state == "sleeps" } })
    #expect(sleeping.threads.allSatisfy { $0.isOwn || !$0.stack.isEmpty && $0.stackEnd == nil }, "\(sleeping.threads)")
    let busy = try InspectedProgram(["flood"], isPrepared: false)
    let found = try busy.inspect(wantsStacks: true, until: { $0.threads.contains { $0.stackEnd == "the thread runs" } })
    #expect(
      found.unread.contains {
        $0.hasPrefix("the stacks of threads that run: a process that was started with SIGNALBOX_INSPECT=1")
      },
      "\(found.unread)")
  }

  // MARK: what is not

  @Test("Memory of which the description does not speak is not shown, and the process goes on")
  func foreignMemory() throws {
    let program = try InspectedProgram(["busy"]), requests = try requests(program)
    let live = try LiveProcess(try #require(OtherProcess(program.child.id)))
    #expect(requests.bytes(requests.table, 8 * 128)?.count == 1_024)
    #expect(requests.bytes(requests.table - 8, 8) == nil && requests.bytes(requests.table + 8 * 128 - 4, 8) == nil)
    // Each page that is mapped, by its first words: only what belongs to the description is answered.
    var shown = 0, all = 0
    for part in OtherImages.parts(process: program.child.id) {
      for address in [part.range.lowerBound, part.range.upperBound - 64] {
        guard live.memory.bytes(address, 64) != nil else { continue }
        all += 1
        if requests.bytes(address, 64) != nil { shown += 1 }
      }
    }
    #expect(all > 20 && shown == 0 && requests.failure == nil, "\(shown) of \(all)")
    for (address, count) in [(UInt64(0), 8), (1, 1), (.max, 1), (.max - 7, 8), (1 << 63, 4_096)] {
      #expect(requests.bytes(ReadNumber(address), count) == nil)
    }
    #expect(requests.failure == nil && requests.bytes(requests.table, 8) != nil)
  }

  @Test(
    "What is no request ends the connection, and the process answers the next",
    arguments: [
      "bytes", "bytes 0x1000", "bytes 1000 8", "bytes 0x1000 0", "bytes 0x1000 -8", "bytes 0x1000 99999999999999999999",
      "bytes 0x1000 8388609", "bytes 0xffffffffffffffffff 8", "bytes 0x1000 8 8", "stack", "stack x", "stack -1", "stack 0",
      "stack 99999999999", "", "inspect", String(repeating: "x", count: 1_000),
    ])
  func strange(request: String) throws {
    let program = try InspectedProgram(["only"]), connection = try connection(program)
    let deadline = Clock.uptime() + 60_000_000_000
    #expect(connection.write(Array("signalbox-inspect 2\n\(request)\n".utf8), until: deadline))
    var said: [UInt8] = []
    while let more = try? connection.read(until: deadline), !more.isEmpty { said += more }
    #expect(said.filter { $0 == UInt8(ascii: "\n") }.count <= 1, "\(String(decoding: said, as: UTF8.self))")
    #expect(try program.inspect().queue("probe.only").isCounted)
    _ = try requests(program)
  }

  @Test("Random lines and bytes: the process goes on, and answers in order")
  func random() throws {
    let program = try InspectedProgram(["busy"])
    var dice = Dice(seed: 7)
    let words = [
      "bytes", "stack", "signalbox-inspect", "2", "1", "0x", "0x1000", "8", "-1", "\n", "\0", " ", "é", "99999999999999999999",
    ]
    for _ in 0..<200 {
      let connection = try connection(program), deadline = Clock.uptime() + 60_000_000_000
      var text = dice.next() % 2 == 0 ? "signalbox-inspect 2\n" : ""
      for _ in 0..<Int(dice.next() % 40) { text += words.randomElement(using: &dice)! + (dice.next() % 3 == 0 ? "\n" : " ") }
      _ = connection.write(Array(text.utf8), until: deadline)
    }
    let requests = try requests(program)
    #expect(requests.bytes(requests.table, 8) != nil)
  }

  @Test("A reader of another version gets the greeting, by which it knows")
  func versions() throws {
    let program = try InspectedProgram(["only"]), connection = try connection(program)
    let deadline = Clock.uptime() + 60_000_000_000
    #expect(connection.write(Array("signalbox-inspect 1\n".utf8), until: deadline))
    let said = try connection.read(until: deadline) ?? []
    #expect(String(decoding: said, as: UTF8.self).hasPrefix("signalbox-inspect 2 0x"))
    #expect(connection.write(Array("bytes 0x1000 8\n".utf8), until: deadline))
    #expect(try connection.read(until: deadline) == [])
  }

  @Test("A process that hides its memory from its user answers nothing")
  func hidden() throws {
    let program = try InspectedProgram(["undumpable"])
    let requests = ProcessRequests(try connection(program), patience: 60_000_000_000)
    #expect(requests.failure == .end)
    #expect(throws: InspectRefusal.self) { try InspectedProcess(program.child.id).ask() }
  }

  // MARK: answers that make no sense

  @Test("What a process says is taken as long as it makes sense; then nothing more is asked")
  func answers() {
    func made(_ more: String...) -> ProcessRequests {
      ProcessRequests(SaidChannel(([Self.greeting] + more).map { Array($0.utf8) }), patience: 1_000_000)
    }
    #expect(made().table == 0x1000 && made().failure == nil)
    #expect(made("8\n12345678").bytes(0x1000, 8) == Array("12345678".utf8))
    #expect(made("8", "\n1234", "5678").bytes(0x1000, 8) == Array("12345678".utf8))
    for other in ["0\n", "9\n123456789", "-1\n", "x\n", "\n", "99999999999999999999\n"] {
      #expect(made(other).bytes(0x1000, 8) == nil, "\(other)")
    }
    let cut = made("8\n1234")
    #expect(cut.bytes(0x1000, 8) == nil && cut.failure == .silence && cut.bytes(0x1000, 8) == nil)
    let ended = made("8\n1234", "")
    #expect(ended.bytes(0x1000, 8) == nil && ended.failure == .end)
    #expect(made("2 0x10 0x20 the sea\n").stack(of: 1)?.addresses == [0x10, 0x20])
    #expect(made("2 0x10 0x20 the sea\n").stack(of: 1)?.gap == "the sea" && made("0\n").stack(of: 1)?.gap == nil)
    for other in ["3 0x10 0x20\n", "-1\n", "2 10 20\n", "\n", "9223372036854775807 0x1\n"] {
      #expect(made(other).stack(of: 1) == nil, "\(other)")
    }
    for greeting in [
      "signalbox-inspect 3 0x10\n", "signalbox-inspect 2\n", "hello\n", "signalbox-inspect 2 10\n",
      String(repeating: "x", count: 9_000),
    ] {
      #expect(ProcessRequests(SaidChannel(greeting), patience: 1_000_000).failure == .otherVersion, "\(greeting.prefix(40))")
    }
  }
}
