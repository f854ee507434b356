// ItemListTests.swift: the list of pending items against an array, one thread, no item ever run. Several pushers at once are
// the stress tests'.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxDispatch

/// A list beside the array it must equal. The words are numbers, never run: the code that makes a model empties it.
private final class ModelledList {
  let items = ItemList()
  /// No other code has the list.
  private var owned: OwnedList { OwnedList(owned: withUnsafePointer(to: items) { $0 }) }
  private var model: [(UInt64, UInt64)] = []
  private var next: UInt64 = 0

  var count: Int { model.count }

  func append() {
    next += 1
    items.append(Slot(SlotKind.specialLimit + next, next &* 3))
    model.append((SlotKind.specialLimit + next, next &* 3))
  }

  /// Takes one off both; says whether they agree.
  func remove() -> Bool {
    let first = owned.first()
    guard !model.isEmpty else { return first == 0 }
    let wanted = model.removeFirst()
    guard first == wanted.0, owned.secondOfFirst() == wanted.1 else { return false }
    return owned.removeFirst() == wanted.1
  }

  func rewind() { owned.rewind() }

  /// Whether the whole list agrees with the array, read without taking anything off.
  func agrees() -> Bool {
    var seen: [UInt64] = []
    owned.forEach { seen += [$0.first, $0.second] }
    guard owned.count() == model.count else { return false }
    return seen == model.flatMap { [$0.0, $0.1] } && items.isEmpty == model.isEmpty
  }

  func empty() -> Bool {
    while !model.isEmpty { guard remove() else { return false } }
    return agrees()
  }

  /// Pages that the list holds now.
  var pages: Set<UInt64> {
    let words = [items.head.loadRelaxed(), items.tail.loadRelaxed()]
    return Set(words.map { ListPosition(word: $0).page }).subtracting([0])
  }
}

@Suite("A list of items behaves as an array") struct ItemListTests {
  static let inline = Int(InlineSlots.count), page = Int(ItemPage.slotCount)

  static let aroundBoundaries: [Int] = [0, 1, 2].flatMap { pages in
    (-2...2).map { (distance: Int) -> Int in inline + pages * page + distance }
  }

  @Test(
    "A list is filled and emptied around each boundary, inside the queue and of pages",
    arguments: aroundBoundaries + [1, 4_000])
  func boundaries(count: Int) {
    let list = ModelledList()
    for _ in 0..<3 {
      for _ in 0..<count { list.append() }
      #expect(list.agrees())
      #expect(list.empty())
      list.rewind()
      #expect(list.agrees())
      #expect(list.pages.isEmpty || count <= Self.inline)
    }
  }

  @Test("Random sequences agree with an array", arguments: 1...12 as ClosedRange<UInt64>)
  func random(seed: UInt64) {
    var random = SmallRandom(seed: seed)
    let list = ModelledList()
    for round in 0..<300 {
      // Bursts of either kind, so that boundaries are crossed in both directions.
      let length = Int(random.next() % (seed % 3 == 0 ? 12 : 600))
      if random.next() % 2 == 0 {
        for _ in 0..<length { list.append() }
      } else {
        for _ in 0..<length { if !list.remove() { Issue.record("differs in round \(round)") } }
      }
      if random.next() % 3 == 0 { list.rewind() }
      if round % 20 == 0 || list.count < 20 { #expect(list.agrees(), "round \(round)") }
    }
    #expect(list.empty())
  }

  @Test("A rewind of a list that holds items changes nothing")
  func rewindNeedsEmptiness() {
    let list = ModelledList()
    for count in 1...(Self.inline + 3) {
      for _ in 0..<count { list.append() }
      #expect(list.remove())
      list.rewind()
      #expect(list.agrees())
      #expect(list.empty())
    }
  }

  @Test("An emptied and rewound list holds no page, and takes pages from the cache again")
  func pagesComeBack() {
    _ = ThreadSlot.owner()
    let list = ModelledList()
    var seen: Set<UInt64> = []
    for _ in 0..<200 {
      for _ in 0..<(Self.inline + 2 * Self.page + 1) { list.append() }
      #expect(ListPosition(word: list.items.tail.loadRelaxed()).page != 0)
      seen.formUnion(list.pages)
      #expect(list.empty())
      list.rewind()
      #expect(list.pages.isEmpty && list.items.head.loadRelaxed() == 0)
    }
    #expect(seen.count <= 8, "\(seen.count) different pages")
  }

  @Test("A page given back is as good as new, with every slot empty")
  func cleanPages() {
    let page = ItemPage.take()
    for word in stride(from: 2, to: ItemPage.wordCount, by: 2) { #expect(page[word].loadRelaxed() == 0) }
    #expect(page[0].loadRelaxed() == 0)
    ItemPage.give(page)
  }

  @Test("The pages that a thread has cached are everybody's after its end")
  func cachedPages() async {
    await #expect(processExitsWith: .success) {
      _ = Pool.shared  // whose threads' ends are noticed
      let seen = PageLog()
      TestThread {
        _ = ThreadSlot.owner()
        let pages = (0..<3).map { _ in ItemPage.take() }
        seen.note(pages)
        for page in pages { ItemPage.give(page) }
      }.join()
      TestThread { seen.note((0..<3).map { _ in ItemPage.take() }) }.join()
      #expect(seen.lists.count == 2 && seen.lists[0] == seen.lists[1])
    }
  }
}

// SAFETY of @unchecked: one thread writes after the other, each joined before the next.
private final class PageLog: @unchecked Sendable {
  private(set) var lists: [Set<UInt>] = []
  func note(_ pages: [AtomicWords]) { lists.append(Set(pages.map { UInt(bitPattern: $0) })) }
}
