// StoreTests.swift: a queue's list by itself, one thread that adds and one that owns it: what the owner sees of an item is whole, also
// where the list goes on to another page. Whole queues are QueueTests and PageTests.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks
@testable import SignalboxWords

private final class Sleeper: Sendable { let sleeps = Atomic64(0) }

@Suite(.serialized) struct StoreTests {
  init() { LockTuning.rounds = 0 }

  /// The two words of the item that is added, and the first word of one that lay in its place before.
  private static let first: UInt64 = 7, second: UInt64 = 11, former: UInt64 = 5

  /// Takes the first item if there is one.
  private static func take(_ queue: DispatchQueue) -> [UInt64] {
    let first = queue.itemsOfOwnTurn().first()
    return first == 0 ? [] : [first, queue.itemsOfOwnTurn().removeFirst()]
  }

  @Test("An item is whole when the owner of the list sees it, all schedules")
  func itemIsWhole() throws {
    try expectAll(weaker: [.releases, .acquires]) {
      let queue = DispatchQueue(label: "queue"), saw = Saw()
      touch(queue)
      race({ queue.list.append(Slot(Self.first, Self.second)) }, { saw.values = Self.take(queue) })
      try require(saw.values.isEmpty || saw.values == [Self.first, Self.second], "\(saw.values)")
    }
  }

  @Test("Each of two items is whole, and they come in their order, all schedules")
  func itemsInOrder() throws {
    try expectAll {
      let queue = DispatchQueue(label: "queue"), saw = Saw()
      touch(queue)
      race(
        { for number in 1...2 as ClosedRange<UInt64> { queue.list.append(Slot(number, number)) } },
        { saw.values = Self.take(queue) + Self.take(queue) })
      try require([[], [1, 1], [1, 1, 2, 2]].contains(saw.values), "\(saw.values)")
    }
  }

  /// One thread adds the first item of another page, in which an item has lain that this thread has taken out. Meanwhile the owner of
  /// the list reads it; what that gives must be among what is `allowed`.
  private func atNextPage(
    allowed: [[UInt64]], function: StaticString = #function, line: UInt = #line,
    _ read: @escaping @Sendable (DispatchQueue) -> [UInt64]
  ) throws {
    try expectAll(function: function, line: line) {
      let queue = DispatchQueue(label: "queue"), saw = Saw()
      // The slots inside the queue have been used.
      for _ in 0..<InlineSlots.count { queue.list.append(Slot(1, 1)) }
      for _ in 0..<InlineSlots.count { _ = Self.take(queue) }
      race(
        {
          let page = unseen {
            _ = ThreadSlot.owner()
            return ItemPage.take()
          }
          page[3].storeRelaxed(Self.former)  // relaxed, this and the next: the page is this thread's own
          for value in [Self.former, 0] { page[2].storeRelaxed(value) }
          unseen { ItemPage.give(page) }
          queue.list.append(Slot(Self.first, Self.second))
        }, { saw.values = read(queue) })
      unseen {
        while !Self.take(queue).isEmpty {}
        queue.itemsOfOwnTurn().rewind()
      }
      try require(allowed.contains(saw.values), "\(saw.values)")
    }
  }

  @Test("Whoever sleeps over a global queue's list that seemed empty while it turned back is woken, all schedules")
  func turnedBack() throws {
    try expectAll {
      let queue = DispatchQueue(label: "queue"), sleeper = Sleeper(), found = Saw(), taker = Saw(), pusher = Saw()
      touch(queue)
      _ = sleeper.sleeps.loadRelaxed()  // relaxed: as in touch
      // Once it has turned back, four items come to the position that it had.
      for _ in 0..<4 { queue.list.append(Slot(1, 1)) }
      for _ in 0..<4 { _ = Self.take(queue) }
      race(
        { if queue.itemsOfOwnTurn().turnBackUnderLock() { taker.values = [sleeper.sleeps.loadSeqCst()] } },
        {
          for _ in 0..<4 { queue.list.claim().fill(Slot(1, 1)) }
          pusher.values = [sleeper.sleeps.loadSeqCst()]
        },
        {
          _ = sleeper.sleeps.exchangeSeqCst(1)
          found.values = queue.list.isEmpty ? [] : [1]
        })
      unseen {
        while !Self.take(queue).isEmpty {}
        queue.itemsOfOwnTurn().rewind()
      }
      try require(
        [found, taker, pusher].contains { $0.values == [1] }, "nobody wakes the sleeper: \(taker.values), \(pusher.values)")
    }
  }

  @Test("The first item of another page is whole when it is taken, all schedules")
  func takenFromNextPage() throws {
    try atNextPage(allowed: [[], [Self.first, Self.second]]) { Self.take($0) }
  }

  @Test("The first item of another page is whole when pending items are gone over, all schedules")
  func goneOver() throws {
    try atNextPage(allowed: [[], [Self.first, Self.second]]) { queue in
      var found: [UInt64] = []
      queue.itemsOfOwnTurn().forEach { found += [$0.first, $0.second] }
      return found
    }
  }

  @Test("The first item of another page is whole when a workloop takes it out of its slot, all schedules")
  func marked() throws {
    try atNextPage(allowed: [[], [Self.first, Self.second]]) { queue in
      var found: [UInt64] = []
      _ = queue.itemsOfOwnTurn().markPending(from: nil, as: SlotKind.sorted) { found += [$0.first, $0.second] }
      return found
    }
  }

  @Test("Pending items are counted up to another page, all schedules")
  func counted() throws {
    try atNextPage(allowed: [[0], [1]]) { [UInt64($0.itemsOfOwnTurn().count())] }
  }
}
