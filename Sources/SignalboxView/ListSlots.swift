// ListSlots.swift: the slots of a list of items, in their order, read while its owner may be at work. Where a list
// begins and ends, and how many lie in it, is ListView.swift; what an item is, ItemReader.swift.
import SignalboxSystem
import SignalboxWords

/// The slots of one list, from the one that is taken next.
///
/// The list changes while it is read: a caller that must know that nothing was taken off meanwhile compares the head
/// before and after. The walk ends: after 10,000 pages, and at a slot that is claimed and not written.
package struct ListSlots: Sequence, IteratorProtocol {
  private let memory: ReadMemory
  private let list: UInt64
  /// Where the list began as its ends were read.
  private let start: ListEnds
  /// How far behind the list's address its own slots and the link to the first page lie; behind a page's, its slots.
  private let inside: UInt64, link: UInt64, onPage: UInt64
  private let capacityInside: UInt64, capacityOfPage: UInt64
  private var place: ListPosition
  private let end: ListPosition
  private var pages = 0
  /// The words of the next slots of the page, the last first.
  private var copied: [ReadNumber] = []

  private static var mostPages: Int { 10_000 }

  /// nil: no memory is there, or the process has not said how lists are laid out.
  package init?(ofQueue queue: UInt64, in memory: ReadMemory) {
    let list = queue &+ memory.described(.listStart)
    guard let ends = ListReader(memory)?.ends(of: list) else { return nil }
    self.init(of: list, ends, in: memory)
  }

  /// Those of a list between its ends, as they were read.
  package init(of list: UInt64, _ ends: ListEnds, in memory: ReadMemory) {
    (self.memory, self.list, start) = (memory, list, ends)
    let offset = memory.described(.listStart)
    (inside, link) = (memory.described(.listSlots) &- offset, memory.described(.listLink) &- offset)
    onPage = memory.described(.pageSlots)
    (capacityInside, capacityOfPage) = (memory.described(.itemsInside), memory.described(.itemsOnPage))
    (place, end) = (ListPosition(word: ends.head), ListPosition(word: ends.tail))
  }

  /// Whether the owner has taken items off since the ends were read. A slot is empty once its item was taken, as one
  /// that is not written yet: so a walk may have ended there, before items that still lie in the list.
  package var hasMoved: Bool {
    ListReader(memory)?.ends(of: list).map { !$0.beginsAs(start) } ?? false
  }

  package mutating func next() -> Slot? {
    while place != end {
      let page = place.page
      if place.index < capacity(ofPage: page) {
        // 0: a pusher has not written yet.
        guard let slot = slot(in: page), slot.first != 0 else { return nil }
        place = place.next
        return slot
      }
      // A page begins with the link to the next one.
      guard pages < Self.mostPages, let next = memory.word64(page == 0 ? list &+ link : page), next != 0 else { return nil }
      (place, pages, copied) = (ListPosition(page: next), pages + 1, [])
    }
    return nil
  }

  /// The slot at `place`, which lies on that page. Those of another process are copied some at a time.
  private mutating func slot(in page: UInt64) -> Slot? {
    let address = (page == 0 ? list &+ inside : page &+ onPage) &+ place.index &* 16
    guard case .other(let memory, _) = memory else {
      guard let first = memory.word64(address), let second = memory.word64(address &+ 8) else { return nil }
      return Slot(first, second)
    }
    if copied.isEmpty {
      let last = place.page == end.page ? end.index : .max
      let count = Swift.min(Swift.min(capacity(ofPage: page), last) &- place.index, 16)
      let all = memory.words(ReadNumber(address), Int(count) * 2) ?? memory.words(ReadNumber(address), 2) ?? []
      copied = all.reversed()
    }
    guard let first = copied.popLast(), let second = copied.popLast() else { return nil }
    return Slot(first.bits, second.bits)
  }

  private func capacity(ofPage page: UInt64) -> UInt64 { page == 0 ? capacityInside : capacityOfPage }
}
