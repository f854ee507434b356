// TimersViewTests.swift: the timers of a clock in memory that is made up: in order, damaged, and changing while it is
// read.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxView

/// A clock's object, the heads of its wheel, entries, and the target of a source.
private struct MadeClock {
  static let clock: UInt64 = 0x1_0000, heads: UInt64 = 0x2_0000, source: UInt64 = 0x1_1000, base: UInt64 = 7 << 30
  let memory = ChangingWords()
  private var used: UInt64 = 0

  init() {
    memory.describe([
      .wordCount: 128, .uptimeTimers: Self.clock, .timerHeads: 24, .timerBase: 40, .timerCount: 48, .timerMoves: 56,
      .timerPrevious: 8,
      .timerLatest: 16, .timerDeadline: 40, .timerTask: 64, .timerTag: 88, .timerTags: 0x100, .timerHeadSize: 24,
      .queueState: 16, .queueTarget: 24,
    ])
    for (place, value) in [(24, Self.heads), (40, Self.base)] as [(UInt64, UInt64)] { memory.words[Self.clock + place] = value }
    for list in 0...576 as ClosedRange<UInt64> { link(Self.heads + list * 24, []) }
    memory.words[Self.source + 24] = 0x5_0000
  }

  /// Links one to the next, and the last to their head.
  func link(_ head: UInt64, _ links: [UInt64]) {
    let all = [head] + links
    for (number, link) in all.enumerated() {
      memory.words[link] = all[(number + 1) % all.count]
      memory.words[link + 8] = all[(number + all.count - 1) % all.count]
    }
  }

  /// An entry that is in no list yet: of an item, or of the source.
  mutating func entry(_ after: UInt64, leeway: UInt64 = 0, isSource: Bool = false, tag: UInt64? = nil) -> UInt64 {
    used += 1
    let entry = 0x3_0000 + used * 0x80, deadline = Self.base + after
    let words: [(UInt64, UInt64)] = [
      (16, deadline + leeway), (40, deadline), (64, isSource ? Self.source : 0x6_0000), (72, 0x7_0000 + used), (80, 0),
      (88, tag ?? (isSource ? 1 : 0)),
    ]
    for (place, value) in words { memory.words[entry + place] = value }
    return entry
  }

  /// Puts entries into the lists where their windows' ends belong, or into `list`.
  func arm(_ entries: [UInt64], list: Int? = nil) {
    let lists = Dictionary(grouping: entries) { entry in
      list ?? WheelLayout.list(of: memory.words[entry + 16] ?? 0, after: Self.base) ?? 576
    }
    for (list, entries) in lists { link(Self.heads + UInt64(list) * 24, entries) }
    memory.words[Self.clock + 48, default: 0] += UInt64(entries.count)
    memory.words[Self.clock + 56, default: 0] += UInt64(entries.count)
  }

  func read(most: Int = 1_000) -> ClockView? {
    TimersView(memory.reading, items: ItemReader(memory.reading) { _, _ in false })?.timers(of: .uptime, most: most)
  }
}

@Suite("Timers, in any memory") struct TimersViewTests {
  private typealias Clock = MadeClock
  private static func deadlines(_ view: ClockView?) -> [UInt64] { (view?.armed ?? []).map { $0.deadline - MadeClock.base } }

  @Test("Each armed timer is read with what it does and where, the earliest deadline first")
  func order() throws {
    var made = Clock()
    made.arm([made.entry(4_000_000_000), made.entry(1 << 20), made.entry(1 << 20, leeway: 1 << 33, isSource: true)])
    made.arm([made.entry(0), made.entry(900, tag: 9)], list: 576)
    let view = try #require(made.read())
    #expect(view.isWhole && view.count == 5 && Self.deadlines(view) == [0, 900, 1 << 20, 1 << 20, 4_000_000_000])
    #expect(view.armed.map(\.queue).sorted() == [0, 0x5_0000, 0x6_0000, 0x6_0000, 0x6_0000])
    #expect(view.armed.filter { $0.task == .source(Clock.source) }.map(\.queue) == [0x5_0000])
    #expect(view.armed.first?.task == .item(RunningItem(kind: "async", function: 0x7_0004)))
    #expect(view.armed[1].task == .unknown)
    let some = made.read(most: 2)
    #expect(some?.isWhole == true && some?.count == 5 && Self.deadlines(some) == [0, 900])
    made.memory.describe([.timerTags: 0])
    #expect(made.read()?.armed.allSatisfy { $0.task == .unknown && $0.queue == 0 } == true)
  }

  @Test("A clock that was not made has none; a process that does not say how its timers lie is not read")
  func none() {
    let made = Clock()
    #expect(made.read() == ClockView())
    made.memory.describe([.uptimeTimers: 0])
    #expect(made.read() == ClockView())
    // Not as readers know it, and where there is no memory.
    for place in [1, 0x9_0000] as [UInt64] {
      made.memory.describe([.uptimeTimers: place])
      #expect(made.read() == nil)
    }
    made.memory.describe([.uptimeTimers: MadeClock.clock, .timerHeads: 1 << 40])
    #expect(made.read() == nil)
    made.memory.describe([.wordCount: 0])
    #expect(TimersView(made.memory.reading, items: ItemReader(made.memory.reading) { _, _ in false }) == nil)
  }

  @Test(
    "Where a list leads elsewhere the rest of it is left, and the others are read",
    arguments: ["previous", "slot", "round", "head", "odd", "nowhere", "end"])
  func broken(_ way: String) throws {
    var made = Clock()
    let far = made.entry(1 << 34), near = (0..<3).map { _ in made.entry(5 << 20) }
    made.arm([far] + near)
    let memory = made.memory, last = near[2]
    switch way {
    case "previous": memory.words[last + 8] = near[0]
    case "slot": memory.words[last + 16] = MadeClock.base + 1 << 34
    case "round": memory.words[last] = near[0]
    case "head": memory.words[near[1]] = MadeClock.heads + 3 * 24
    case "odd": memory.words[near[1]] = last + 4
    case "nowhere": memory.words[near[1]] = 0x1_0000_0000
    default: memory.words[near[1]] = 0
    }
    let view = try #require(made.read())
    #expect(!view.isWhole && view.count == 4)
    let count = way == "round" ? 3 : way == "end" ? 1 : 2
    #expect(Self.deadlines(view) == Array(repeating: 5 << 20, count: count) + [1 << 34], "\(view)")
  }

  @Test("A count that no process has, or that is another than the lists', is noticed")
  func counts() {
    var made = Clock()
    made.arm([made.entry(5 << 20)])
    for (count, isThere) in [(0, true), (2, true), (1 << 41, false), (.max, false)] as [(UInt64, Bool)] {
      made.memory.words[MadeClock.clock + 48] = count
      #expect(made.read().map { !$0.isWhole && $0.armed.count == 1 } ?? false == isThere, "\(count)")
    }
    made.memory.describe([.timerHeadSize: 7])
    made.memory.words[MadeClock.clock + 48] = 1
    #expect(made.read().map { !$0.isWhole && $0.armed.isEmpty } == true)
  }

  @Test("An entry that is disarmed, or armed for something else, between its two copies is left out of that reading")
  func changes() {
    for isReused in [false, true] {
      var made = Clock()
      let entries = [made.entry(5 << 20), made.entry(6 << 20)], memory = made.memory
      made.arm(entries)
      // Without a change of the wheel's words: the copies alone tell.
      var copies = 0
      memory.afterReading = { address in
        guard address == entries[1] else { return }
        copies += 1
        if copies % 2 == 0 { return }
        memory.words[entries[1] + 72] = (memory.words[entries[1] + 72] ?? 0) + 1
        if !isReused && copies == 1 { memory.words[MadeClock.clock + 56] = 3 }
      }
      let view = made.read()
      #expect(view.map { !$0.isWhole } == true && Self.deadlines(view) == [5 << 20], "\(isReused)")
    }
  }

  @Test("A clock whose timers change once while they are read is read again, and is whole then")
  func again() {
    var made = Clock()
    let entries = [made.entry(5 << 20), made.entry(9 << 20)], memory = made.memory
    made.arm(entries)
    var isOver = false
    let clock = made, list = WheelLayout.list(of: MadeClock.base + 9 << 20, after: MadeClock.base) ?? 0
    memory.afterReading = { address in
      guard address == entries[0], !isOver else { return }
      isOver = true
      // The second is taken out.
      clock.link(MadeClock.heads + UInt64(list) * 24, [])
      (memory.words[entries[1]], memory.words[entries[1] + 8]) = (0, 0)
      memory.words[MadeClock.clock + 48] = 1
    }
    let view = made.read()
    #expect(isOver && view?.isWhole == true && view?.count == 1 && Self.deadlines(view) == [5 << 20])
  }

  @Test("A clock that changes all the time shows what each copy agreed on")
  func always() {
    var made = Clock()
    let memory = made.memory
    made.arm([made.entry(5 << 20), made.entry(6 << 20)])
    memory.afterReading = { _ in memory.words[MadeClock.clock + 56, default: 0] += 1 }
    let view = made.read()
    #expect(view?.isWhole == false && view?.count == 2 && Self.deadlines(view) == [5 << 20, 6 << 20])
  }
}
