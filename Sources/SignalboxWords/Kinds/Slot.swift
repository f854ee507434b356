// Slot.swift: one pending item, two words, and a place in a list of them. Where the lists are is
// SignalboxDispatch/Lists.
//
//   first word            second word           the item
//   0                     -                     empty, or claimed and not yet written
//   node                  ItemNode              a closure with more to it: group, flags, a thread that waits for it
//   waiter                SyncWaiter            a thread that wants to run by itself, asleep or about to sleep
//   queue                 DispatchQueue, +1     a queue whose target this is
//   workItem              DispatchWorkItem, +1  a work item as it is
//   helper                ParallelApply, +1     a helper of a parallel apply
//   sorted                -                     an item of a workloop, which keeps it elsewhere (DispatchWorkloop)
//   specialLimit or more  its context, +1       a closure, by its function
//   bit 63 | address      a word                a C function and its argument (CWork)

/// One item, in the two words that lie in a list.
@frozen
@usableFromInline package struct Slot: Equatable, Sendable {
  /// What it is: a `SlotKind`, or a function.
  @usableFromInline package var first: UInt64
  /// What belongs to it: an object, or the function's context.
  @usableFromInline package var second: UInt64

  @inlinable @inline(__always) package init(_ first: UInt64, _ second: UInt64) { (self.first, self.second) = (first, second) }

  /// A queue's turn, with the reference that goes with it.
  @inlinable @inline(__always) package static func turn(_ queue: UInt64) -> Slot { Slot(SlotKind.queue, queue) }
  /// A node of items, at that address.
  @inlinable @inline(__always) package static func node(_ node: UnsafeRawPointer) -> Slot {
    Slot(SlotKind.node, UInt64(UInt(bitPattern: node)))
  }
  /// A work item, with a reference to it.
  @inlinable @inline(__always) package static func workItem(_ item: UnsafeRawPointer) -> Slot {
    Slot(SlotKind.workItem, UInt64(UInt(bitPattern: item)))
  }

  /// Whether it is a queue's turn.
  @inlinable @inline(__always) package var isTurn: Bool { first == SlotKind.queue }
  /// Whether it is a closure.
  @inlinable @inline(__always) package var isClosure: Bool { SlotKind.isClosure(first) }
}

/// The values of a slot's first word that are no function.
@usableFromInline package enum SlotKind {
  @inlinable package static var node: UInt64 { 1 }
  @inlinable package static var waiter: UInt64 { 2 }
  @inlinable package static var queue: UInt64 { 3 }
  @inlinable package static var workItem: UInt64 { 4 }
  @inlinable package static var helper: UInt64 { 5 }
  @inlinable package static var sorted: UInt64 { 9 }
  /// No function lies in the first page of the address space.
  @inlinable package static var specialLimit: UInt64 { 4096 }
  /// No function lies in the upper half of the address space: the bit tells a C function from a closure's.
  @inlinable package static var cFunction: UInt64 { 1 << 63 }

  /// Set in the first word that the frame of a drain has, not in a list: a thread waits for the item. Addresses leave
  /// the bit free.
  @inlinable package static var awaited: UInt64 { 1 << 62 }

  /// Whether the first word is a closure's function. Signed: C functions are negative.
  @inlinable @inline(__always) package static func isClosure(_ first: UInt64) -> Bool {
    Int64(bitPattern: first) >= Int64(specialLimit)
  }
}

/// What a word that was read may be.
@usableFromInline package enum CodeAddress {
  /// Whether a word may be the address of a function: those of programs leave the upper byte free.
  @inlinable package static func mayBe(_ word: UInt64) -> Bool { word != 0 && word >> 56 == 0 }
}

// MARK: a place in a list of items, in one word

// Where `tail` and `head` of ItemList.swift stand. Pure.
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
