// OwnedList.swift: what the one owner of a list of items may do: read it, take items off, turn it back. Adding is ItemList.swift.
import SignalboxSystem
import SignalboxWords

/// The right to take items off a list.
///
/// Taking a queue gives one (`DispatchQueue.takeForDrain` and its like), and each step by which a queue is given up consumes it. Of a list
/// of the pool's it is had under the list's lock. There is one at a time for a list, but for a thread that is inside of its own turn
/// and asks again.
struct OwnedList: ~Copyable {
  // SAFETY: the list's keeper lives as long as somebody owns it, and the list does not move.
  private let list: UnsafePointer<ItemList>

  /// The caller owns the list: the maker says by what.
  @inline(__always) init(owned list: UnsafePointer<ItemList>) { self.list = list }

  // relaxed: only the owner moves it, which is us
  @inline(__always) private var head: ListPosition { ListPosition(word: list.pointee.head.loadRelaxed()) }

  /// Whether no item is pending, as ItemList.isEmpty.
  @inline(__always) var isEmpty: Bool { list.pointee.isEmpty }

  // MARK: the first item

  /// The first word of the first item, 0 when there is none. Waits for a pusher between its claim and its write.
  @inline(__always) func first() -> UInt64 {
    let position = head
    if position.isOnPage {
      let first = list.pointee.slot(position)[0].loadAcquire()  // acquire A1: pairs with R1
      if first != 0 { return first }
    }
    return firstSlow()
  }

  @inline(never) private func firstSlow() -> UInt64 {
    var spinner = Spinner()
    while true {
      let position = head
      if position.index == position.capacity {
        // acquire L2: links up to the page that is seen here are there; pairs with L1. Who finds nothing checks again after the swap
        // with which it goes (S2).
        let last = ListPosition(word: list.pointee.tail.loadAcquire())
        if last == position { return 0 }
        if last.page == position.page {
          spinner.wait()  // the next page is on its way
          continue
        }
        goOn(after: position)
        continue
      }
      let first = list.pointee.slot(position)[0].loadAcquire()  // acquire A1: pairs with R1
      if first != 0 { return first }
      // relaxed: who finds nothing checks again after its swap, as above
      if list.pointee.tail.loadRelaxed() == position.word { return 0 }
      spinner.wait()
    }
  }

  /// The page on which `position` lies has been taken out, and a link to the next one is there.
  private func goOn(after position: ListPosition) {
    let link = list.pointee.link(of: position.page)
    let next = ListPosition(page: link.pointee.loadRelaxed())  // relaxed: after the acquire L2
    link.pointee.storeRelaxed(0)  // relaxed: as in removeFirst
    _ = list.pointee.turns(after: position.capacity) {
      // release, both: as `changes` in ListCounts and `turns` want it; owners are ordered by the state's swaps
      if let counts = list.pointee.counts {
        counts.use { $0.goesOn(after: position.capacity) { list.pointee.head.storeRelease(next.word) } }
      } else {
        list.pointee.head.storeRelease(next.word)  // release: as told above
      }
      return true
    }
    if position.page != 0 { ItemPage.give(ItemPage.words(at: position.page)) }
  }

  /// Takes the first item, whose first word was just read, off the list; returns its second word.
  @inline(__always) func removeFirst() -> UInt64 {
    let position = head
    let slot = list.pointee.slot(position)
    let second = slot[1].loadRelaxed()  // relaxed: after the first word's acquire (A1)
    slot[0].storeRelaxed(0)  // relaxed: the slot is reused only after a swap of `tail` or through a page cache's order
    // release: who reads figures and sees this position sees all that was counted before; owners are ordered by the state's swaps
    list.pointee.head.storeRelease(position.next.word)
    return second
  }

  /// Takes the first item, whose first word was just read as `first`, off the list.
  @inline(__always) func takeFirst(_ first: UInt64) -> Slot { Slot(first, removeFirst()) }

  /// The second word of the first item, whose first word was just read.
  // relaxed: the first word's acquire (A1) came before
  @inline(__always) func secondOfFirst() -> UInt64 { list.pointee.slot(head)[1].loadRelaxed() }

  /// Another item stands in the place of the first, whose first word was just read.
  func replaceFirst(_ slot: Slot) {
    let words = list.pointee.slot(head)
    // relaxed, both: a reader from outside sees no item meanwhile, and not one half of each.
    words[0].storeRelaxed(0)
    words[1].storeRelaxed(slot.second)
    words[0].storeRelease(slot.first)  // release: as R1, for readers from outside
  }

  /// The address of the queue that is the first item, if it is one and lies on the same page as the items before. A hint, for a prefetch.
  @inline(__always) func nextQueue() -> UnsafeRawPointer? {
    let position = head
    guard position.isOnPage else { return nil }
    let slot = list.pointee.slot(position)
    // relaxed, both: nothing is read at the address, which may be an earlier item's; it is only fetched into the cache
    guard slot[0].loadRelaxed() == SlotKind.queue else { return nil }
    return UnsafeRawPointer(bitPattern: UInt(slot[1].loadRelaxed()))
  }

  // MARK: turning back

  /// An empty list starts again inside: no page is held while idle.
  @inline(__always) func rewind() {
    let position = head
    // Inside, turning back is worth a swap only when few slots are left.
    if position.word < 4 { return }
    rewindSlow(position)
  }

  @inline(never) private func rewindSlow(_ position: ListPosition) {
    let isBack = list.pointee.turns(after: position.index) {
      guard let counts = list.pointee.counts else { return turnBack(position) }
      var isBack = false
      counts.use {
        $0.turnsBack(after: position.index) {
          isBack = turnBack(position)
          return isBack
        }
      }
      return isBack
    }
    if !isBack { return }
    if position.page != 0 { ItemPage.give(ItemPage.words(at: position.page)) }
  }

  @inline(__always) private func turnBack(_ position: ListPosition) -> Bool {
    // release: the emptied slots are zero for whoever claims them again; pairs with the addition in claim(). `changes` in ListCounts wants
    // as much.
    guard list.pointee.tail.casRelease(position.word, ListPosition.start.word).exchanged else { return false }
    // release: as `changes` in ListCounts wants it; owners are ordered by the state's swaps
    list.pointee.head.storeRelease(ListPosition.start.word)
    return true
  }

  /// Turns the list back if it is empty, for an owner by a lock, who does not check again after giving it up. True: items have come
  /// meanwhile; while the list turned back, its two positions may have seemed equal to a searcher who has gone to sleep over it.
  @inline(__always) func turnBackUnderLock() -> Bool {
    guard isEmpty, head.word >= 4 else { return false }
    rewind()
    // seq_cst: whoever goes to sleep later, and checks the list then (isEmpty), sees this or a claim that came after it, and with
    // either that `head` is back; who sleeps already is seen by our call. What was claimed before this is seen here. A load would do less.
    return list.pointee.tail.addSeqCst(0) != head.word
  }

  // MARK: all of it

  /// How many items are pending, without those on pages that are still to be linked. One step for each page.
  @inline(never) func count() -> Int {
    let first = head
    let end = ListPosition(word: list.pointee.tail.loadAcquire())  // acquire L2: links up to the end are there
    var page = first.page, count = 0 &- Int(first.index)
    while page != end.page {
      count &+= Int(ListPosition.capacity(ofPage: page))
      page = list.pointee.link(of: page).pointee.loadRelaxed()  // relaxed: after the acquire L2
    }
    // Pushers that wait for the next page have counted past the end of this one.
    return count &+ Int(min(end.index, end.capacity))
  }

  /// Calls `body` with every pending item, or with the first `most`, in order. No item runs meanwhile.
  func forEach(atMost most: Int = .max, _ body: (Slot) -> Void) {
    var left = most
    _ = walk(from: head) { slot, first in
      guard left > 0 else { return false }
      if first != 0 { body(Slot(first, slot[1].loadRelaxed())) }  // relaxed: after the acquire A1
      left -= 1
      return true
    }
  }

  /// Gives `body` the items from `position` (nil: from the first) to the end, or to a pusher that has not written yet. Their
  /// slots stay, with `mark` in them, as this many pending items. Returns where it ended.
  func markPending(from position: ListPosition?, as mark: UInt64, _ body: (Slot) -> Void) -> ListPosition {
    // The end that is read shows the claim of every item that was seen (A1); later ones are the next call's.
    walk(from: position ?? head) { slot, first in
      guard first != 0 else { return false }
      body(Slot(first, slot[1].loadRelaxed()))  // relaxed: after the acquire A1
      slot[0].storeRelaxed(mark)  // relaxed: from here on only owners read it
      return true
    }
  }

  /// Calls `body` with each slot from `position` to the end and its first word, until it returns false. Returns where it ended.
  @inline(__always)
  private func walk(from start: ListPosition, _ body: (AtomicWords, UInt64) -> Bool) -> ListPosition {
    var position = start
    let end = ListPosition(word: list.pointee.tail.loadAcquire())  // acquire L2: links up to here are there; pairs with L1
    while position != end {
      guard position.isOnPage else {
        if position.page == end.page { break }  // the next page is on its way
        // relaxed: after the acquire L2
        position = ListPosition(page: list.pointee.link(of: position.page).pointee.loadRelaxed())
        continue
      }
      let slot = list.pointee.slot(position)
      guard body(slot, slot[0].loadAcquire()) else { break }  // acquire A1: pairs with R1
      position = position.next
    }
    return position
  }
}
