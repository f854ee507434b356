// ListCounts.swift: how many items were taken off a list, and how many are pending, while somebody counts it. Which queues are counted, and
// what else is known of them, is Queues/QueueFigures.swift.
//
// Items are not counted one by one: the list's positions tell how many there were. `before` is the number of items taken off before
// those of the page on which `head` stands; it changes where the list turns back, and where it goes on to another page.
//
//   INV-1  items taken off == before + index(head)   while `sequence` is even
//   INV-2  pages linked behind the one with `head` == linked - left, at most one more while a page is being linked
import SignalboxSystem
import SignalboxWords

final class ListCounts: Sendable {
  /// Odd while the owner of the list changes `before` and `head` together.
  private let sequence = Atomic64(0)
  private let before: Atomic64
  private let linked = Atomic64(0)
  private let left = Atomic64(0)

  /// `head`: what is taken off from there on counts.
  init(from head: ListPosition) { before = Atomic64(0 &- head.index) }

  // MARK: the owner of the list, and pushers

  /// A pusher, whose claim lies behind the last page's end, is about to link a page. relaxed: statistics
  func linkedPage() { _ = linked.addRelaxed(1) }

  /// The owner goes on to the next page by `change`, from one with this many slots.
  @inline(__always) func goesOn(after slots: UInt64, _ change: () -> Void) {
    changes {
      change()
      before.storeRelease(before.loadRelaxed() &+ slots)  // relaxed: the owner's. release, both: see `changes`
      left.storeRelease(left.loadRelaxed() &+ 1)  // relaxed, release: as above
    }
  }

  /// The owner turns the list back by `change`, which says whether it was empty; this many items were taken off the page.
  @inline(__always) func turnsBack(after slots: UInt64, _ change: () -> Bool) {
    let pages = linked.loadRelaxed()  // relaxed: before the swap in `change`, which fails if a page is linked meanwhile
    changes {
      guard change() else { return }
      before.storeRelease(before.loadRelaxed() &+ slots)  // relaxed, release: as in `goesOn`
      left.storeRelease(pages)  // release: see `changes`
    }
  }

  @inline(__always) private func changes(_ body: () -> Void) {
    let number = sequence.loadRelaxed()  // relaxed: the owner's alone to write
    // Each word in `body` is stored with release: who reads one of them by an acquire sees that the number is odd, or has changed.
    sequence.storeRelease(number &+ 1)  // release: pairs with the acquires in `seen`
    body()
    sequence.storeRelease(number &+ 2)  // release: after all of them, in the same way
  }

  // MARK: reading

  /// Items of a list at one moment.
  struct Seen {
    let done: UInt64
    let pending: UInt64
    /// Whether both are of one moment.
    let isWhole: Bool
  }

  /// How many items were taken off `list`, which is there, and how many are pending: of one moment, or nearly.
  func of(_ list: UnsafePointer<ItemList>) -> Seen {
    var rounds = 0
    while true {
      let seen = seen(list)
      rounds += 1
      // An owner that has lost its processor in between is not waited for.
      if seen.isWhole || rounds > 100 { return seen }
      spinPause()
    }
  }

  /// The same, read once.
  func seen(_ list: UnsafePointer<ItemList>) -> Seen {
    // acquire, all: in this order, so that what stands between two equal even numbers belongs together
    let number = sequence.loadAcquire()
    let done = before.loadAcquire()  // acquire: as told above
    let head = ListPosition(word: list.pointee.head.loadAcquire()), tail = ListPosition(word: list.pointee.tail.loadAcquire())
    let pages = linked.loadAcquire() &- left.loadAcquire()  // acquire: as told above
    let isWhole = number & 1 == 0 && sequence.loadAcquire() == number  // acquire: as told above
    return Seen(done: done &+ head.index, pending: Self.pending(head, tail, pages: pages), isWhole: isWhole)
  }

  /// How many items lie between two positions, with this many pages linked behind the first. Pushers that wait for a page have counted past
  /// the end of the last one.
  static func pending(_ head: ListPosition, _ tail: ListPosition, pages: UInt64) -> UInt64 {
    let end = min(tail.index, tail.capacity)
    if head.page == tail.page { return end - min(end, head.index) }
    let between = Int64(bitPattern: pages) > 1 ? min(pages - 1, 1 << 32) : 0
    return head.capacity - head.index + between * ItemPage.slotCount + end
  }
}
