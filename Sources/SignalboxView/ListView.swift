// ListView.swift: a list of items at an address: how many lie in it, how many were taken off, and the first of them.
// Lists are described in SignalboxDispatch/Lists/README.md. What the items are is ItemReader.swift.
import SignalboxWords

/// Where a list began and ended. If two readings find the same, nothing came and nothing was taken off in between: the
/// numbers of what was taken off only grow.
package struct ListEnds: Sendable, Equatable {
  package var head: UInt64
  package var tail: UInt64
  /// How many were taken off before the page on which `head` stands, times 2; plus 1 while the owner changes both.
  package var taken: UInt64

  package init(head: UInt64, tail: UInt64, taken: UInt64) { (self.head, self.tail, self.taken) = (head, tail, taken) }

  /// Whether the same items were taken off.
  package func beginsAs(_ other: ListEnds) -> Bool { head == other.head && taken == other.taken }
  /// How many were taken off; nil: just that changes.
  package var done: UInt64? { taken & 1 == 1 ? nil : (taken >> 1) &+ ListPosition(word: head).index }
}

/// Reads lists.
package struct ListReader: Sendable {
  /// How many items a list has.
  package enum Length: Equatable {
    case known(UInt64)
    /// The list is too long to be followed, or its owner is about to change both of its ends.
    case unknown
    /// A page is not there, or was there before: no list is like this.
    case broken
  }
  /// Slots that are read for the first items, at most.
  private static let mostSlots = 1_000

  private let memory: ReadMemory
  /// How far behind a list's address its words lie.
  private let tail: UInt64, link: UInt64, head: UInt64, taken: UInt64

  /// nil: the process has not described its lists.
  package init?(_ memory: ReadMemory) {
    let start = memory.described(.listStart)
    guard start != 0, memory.described(.listSlots) != 0, memory.described(.pageSlots) != 0 else { return nil }
    self.memory = memory
    func place(_ word: DescribedWord) -> UInt64 { memory.described(word) &- start }
    (tail, link) = (place(.listTail), place(.listLink))
    (head, taken) = (place(.listHead), place(.listTaken))
  }

  /// Where the list at an address begins and ends; nil if no memory is there.
  package func ends(of list: UInt64) -> ListEnds? {
    guard let head = memory.word64(list &+ self.head), let tail = memory.word64(list &+ self.tail),
      let taken = memory.word64(list &+ self.taken)
    else { return nil }
    return ListEnds(head: head, tail: tail, taken: taken)
  }

  /// How many slots a page has; 0: the slots in the list itself. A position has 16 bits for the number of one.
  private func capacity(ofPage page: UInt64) -> UInt64 {
    min(memory.described(page == 0 ? .itemsInside : .itemsOnPage), UInt64(UInt16.max))
  }
  /// A page begins with the link to the next one.
  private func link(ofPage page: UInt64, _ list: UInt64) -> UInt64? { memory.word64(page == 0 ? list &+ link : page) }
  /// Pushers that wait for the next page have counted past the end.
  private func slot(_ position: ListPosition) -> UInt64 { min(position.index, capacity(ofPage: position.page)) }

  /// Counts the items between both ends. At most `pages` pages are followed, and taken off that.
  package func length(of list: UInt64, _ ends: ListEnds, pages: inout Int) -> Length {
    let head = ListPosition(word: ends.head), tail = ListPosition(word: ends.tail)
    var page = head.page, count: UInt64 = 0, passed: Set<UInt64> = []
    while page != tail.page {
      guard pages > 0 else { return .unknown }
      pages -= 1
      guard passed.insert(page).inserted, let next = link(ofPage: page, list) else { return .broken }
      // The owner takes the link before it goes on, and moves the end before the beginning when it turns back.
      guard next != 0 else { return .unknown }
      count += capacity(ofPage: page)
      page = next
    }
    count += slot(tail)
    return count < slot(head) ? .unknown : .known(count - slot(head))
  }

  /// The first `most` items, without turns of queues. They lay there if the list begins the same afterwards.
  package func first(_ most: Int, of list: UInt64, _ ends: ListEnds) -> [Slot] {
    let slots = ListSlots(of: list, ends, in: memory).prefix(Self.mostSlots)
    return Array(slots.lazy.filter { !$0.isTurn }.prefix(max(0, most)))
  }
}
