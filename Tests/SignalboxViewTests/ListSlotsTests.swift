// ListSlotsTests.swift: lists of items in memory that is made up word by word: in a queue itself, over pages, and what
// is not there or not written.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxView

/// A queue at 0x1000 with two slots in itself, and pages of three at 0x2000, 0x3000, …
private struct MadeList {
  var memory = MadeWords()
  var description = [ReadNumber](repeating: 0, count: DescribedWord.allCases.count)
  static let queue: UInt64 = 0x1000

  /// The list from a position to another, with slots of numbers from 101 on.
  init(from head: ListPosition, to tail: ListPosition) {
    for (word, value) in [
      (.listHead, 8), (.listTail, 16), (.listLink, 24), (.listStart, 8), (.listTaken, 8), (.listSlots, 32), (.pageSlots, 16),
      (.itemsInside, 2),
      (.itemsOnPage, 3),
      (.nodeAudience, 16), (.nodeClass, 26), (.itemClass, 24), (.classBytes, 0x0504_0302_0100),
    ] as [(DescribedWord, UInt64)] { description[word.rawValue] = ReadNumber(value) }
    set([head.word, tail.word, 0x2000, 101, 1, 102, 2], at: Self.queue + 8)
    for page in UInt64(2)...4 {
      let first = page * 3 + 97
      set([(page + 1) << 12, 0, first, 1, first + 1, 2, first + 2, 3], at: page << 12)
    }
  }
  mutating func set(_ words: [UInt64], at place: UInt64) {
    for (number, word) in words.enumerated() { memory.words[place + UInt64(number) * 8] = word }
  }

  var reading: ReadMemory { .other(memory, description: description) }
  var found: [UInt64]? { ListSlots(ofQueue: Self.queue, in: reading).map { $0.map(\.first) } }
  var reader: ItemReader { ItemReader(reading) { _, _ in false } }
}

@Suite("Slots of a queue's list, in any memory") struct ListSlotsTests {
  private typealias Place = ListPosition

  @Test(
    "From the head to the tail, in the queue itself and over pages",
    arguments: [
      (0, 0, 0, 0, []), (0, 0, 0, 2, [101, 102]), (0, 1, 0, 2, [102]), (0, 1, 2, 1, [102, 103]),
      (0, 2, 3, 1, [103, 104, 105, 106]), (2, 1, 2, 3, [104, 105]), (2, 3, 4, 0, [106, 107, 108]),
    ] as [(UInt64, UInt64, UInt64, UInt64, [UInt64])])
  func order(headPage: UInt64, head: UInt64, tailPage: UInt64, tail: UInt64, numbers: [UInt64]) {
    let list = MadeList(
      from: ListPosition(page: headPage << 12, index: head), to: ListPosition(page: tailPage << 12, index: tail))
    #expect(list.found == numbers)
  }

  @Test("It ends at a slot that is not written, at a page that is not there, and where pages lead round and round")
  func ends() {
    var list = MadeList(from: .start, to: ListPosition(page: 0x4000, index: 3))
    #expect(list.found?.count == 11)
    list.memory.words[0x3020] = 0
    #expect(list.found == [101, 102, 103, 104, 105, 106])
    list = MadeList(from: .start, to: ListPosition(page: 0x9000, index: 3))
    #expect(list.found == Array(101...111))
    list.memory.words[0x3000] = 0x2000
    #expect(list.found?.count == 2 + 3 * 10_000)
    list.memory.words[0x1010] = nil
    #expect(list.found == nil)
    list.description[DescribedWord.pageSlots.rawValue] = 0
    list.memory.words[0x1010] = 0
    #expect(list.found == nil, "a process that does not say how its lists lie")
  }

  @Test("A walk that ends at a slot whose item was taken meanwhile tells that: items may lie behind it")
  func moved() throws {
    let tail = ListPosition(page: 0x2000, index: 1), list = MadeList(from: .start, to: tail), place = MadeList.queue + 8
    let ends = try #require(ListReader(list.reading)?.ends(of: place)), still = ListSlots(of: place, ends, in: list.reading)
    #expect(still.map(\.first) == [101, 102, 103] && !still.hasMoved)
    var taken = MadeList(from: ListPosition(page: 0, index: 1), to: tail)
    taken.memory.words[MadeList.queue + 32] = 0
    let cut = ListSlots(of: place, ends, in: taken.reading)
    #expect(cut.map(\.first) == [] && cut.hasMoved)
  }

  @Test("Of a node its item, group and class are read, of a work item its class")
  func items() {
    var list = MadeList(from: .start, to: .start)
    list.set([0x5000, 0x6000, 0x7000, 0x19 << 16], at: 0x8000)
    list.set([SlotKind.workItem, 0x9000, 0x7001, 0x21 << 16], at: 0x8100)
    list.set([0, 0, 0, 2], at: 0x9000)
    let reader = list.reader, closure = Slot(SlotKind.node, 0x8000), item = Slot(SlotKind.node, 0x8100)
    #expect(reader.content(closure) == Slot(0x5000, 0x6000) && reader.content(item) == Slot(SlotKind.workItem, 0x9000))
    #expect(reader.group(closure) == 0x7000 && reader.group(item) == 0 && reader.group(Slot(0x5000, 0)) == 0)
    #expect(reader.givenClass(closure) == .initiated && reader.givenClass(item) == .utility)
    #expect(reader.givenClass(Slot(SlotKind.workItem, 0x9000)) == .utility)
    #expect(reader.givenClass(Slot(0x5000, 0)) == .unspecified)
    #expect(reader.pending(Slot.turn(0x1000)) == nil && reader.pending(Slot(SlotKind.waiter, 0x1000)) == nil)
    #expect(reader.pending(closure)?.function == 0x5000 && reader.pending(item)?.kind == "work item")
    #expect(reader.givenClass(Slot(SlotKind.node, 0xF000)) == .unspecified, "what is not there has no class")
  }
}
