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
struct ListPosition: Equatable {
  var word: UInt64

  @inline(__always) init(word: UInt64) { self.word = word }
  @inline(__always) init(page: UInt64, index: UInt64 = 0) { word = page << 16 | index }

  /// The first slot inside the list.
  static var start: ListPosition { @inline(__always) get { ListPosition(word: 0) } }

  @inline(__always) var page: UInt64 { word >> 16 }
  @inline(__always) var index: UInt64 { word & 0xFFFF }

  /// How many slots its page has.
  @inline(__always) var capacity: UInt64 { Self.capacity(ofPage: page) }
  @inline(__always) static func capacity(ofPage page: UInt64) -> UInt64 { page == 0 ? InlineSlots.count : ItemPage.slotCount }

  /// Whether it names a slot, and not a place past its page's end.
  @inline(__always) var isOnPage: Bool { index < capacity }
  @inline(__always) var next: ListPosition { ListPosition(word: word &+ 1) }
}
