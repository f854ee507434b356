// ItemList.swift: pending items: slots that pushers claim by one addition each; and how a thread spins while a pusher
// is between two instructions. What the one owner of a list may do with it is OwnedList.swift. Which thread that is,
// its keeper decides (a queue's state, a lock of the pool's). README.md: "Positions".
import SignalboxSystem
import SignalboxWords

/// A list of items, first in, first out: any number of pushers, one owner at a time.
///
/// It lies in an object, or in memory of process life, and never moves. An empty one holds no page.
@usableFromInline
struct ItemList: ~Copyable, Sendable {
  // The pushers' words.
  /// Where the next item goes.
  @usableFromInline let tail = Atomic64(0)
  /// The page behind the slots inside.
  let firstPage = Atomic64(0)
  let inside = InlineSlots()

  // The owner's words.
  /// Where the first pending item lies.
  @usableFromInline let head = Atomic64(0)
  /// How many items were taken off before those of the page on which `head` stands, times 2; plus 1 while the owner changes both.
  let taken = UnseenWord(0)
  /// Unmanaged `ListCounts`, kept by whoever counts; 0: nobody does.
  let countsBits = Atomic64(0)

  @inline(__always) init() {}

  /// Whether no item is pending; exact for the owner, a moment's view for others.
  // seq_cst S1: after the caller's own swap (S2). relaxed: only an owner moves `head`, and others take a moment's view
  @inlinable @inline(__always) var isEmpty: Bool { tail.loadSeqCst() == head.loadRelaxed() }

  /// Whether at most two items are pending; a moment's view.
  // relaxed, both: a moment's view
  var hasFewPending: Bool { tail.loadRelaxed() &- head.loadRelaxed() <= 2 }

  // MARK: pushers

  /// Claims a slot. Until it is filled, the owner of the list waits for it, and the list's keeper lives: what an item holds of it is
  /// not given back before the item runs.
  @inline(__always) borrowing func claim() -> ClaimedSlot {
    // seq_cst S1: orders the claim before the pusher's check of the state; pairs with S2 in the owner's release: one of the two
    // sees the other, so an item is never left behind by both.
    let position = ListPosition(word: tail.addSeqCst(1))
    guard position.isOnPage else { return claimSlow(position) }
    return ClaimedSlot(words: slot(position))
  }

  /// Adds an item for whoever is notified in another way.
  @inline(__always) borrowing func append(_ slot: Slot) { claim().fill(slot) }

  @inline(never) private borrowing func claimSlow(_ claimed: ListPosition) -> ClaimedSlot {
    if claimed.index == claimed.capacity {
      let page = ItemPage.take()
      counts?.use { $0.linkedPage() }
      // The link, and the count of pages, before the position: whoever sees the new page in `tail` can follow the link of the old one.
      link(of: claimed.page).pointee.storeRelaxed(UInt64(UInt(bitPattern: page)))  // relaxed: the position publishes it
      // release L1: who reads the page here finds the link to it, and a page of zeros; pairs with L2. That something is claimed the
      // addition has said already (S1): since then `tail` is no owner's `head`.
      tail.storeRelease(ListPosition(page: UInt64(UInt(bitPattern: page)), index: 1).word)
      return ClaimedSlot(words: page + 2)
    }
    // Until the next page is there, or the list has meanwhile been emptied and turned back to this very page.
    var spinner = Spinner()
    while true {
      let now = ListPosition(word: tail.loadRelaxed())  // relaxed: the claim that is made again reads the newest, and acquires
      if now.page != claimed.page || now.index <= now.capacity { break }
      spinner.wait()
    }
    return claim()
  }

  // MARK: what was taken off

  /// The owner goes on to another page, or turns back on this one, by `change`, which says whether it did; this many items were taken off the
  /// page. Who reads the same even number before and after has read one moment: it only grows.
  @inline(__always) borrowing func turns(after slots: UInt64, _ change: () -> Bool) -> Bool {
    let before = taken.loadRelaxed()  // relaxed: the owner's alone to write
    taken.storeRelaxed(before | 1)  // relaxed: `change` stores `head` with release
    let isDone = change()
    taken.storeRelease(before &+ (isDone ? slots << 1 : 0))  // release: who reads it by an acquire sees where `head` stands
    return isDone
  }

  // MARK: where things lie

  @inline(__always) private borrowing func insideWords() -> AtomicWords {
    // SAFETY: the words lie inside this list, which never moves; atomics may be reached from any thread.
    withUnsafePointer(to: inside) { UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: Atomic64.self) }
  }

  /// The two words of the slot at a position.
  @inline(__always) borrowing func slot(_ position: ListPosition) -> AtomicWords {
    let page = position.page
    return (page == 0 ? insideWords() : ItemPage.slots(at: page)) + Int(position.index &* 2)
  }

  /// The word that leads to the page behind this one.
  @inline(__always) borrowing func link(of page: UInt64) -> AtomicWords {
    // SAFETY: as for insideWords.
    page == 0 ? withUnsafePointer(to: firstPage) { UnsafeMutablePointer(mutating: $0) } : ItemPage.words(at: page)
  }

  /// What is counted of the list; nil if nothing is.
  // acquire: pairs with the swap in `count(by:)`; 0 for most lists
  @inline(__always) var counts: Lent<ListCounts>? { .inWord(countsBits.loadAcquire()) }

  /// Counts by `counts` from now on, which its maker keeps for as long as the list is there. False: the list is counted already.
  borrowing func count(by counts: ListCounts) -> Bool {
    // acquire-release: publishes the object; pairs with the acquire in `counts`
    countsBits.casAcqRel(0, Lent(counts).address).exchanged
  }

  /// The list's keeper is about to go: gives its last page back. Nobody pushes or owns any more.
  borrowing func end() {
    let page = ListPosition(word: tail.loadAlone()).page
    if page != 0 { ItemPage.give(ItemPage.words(at: page)) }
  }

  /// How many items are pending, about, for people: any thread.
  var pendingCount: UInt64 {
    // relaxed: a number for people, old when it arrives.
    let end = ListPosition(word: tail.loadRelaxed())
    var position = ListPosition(word: head.loadRelaxed()), count: UInt64 = 0
    for _ in 0..<10_000 {
      if position.page == end.page { return count + max(end.index, position.index) - position.index }
      count += position.capacity - min(position.index, position.capacity)
      // A page may be given back meanwhile: the kernel refuses what is gone, and what is another's now is bounded above.
      // relaxed: as above; a page that is not linked yet ends the count
      let next = position.page == 0 ? firstPage.loadRelaxed() : SafeMemory.word64(UInt(position.page)) ?? 0
      if next == 0 { return count }
      position = ListPosition(page: next)
    }
    return count
  }

  /// How many items lie before the end of the page on which the first one lies, and whether that is all: for the owner.
  @inline(__always) var pendingOnPage: UInt64? {
    // relaxed, both: only the owner moves `head`; the claims that it knows of
    let (first, end) = (ListPosition(word: head.loadRelaxed()), ListPosition(word: tail.loadRelaxed()))
    return first.page == end.page ? end.index &- first.index : nil
  }
}

/// A slot that its pusher has claimed and is to fill.
struct ClaimedSlot: ~Copyable {
  // SAFETY: the words lie in the list, or in a page of its, and stay until they were filled and taken out.
  private let words: AtomicWords

  @inline(__always) fileprivate init(words: AtomicWords) { self.words = words }

  /// The item can be seen from now on, and run, and with it the last reference to the list's keeper may go: who has none of his own is
  /// to touch it no more.
  @inline(__always) consuming func fill(_ slot: Slot) {
    words[1].storeRelaxed(slot.second)  // relaxed: published by the release that follows
    // release R1: publishes the second word and the item's contents; pairs with A1 in first()
    words[0].storeRelease(slot.first)
  }
}

/// The six slots inside a queue: twelve words in a row. Fields, not an array: an array of atomics is destroyed word by
/// word.
struct InlineSlots: ~Copyable, Sendable {
  static var count: UInt64 { ListPosition.slotsInside }
  let word0 = Atomic64(0), word1 = Atomic64(0), word2 = Atomic64(0), word3 = Atomic64(0)
  let word4 = Atomic64(0), word5 = Atomic64(0), word6 = Atomic64(0), word7 = Atomic64(0)
  let word8 = Atomic64(0), word9 = Atomic64(0), word10 = Atomic64(0), word11 = Atomic64(0)
}

// MARK: waiting for a thread between two instructions

struct Spinner {
  private var rounds = 0
  mutating func wait() {
    rounds += 1
    if rounds > spinRounds(8) { return Parking.yield() }
    for _ in 0..<(1 << rounds) { spinPause() }
  }
}
