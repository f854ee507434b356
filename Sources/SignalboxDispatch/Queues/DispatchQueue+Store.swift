// DispatchQueue+Store.swift: the queue's pending items: slots claimed by one addition, emptied by the one owner of the list.
//
// `tail` and `head` are positions: page address << 16 | index; page 0 is the slots inside the queue. A pusher adds 1 to `tail`
// and owns the slot it got; who gets the index one past the end brings the next page, who gets a later one waits for it. Only
// the owner (QueueState) moves `head`. Equal positions: empty. When the list is empty the owner turns both back to the first
// slot inside the queue, so an idle queue holds no page. README.md: "Positions".
import SignalboxSystem

extension DispatchQueue {
  @inline(__always) static func index(_ position: UInt64) -> UInt64 { position & 0xFFFF }
  @inline(__always) static func page(_ position: UInt64) -> UInt64 { position >> 16 }

  /// Whether no item is pending; exact for the owner, a moment's view for others.
  // seq_cst S1: after the caller's own swap (S2). relaxed: only an owner moves `head`, and others take a moment's view
  @inlinable @inline(__always) final var isStoreEmpty: Bool { tail.loadSeqCst() == head.loadRelaxed() }

  @inline(__always) private final var inlineWords: AtomicWords {
    // SAFETY: the array lies inside this object and never moves; atomics may be reached from any thread.
    withUnsafePointer(to: inlineSlots) {
      UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: Atomic64.self)
    }
  }

  @inline(__always) private static func slots(of page: UInt64) -> AtomicWords {
    UnsafeMutableRawPointer.at(UInt(page)).assumingMemoryBound(to: Atomic64.self) + 2
  }
  @inline(__always) private final func slot(_ position: UInt64) -> AtomicWords {
    let page = Self.page(position)
    return (page == 0 ? inlineWords : Self.slots(of: page)) + Int(Self.index(position) &* 2)
  }
  @inline(__always) static func capacity(_ page: UInt64) -> UInt64 {
    page == 0 ? InlineSlots.count : ItemPage.slotCount
  }

  // MARK: pushers

  /// Claims a slot. Until it is filled, the owner of the list waits for it, and the queue lives: what an item holds of it is not
  /// given back before the item runs.
  @inline(__always) final func claim() -> ItemSlot {
    // seq_cst S1: orders the claim before the pusher's check of the state; pairs with S2 in the owner's release: one of the two
    // sees the other, so an item is never left behind by both.
    let position = tail.addSeqCst(1)
    guard Self.index(position) < Self.capacity(Self.page(position)) else { return claimSlow(position) }
    return ItemSlot(words: slot(position))
  }

  /// Adds an item for whoever is notified in another way.
  @inline(__always) final func append(_ first: UInt64, _ second: UInt64) { claim().fill(first, second) }

  @inline(never) private final func claimSlow(_ claimed: UInt64) -> ItemSlot {
    let old = Self.page(claimed)
    if Self.index(claimed) == Self.capacity(old) {
      let page = ItemPage.take()
      figures?.use { $0.linkedPage() }
      // The link, and the count of pages, before the position: whoever sees the new page in `tail` can follow the link of the old one.
      nextPage(of: old).pointee.storeRelaxed(UInt64(UInt(bitPattern: page)))  // relaxed: the position publishes it
      // release L1: who reads the page here finds the link to it, and a page of zeros; pairs with L2. That something is claimed the
      // addition has said already (S1): since then `tail` is no owner's `head`.
      tail.storeRelease(UInt64(UInt(bitPattern: page)) << 16 | 1)
      return ItemSlot(words: page + 2)
    }
    // Until the next page is there, or the list has meanwhile been emptied and turned back to this very page.
    var spinner = Spinner()
    while true {
      let now = tail.loadRelaxed()  // relaxed: the claim that is made again reads the newest, and acquires
      if Self.page(now) != old || Self.index(now) <= Self.capacity(old) { break }
      spinner.wait()
    }
    return claim()
  }

  /// Where the two positions lie, for who reads them without a reference to the queue.
  // SAFETY: as for inlineWords; the caller sees to it that the queue is there.
  final var headWord: UnsafePointer<Atomic64> { withUnsafePointer(to: head) { $0 } }
  final var tailWord: UnsafePointer<Atomic64> { withUnsafePointer(to: tail) { $0 } }  // SAFETY: as headWord
  final var stateWord: UnsafePointer<Atomic64> { withUnsafePointer(to: state) { $0 } }  // SAFETY: as headWord
  final var targetWord: UnsafePointer<Atomic64> { withUnsafePointer(to: targetBits) { $0 } }  // SAFETY: as headWord
  final var limitWord: UnsafePointer<Atomic32> { withUnsafePointer(to: widthLimit) { $0 } }  // SAFETY: as headWord

  @inline(__always) private final func nextPage(of page: UInt64) -> AtomicWords {
    if page == 0 {
      // SAFETY: as for inlineWords.
      return withUnsafePointer(to: inlineNext) { UnsafeMutablePointer(mutating: $0) }
    }
    return UnsafeMutableRawPointer.at(UInt(page)).assumingMemoryBound(to: Atomic64.self)
  }

  // MARK: the owner of the list

  /// The first word of the first item, 0 when there is none. Waits for a pusher between its claim and its write.
  @inline(__always) final func firstAssumingOwned() -> UInt64 {
    let position = head.loadRelaxed()  // relaxed: only the owner moves it, which is us
    if Self.index(position) < Self.capacity(Self.page(position)) {
      let first = slot(position)[0].loadAcquire()  // acquire A1: pairs with R1
      if first != 0 { return first }
    }
    return firstSlow()
  }

  @inline(never) private final func firstSlow() -> UInt64 {
    var spinner = Spinner()
    while true {
      let position = head.loadRelaxed()  // relaxed: only the owner moves it, which is us
      let page = Self.page(position)
      if Self.index(position) == Self.capacity(page) {
        // acquire L2: links up to the page that is seen here are there; pairs with L1. Who finds nothing checks again after the swap
        // with which it goes (S2).
        let last = tail.loadAcquire()
        if last == position { return 0 }
        if Self.page(last) == page {
          spinner.wait()  // the next page is on its way
          continue
        }
        let link = nextPage(of: page)
        let next = link.pointee.loadRelaxed()  // relaxed: after the acquire L2
        link.pointee.storeRelaxed(0)  // relaxed: as in removeFirstAssumingOwned
        if let figures {
          // release: as `changes` in QueueFigures wants it
          figures.use { $0.goesOn(after: Self.capacity(page)) { head.storeRelease(next << 16) } }
        } else {
          head.storeRelaxed(next << 16)  // relaxed: owners read it, whom the state's swaps order
        }
        if page != 0 { ItemPage.give(UnsafeMutableRawPointer.at(UInt(page)).assumingMemoryBound(to: Atomic64.self)) }
        continue
      }
      let first = slot(position)[0].loadAcquire()  // acquire A1: pairs with R1
      if first != 0 { return first }
      if tail.loadRelaxed() == position { return 0 }  // relaxed: who finds nothing checks again after its swap, as above
      spinner.wait()
    }
  }

  /// Takes the first item, whose first word was just read, off the list; returns its second word.
  @inline(__always) final func removeFirstAssumingOwned() -> UInt64 {
    let position = head.loadRelaxed()  // relaxed: only the owner moves it, which is us
    let slot = slot(position)
    let second = slot[1].loadRelaxed()  // relaxed: after the first word's acquire (A1)
    slot[0].storeRelaxed(0)  // relaxed: the slot is reused only after a swap of `tail` or through a page cache's order
    // release: who reads figures and sees this position sees all that was counted before; owners are ordered by the state's swaps
    head.storeRelease(position &+ 1)
    return second
  }

  /// The address of the queue that is the first item, if it is one and lies on the same page as the items before. A hint, for a prefetch.
  @inline(__always) final func nextQueueAssumingOwned() -> UnsafeRawPointer? {
    let position = head.loadRelaxed()  // relaxed: only the owner moves it, which is us
    guard Self.index(position) < Self.capacity(Self.page(position)) else { return nil }
    let slot = slot(position)
    // relaxed, both: nothing is read at the address, which may be an earlier item's; it is only fetched into the cache
    guard slot[0].loadRelaxed() == SlotKind.queue else { return nil }
    return UnsafeRawPointer(bitPattern: UInt(slot[1].loadRelaxed()))
  }

  /// The second word of the first item, whose first word was just read.
  // relaxed: only we move `head`, and the first word's acquire (A1) came before
  @inline(__always) final func secondOfFirstAssumingOwned() -> UInt64 { slot(head.loadRelaxed())[1].loadRelaxed() }

  /// An empty list starts again inside the queue: no page is held while idle.
  @inline(__always) final func rewindAssumingOwned() {
    let position = head.loadRelaxed()  // relaxed: only the owner moves it, which is us
    // Inside the queue, turning back is worth a swap only when few slots are left.
    if position < 4 { return }
    rewindSlow(position)
  }

  @inline(never) private final func rewindSlow(_ position: UInt64) {
    if let figures {
      var isBack = false
      figures.use {
        $0.turnsBack(after: Self.index(position)) {
          isBack = turnBack(position)
          return isBack
        }
      }
      if !isBack { return }
    } else if !turnBack(position) {
      return
    }
    let page = Self.page(position)
    guard page != 0 else { return }
    ItemPage.give(UnsafeMutableRawPointer.at(UInt(page)).assumingMemoryBound(to: Atomic64.self))
  }

  @inline(__always) private final func turnBack(_ position: UInt64) -> Bool {
    // release: the emptied slots are zero for whoever claims them again; pairs with the addition in claim(). `changes` in QueueFigures wants
    // as much.
    guard tail.casRelease(position, 0).exchanged else { return false }
    head.storeRelease(0)  // release: as `changes` in QueueFigures wants it; owners are ordered by the state's swaps
    return true
  }

  /// How many items are pending, without those on pages that are still to be linked. One step for each page.
  @inline(never) final var pendingCountAssumingOwned: Int {
    // relaxed: only we move it. acquire L2: links up to the end are there
    let (first, end) = (head.loadRelaxed(), tail.loadAcquire())
    var page = Self.page(first), count = 0 &- Int(Self.index(first))
    while page != Self.page(end) {
      count &+= Int(Self.capacity(page))
      page = nextPage(of: page).pointee.loadRelaxed()  // relaxed: after the acquire L2
    }
    // Pushers that wait for the next page have counted past the end of this one.
    return count &+ Int(min(Self.index(end), Self.capacity(page)))
  }

  /// Calls `body` with both words of every pending item, or of the first `most`, in order. The caller owns the list, and no item runs
  /// meanwhile.
  final func forEachPendingAssumingOwned(atMost most: Int = .max, _ body: (UInt64, UInt64) -> Void) {
    if isWorkloop { unsafeDowncast(self, to: DispatchWorkloop.self).forEachSorted(body) }
    var position = head.loadRelaxed()  // relaxed: only the owner moves it, which is us
    let end = tail.loadAcquire()  // acquire L2: links up to here are there; pairs with L1
    var left = most
    while position != end, left > 0 {
      let page = Self.page(position)
      if Self.index(position) >= Self.capacity(page) {
        if page == Self.page(end) { return }  // the next page is on its way
        position = nextPage(of: page).pointee.loadRelaxed() << 16  // relaxed: after the acquire L2
        continue
      }
      let slot = slot(position)
      let first = slot[0].loadAcquire()  // acquire A1: pairs with R1
      if first != 0 { body(first, slot[1].loadRelaxed()) }  // relaxed: after the acquire A1
      position += 1
      left -= 1
    }
  }

  /// Gives `body` the items from `position` (nil: from the first) to the end, or to a pusher that has not written yet. Their
  /// slots stay, with `mark` in them, as this many pending items. Returns where it ended.
  final func markPendingAssumingOwned(
    from position: UInt64?, as mark: UInt64, _ body: (UInt64, UInt64) -> Void
  ) -> UInt64 {
    var position = position ?? head.loadRelaxed()  // relaxed: only the owner moves it, which is us
    // acquire L2: links up to here are there; pairs with L1. It shows the claim of every item that was seen (A1); later ones are the
    // next call's.
    let end = tail.loadAcquire()
    while position != end {
      let page = Self.page(position)
      if Self.index(position) >= Self.capacity(page) {
        if page == Self.page(end) { break }  // the next page is on its way
        position = nextPage(of: page).pointee.loadRelaxed() << 16  // relaxed: after the acquire L2
        continue
      }
      let slot = slot(position)
      let first = slot[0].loadAcquire()  // acquire A1: pairs with R1
      if first == 0 { break }
      body(first, slot[1].loadRelaxed())  // relaxed: after the acquire A1
      slot[0].storeRelaxed(mark)  // relaxed: from here on only owners read it
      position += 1
    }
    return position
  }
}

/// A slot that its pusher has claimed and is to fill.
struct ItemSlot: ~Copyable {
  // SAFETY: the words lie in the queue, or in a page of its, and stay until they were filled and taken out.
  fileprivate let words: AtomicWords

  /// The item can be seen from now on, and run, and with it the last reference to the queue may go: who has none of his own is to
  /// touch the queue no more.
  @inline(__always) consuming func fill(_ first: UInt64, _ second: UInt64) {
    words[1].storeRelaxed(second)  // relaxed: published by the release that follows
    words[0].storeRelease(first)  // release R1: publishes the second word and the item's contents; pairs with A1 in first()
  }
}

/// Spins with growing pauses, then lets other threads run: for waits on a thread between two instructions.
struct Spinner {
  private var rounds = 0
  mutating func wait() {
    rounds += 1
    if rounds > spinRounds(8) { return Parking.yield() }
    for _ in 0..<(1 << rounds) { spinPause() }
  }
}
