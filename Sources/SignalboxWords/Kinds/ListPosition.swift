// ListPosition.swift: a place in a list of items, in one word: where `tail` and `head` of ItemList.swift stand. Pure.
//
//   63                       16 15            0
//  ┌───────────────────────────┬──────────────┐
//  │       page's address      │    index     │
//  └───────────────────────────┴──────────────┘
//  page   0: the slots inside the list; else the address of an ItemPage
//  index  of the slot on that page; the number of slots, or more: past its end
//
// Equal positions in `tail` and `head` mean an empty list.
@usableFromInline package struct ListPosition: Equatable, Sendable {
  @usableFromInline package var word: UInt64

  @inlinable @inline(__always) package init(word: UInt64) { self.word = word }
  @inlinable @inline(__always) package init(page: UInt64, index: UInt64 = 0) { word = page << 16 | index }

  /// The first slot inside the list.
  @inlinable @inline(__always) package static var start: ListPosition { ListPosition(word: 0) }

  @inlinable @inline(__always) package var page: UInt64 { word >> 16 }
  @inlinable @inline(__always) package var index: UInt64 { word & 0xFFFF }

  /// How many slots lie inside the list, and on each page.
  @inlinable package static var slotsInside: UInt64 { 6 }
  @inlinable package static var slotsOnPage: UInt64 { 255 }

  /// How many slots its page has.
  @inlinable @inline(__always) package var capacity: UInt64 { Self.capacity(ofPage: page) }
  @inlinable @inline(__always) package static func capacity(ofPage page: UInt64) -> UInt64 {
    page == 0 ? slotsInside : slotsOnPage
  }

  /// Whether it names a slot, and not a place past its page's end.
  @inlinable @inline(__always) package var isOnPage: Bool { index < capacity }
  @inlinable @inline(__always) package var next: ListPosition { ListPosition(word: word &+ 1) }
}
