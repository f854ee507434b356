// DamagedMemoryTests.swift: a process whose memory holds anything: reading it ends, and all that is shown of it can be
// shown. Core dumps that are damaged as files are DamagedCoreTests.swift.
import SignalboxSystem
import SignalboxView
import SignalboxWords
import Testing

@testable import SignalboxInspector

/// Memory of which each word is what a function of its address says.
private struct SpokenMemory: ProcessMemory {
  let word: @Sendable (_ address: UInt64) -> UInt64?
  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    var found: [UInt8] = []
    found.reserveCapacity(count + 8)
    let first = address.bits & 7
    for start in stride(from: 0, to: UInt64(count) + first, by: 8) {
      guard let word = word((address.bits & ~7) &+ start) else { return nil }
      withUnsafeBytes(of: word) { found += $0 }
    }
    return Array(found.dropFirst(Int(first)).prefix(count))
  }
}

@Suite("Processes with damaged memory") struct DamagedMemoryTests {
  private typealias Place = MadeProcess.Place
  static let wild: [UInt64] = [0, 1, .max, 1 << 63, .max / 2]

  /// The words of the made process's table, head and note, which lead to all others, and that it is no fork's child.
  private static func isOfTable(_ address: UInt64) -> Bool {
    (Place.base..<Place.slots).contains(address) || address == Place.base + 0xAF0
  }

  private func read(_ memory: MadeMemory, _ address: UInt64) -> UInt64? { memory.word64(ReadNumber(address))?.bits }

  @Test("The made process is read: who waits for whom, and how many items lie in its queues")
  func whole() throws {
    let shown = Shown.everything(MadeProcess(memory: MadeProcess.memory)), inspection = try #require(shown.inspections.first)
    #expect(inspection.cycles.map(\.threads) == [[11, 12]] && inspection.lost == 0, "\(shown.text)")
    #expect(try inspection.queue("made.0").pending == 2 && inspection.queue("made.1").pending == 15)
    let first = try inspection.queue("made.0"), second = try inspection.queue("made.1")
    #expect(first.next.map(\.kind) == ["async", "work item"] && second.next.map(\.kind) == ["async", "async", "async"])
    #expect(first.urgent?.qos == "userInitiated" && first.urgent?.behind == 1 && second.urgent == nil)
    #expect(inspection.threads.last?.inside.map(\.isItem) == [true, false])
    let pool = try #require(inspection.pools.first), global = try inspection.queue("made.3")
    #expect(pool.name == "default" && pool.threads == 3 && pool.running == 1 && pool.limit == 4)
    #expect(pool.workers == [12: "waits", 13: "runs"] && pool.beginning == 1, "\(pool)")
    #expect(global.kind == "global" && global.pending == 6 && !global.knowsDone && global.next.count == 3, "\(global)")
    #expect(shown.text.contains("deadlock: 2 threads wait for one another, forever"), "\(shown.text)")
    #expect(inspection.threads.first?.wait?.name == "made.lock" && inspection.threads.last?.runs?.seconds == 10)
    let queue = try inspection.queue("made.0")
    #expect(queue.oldest == 20 && queue.p50 == MadeProcess.Figures.half && queue.p95 == MadeProcess.Figures.most)
    #expect(inspection.timers == 2 && inspection.armed.map(\.kind) == ["asyncAfter", "timer source"], "\(shown.text)")
    #expect(inspection.monitored.map(\.label) == ["made.pipe", ""] && inspection.events == 4, "\(shown.text)")
    #expect(shown.text.contains("2 timers armed, the soonest of each clock first"), "\(shown.text)")
    let live = try #require(Shown.everything(MadeProcess(memory: MadeProcess.memory, source: "memory")).inspections.first)
    #expect(live.armed.map { $0.due?.rounded() } == [-5, 40], "\(live.armed)")
  }

  @Test("Lists of timers and arrays of descriptors that lead elsewhere are left, and a core is said to be damaged")
  func events() throws {
    for (place, text) in [
      (MadeProcess.link, "timers, whose lists are damaged"), (MadeProcess.count, "timers, whose lists are damaged"),
      (MadeProcess.watch, "what 1 descriptor may be monitored for, which is damaged"),
      (MadeProcess.table, "the descriptors that are monitored, whose list is damaged"),
      (MadeProcess.others, "other events that are monitored, whose number is damaged"),
    ] {
      var memory = MadeProcess.memory
      memory.set(.max - 7, at: place)
      let shown = Shown.everything(MadeProcess(memory: memory)), inspection = try #require(shown.inspections.first)
      #expect(inspection.lost == 1 && shown.text.contains("not read: \(text)\n"), "\(shown.text)")
      #expect(inspection.cycles.count == 1 && inspection.queues.count == 4)
      #expect(Shown.everything(MadeProcess(memory: memory, source: "memory")).inspections.first?.lost == 0)
    }
  }

  @Test("A process of an older version, whose table is shorter, tells nothing of timers and descriptors, as the answer says")
  func older() throws {
    var memory = MadeProcess.memory
    memory.set(0, at: Place.table + UInt64(DescribedWord.wordCount.rawValue * 8))
    let inspection = try #require(Shown.everything(MadeProcess(memory: memory)).inspections.first)
    #expect(inspection.timers == nil && inspection.events == nil && inspection.armed.isEmpty && inspection.lost == 0)
    #expect(inspection.unread.contains { $0.hasPrefix("timers, monitored descriptors, other events:") }, "\(inspection.unread)")
  }

  @Test("Each word of the memory in turn is wild: the process is refused, or shown", arguments: wild)
  func eachWord(wild: UInt64) {
    for address in stride(from: Place.base, to: Place.end, by: 8) {
      guard read(MadeProcess.memory, address) != 0 || (Place.queues..<Place.pages).contains(address) else { continue }
      var memory = MadeProcess.memory
      memory.set(wild, at: address)
      #expect(!Shown.everything(MadeProcess(memory: memory)).text.isEmpty)
    }
  }

  @Test("Some words at random are others: the process is refused, or shown", arguments: 1...4)
  func random(seed: UInt64) {
    var dice = Dice(seed: seed)
    let written = stride(from: Place.base, to: Place.end, by: 8).filter { read(MadeProcess.memory, $0) != 0 }
    for _ in 0..<100 {
      var memory = MadeProcess.memory
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let near = Place.base + UInt64.random(in: 0..<Place.end - Place.base, using: &dice)
        let word = (Self.wild + [near, near & ~7, .random(in: 0 ... .max, using: &dice)]).randomElement(using: &dice)!
        memory.set(word, at: written.randomElement(using: &dice)!)
      }
      #expect(!Shown.everything(MadeProcess(memory: memory)).text.isEmpty)
    }
  }

  @Test("Behind a table in order all words are random, or lead to one another: reading ends", arguments: 0..<6)
  func nothingIsRight(kind: UInt64) {
    let memory = SpokenMemory { address in
      if Self.isOfTable(address) { return MadeProcess.memory.word64(ReadNumber(address))?.bits }
      switch kind {
      case 0: return address  // each word names itself
      case 1: return Place.slots  // one place for all
      case 2: return address &+ 64  // a chain without an end
      case 3: return address ^ 0x100  // pairs that name one another
      default:
        var dice = Dice(seed: address ^ kind << 32)
        return dice.next()
      }
    }
    let shown = Shown.everything(MadeProcess(memory: memory, source: kind % 2 == 0 ? "core" : "memory"))
    #expect(shown.inspections.count == 1, "\(shown.text)")
  }

  @Test("Frames, pages and targets that lead round and round end, and what is broken is counted")
  func roundAndRound() throws {
    var memory = MadeProcess.memory
    memory.set(Place.frames, at: Place.frames + 0x48)
    memory.set(Place.pages, at: Place.pages)
    memory.set(Place.queues, at: Place.queue(2) + 24)
    let shown = Shown.everything(MadeProcess(memory: memory)), inspection = try #require(shown.inspections.first)
    #expect(inspection.lost == 2 && inspection.threads.count == 3 && inspection.queues.count == 4, "\(shown.text)")
    #expect(shown.text.contains("not read: the waits or frames of 1 thread, which are damaged\n"))
    #expect(shown.text.contains("not read: the items of 1 queue, whose lists are damaged\n"), "\(shown.text)")
    #expect(try !inspection.queue("made.1").isCounted && inspection.queue("made.0").pending == 2)
    // Of a running process all this may have changed meanwhile.
    #expect(Shown.everything(MadeProcess(memory: memory, source: "memory")).inspections.first?.lost == 0)
  }

  @Test(
    "A list whose owner is about to move both of its ends is whole, though its length is not known", arguments: [true, false])
  func movingList(turnsBack: Bool) throws {
    var memory = MadeProcess.memory
    let second = Place.queue(1)
    // The owner takes the link of a page before it goes on to the next one. When it turns back, it moves the end to the
    // start before the beginning.
    memory.set(0, at: Place.pages)
    memory.set(Place.pages << 16 | 8, at: second + 80)
    if turnsBack { memory.set(0, at: second + 64) }
    let shown = Shown.everything(MadeProcess(memory: memory)), inspection = try #require(shown.inspections.first)
    #expect(inspection.lost == 0 && !shown.text.contains("damaged"), "\(shown.text)")
    #expect(try !inspection.queue("made.1").isCounted && inspection.queue("made.0").pending == 2)
  }

  @Test("A register that claims more queues than there can be is read to the end of its memory, and the rest is counted")
  func register() throws {
    var memory = MadeProcess.memory
    memory.set(.max, at: Place.used)
    for segment in UInt64(1)..<30 where segment < 16 { memory.set(Place.base, at: Place.segments + segment * 8) }
    let inspection = try #require(Shown.everything(MadeProcess(memory: memory)).inspections.first)
    #expect(inspection.lost > 0 && inspection.queues.contains { $0.label == "made.1" })
    #expect(inspection.unread.contains { $0.hasSuffix("queues or more, whose memory is not there") })
  }

  @Test("A record of a wait of no kind that there is, with lists that are longer than it, is left out and counted")
  func record() throws {
    var memory = MadeProcess.memory
    memory.set(0xEE, at: Place.waits + 256 + 3 * 8)
    memory.set(.max, at: Place.waits + 512 + 8 * 8)
    let inspection = try #require(Shown.everything(MadeProcess(memory: memory)).inspections.first)
    #expect(inspection.lost == 1 && inspection.threads[0].wait == nil && inspection.threads[1].wait?.kind == "queue")
    #expect(inspection.threads[1].inside.count == 4 && inspection.threads[1].stack.count == 4)
  }
}
