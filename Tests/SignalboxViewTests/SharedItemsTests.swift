// SharedItemsTests.swift: what lies in global queues, in made memory: in lists, on pages, in rings; while it moves; and
// what is like no list.
import SignalboxWords
import Testing

@testable import SignalboxView

@Suite("Items of global queues, in any memory") struct SharedItemsTests {
  private typealias Place = MadePools.Place

  private static func item(_ number: UInt64) -> Slot { Slot(0x5000 + number * 0x10 | SlotKind.cFunction, 0) }
  private static func numbers(_ items: [RunningItem]) -> [UInt] { items.map { ($0.function - 0x5000) / 0x10 } }

  private func all(
    _ made: MadePools, first most: Int = 3, change: @escaping @Sendable (UInt64, UInt64, Int) -> UInt64 = { _, word, _ in word }
  ) -> [SharedItems] {
    let memory = made.reading(change: change)
    return SharedItemsReader(memory, ItemReader(memory) { _, _ in false })?.all(first: most) ?? []
  }

  /// Class 2: two items in each shard's list, the first behind a turn; class 1: nine on pages.
  private static func filled() -> MadePools {
    var made = MadePools()
    let list = made.list(2, 0), other = made.list(2, 1), long = made.list(1, 1)
    made.ends(list, head: ListPosition(page: 0, index: 1), tail: ListPosition(page: 0, index: 4), taken: 5 << 1)
    made.put(.turn(0x99), in: list, 1)
    made.put(item(1), in: list, 2)
    made.put(.node(UnsafeRawPointer(bitPattern: 0x3_0000)!), in: list, 3)
    made.put(item(2), at: 0x3_0000)
    made.ends(other, head: .start, tail: ListPosition(page: 0, index: 2))
    made.put(item(3), in: other, 0)
    made.put(item(4), in: other, 1)
    made.ends(long, head: ListPosition(page: 0, index: 3), tail: ListPosition(page: Place.pages + 0x100, index: 5))
    made.words[long + 8] = Place.pages
    made.words[Place.pages] = Place.pages + 0x100
    made.put(item(5), in: long, 3)
    for number in UInt64(0)..<8 { made.put(item(6 + number), on: Place.pages, number) }
    return made
  }

  @Test("All shards count, with turns; the first items come with those in nodes, and without turns")
  func lists() {
    let made = Self.filled(), all = all(made, first: 5)
    #expect(all.map(\.pending) == [0, 14, 5, 0, 0] && all.map(\.done) == [0, 3, 6, 0, 0])
    #expect(all.allSatisfy { $0.isOfOneMoment && !$0.isBroken } && all.map(\.queue) == (0..<5).map { made.queue($0) })
    #expect(Self.numbers(all[2].next) == [1, 2, 3, 4] && Self.numbers(all[1].next) == [5, 6, 7, 8, 9])
    #expect(Self.numbers(self.all(made)[2].next) == [1, 2, 3])
  }

  @Test("What workers keep in rings counts by its class, and comes last; then what was taken off is not known")
  func rings() {
    var made = Self.filled()
    made.ring(0, 0, of: 2, taken: 3, put: [Self.item(20), Self.item(21)])
    made.ring(0, 1, of: 1, taken: 9, put: [Self.item(22)])
    made.ring(1, 0, of: 4, taken: 0, put: [])
    let all = all(made, first: 9)
    #expect(all.map(\.pending) == [0, 15, 7, 0, 0] && all.allSatisfy { $0.done == nil && $0.isOfOneMoment })
    #expect(Self.numbers(all[2].next) == [1, 2, 3, 4, 20, 21])
    #expect(Self.numbers(self.all(made, first: 5)[2].next) == [1, 2, 3, 4, 20])
  }

  @Test("While items come the first ones stand, and the number is nearly of one moment; while items go none is shown")
  func moving() {
    var made = Self.filled()
    made.ring(0, 0, of: 2, taken: 3, put: [Self.item(20), Self.item(21)])
    let list = made.list(2, 1), ring: UInt64 = 0xC040
    let coming = all(made) { address, word, reading in address == list && reading % 2 == 0 ? word + 1 : word }[2]
    #expect([7, 8].contains(coming.pending) && !coming.isOfOneMoment && Self.numbers(coming.next) == [1, 2, 3])
    let going = all(made) { address, word, reading in
      address == list + 0x60 ? ListPosition(page: 0, index: UInt64(reading % 2)).word : word
    }[2]
    #expect([6, 7].contains(going.pending) && !going.isOfOneMoment && going.next.isEmpty)
    let stolen = all(made) { address, word, reading in address == ring ? word + UInt64(reading % 2) : word }[2]
    #expect([6, 7].contains(stolen.pending) && !stolen.isOfOneMoment && stolen.next.isEmpty)
    // It stands from the third reading on.
    let atLast = all(made) { address, word, reading in address == list && reading < 3 ? word + UInt64(reading) : word }[2]
    #expect(atLast.pending == 7 && atLast.isOfOneMoment)
  }

  @Test("A slot that is claimed and not written ends the first items; an owner that is about to change both ends is awaited")
  func between() {
    var made = Self.filled()
    made.put(Slot(0, 0), in: made.list(2, 0), 2)
    made.words[made.list(1, 1) + 8] = 0
    let all = all(made)
    #expect(all[2].pending == 5 && Self.numbers(all[2].next) == [3, 4])
    #expect(all[1].pending == nil && !all[1].isBroken && Self.numbers(all[1].next) == [5])
    made.ends(made.list(2, 0), head: ListPosition(page: 0, index: 2), tail: .start, taken: 1)
    #expect(self.all(made)[2].pending == nil && self.all(made)[2].done == nil && !self.all(made)[2].isBroken)
  }

  @Test("Pages that lead round or nowhere, and rings with more than they hold, are broken, and their items are not counted")
  func broken() {
    var made = Self.filled()
    made.words[Place.pages] = Place.pages
    #expect(all(made)[1].isBroken && all(made)[1].pending == nil && all(made)[2].pending == 5)
    made.words[Place.pages] = nil
    #expect(all(made)[1].isBroken && all(made)[1].pending == nil)
    made = Self.filled()
    made.ring(0, 0, of: 2, taken: 3, put: (0..<5).map { Self.item($0) })
    #expect(all(made).allSatisfy { $0.isBroken && $0.pending == nil })
    made.describe(.ringCapacity, .max)
    #expect(all(made)[2].pending == 10)
    made.words[Place.shared + 16] = nil
    #expect(all(made).map(\.queue) == [0, 2, 3, 4].map { made.queue($0) }, "a class of which one shard is not known")
    for word: DescribedWord in [.listStart, .listSlots, .sharedLists] {
      var made = Self.filled()
      made.describe(word, 0)
      #expect(all(made).isEmpty)
    }
  }
}
