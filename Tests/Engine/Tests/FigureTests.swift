// FigureTests.swift: what is counted of a queue is of one moment for whoever reads it, while the owner of the list takes items off, goes on
// to another page or turns the list back. Whole snapshots are QueueFiguresTests in SignalboxDispatchTests.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks
@testable import SignalboxWords

@Suite(.serialized) struct FigureTests {
  init() { LockTuning.rounds = 0 }

  /// Reads the figures while the owner of the list does something: items done and pending must be among what is `allowed`, if they are
  /// of one moment. Before that `taken` items were taken off, and `left` lie in the queue.
  private func read(
    taken: Int, left: Int, allowed: [[UInt64]], function: StaticString = #function, line: UInt = #line,
    _ change: @escaping @Sendable (DispatchQueue) -> Void
  ) throws {
    try expectAll(weaker: [.releases, .acquires], function: function, line: line) {
      let queue = DispatchQueue(label: "queue"), saw = Saw()
      touch(queue)
      let counts = ListCounts(from: .start)
      _ = queue.list.count(by: counts)
      for _ in 0..<taken + left { queue.list.append(Slot(1, 1)) }
      for _ in 0..<taken { Self.takeFirst(queue) }
      // The words that only the figures have are used once, as `touch` does.
      _ = counts.seen(queue.listWords)
      race(
        { change(queue) },
        {
          let seen = counts.seen(queue.listWords)
          if seen.isWhole { saw.values = [seen.done, seen.pending] }
        })
      unseen {
        while queue.itemsOfOwnTurn().first() != 0 { _ = queue.itemsOfOwnTurn().removeFirst() }
        queue.itemsOfOwnTurn().rewind()
        queue.list.countsBits.storeRelaxed(0)  // relaxed: the threads have ended, and the counts go first
      }
      try require(saw.values.isEmpty || allowed.contains(saw.values), "\(saw.values)")
    }
  }

  @discardableResult private static func takeFirst(_ queue: DispatchQueue) -> UInt64 {
    queue.itemsOfOwnTurn().first() == 0 ? 0 : queue.itemsOfOwnTurn().removeFirst()
  }

  @Test("Figures that are read while the list turns back are of one moment, all schedules")
  func turnsBack() throws {
    try read(taken: 4, left: 0, allowed: [[4, 0]]) { $0.itemsOfOwnTurn().rewind() }
  }

  @Test("Figures that are read while the list turns back and is used again are of one moment, all schedules")
  func usedAgain() throws {
    try read(taken: 4, left: 0, allowed: [[4, 0], [4, 1], [5, 0]]) { queue in
      queue.itemsOfOwnTurn().rewind()
      queue.list.append(Slot(1, 1))
      Self.takeFirst(queue)
    }
  }

  @Test("Figures that are read while the list goes on to another page are of one moment, all schedules")
  func goesOn() throws {
    let inside = UInt64(InlineSlots.count)
    try read(taken: Int(inside), left: 1, allowed: [[inside, 1]]) { _ = $0.itemsOfOwnTurn().first() }
  }

  @Test("Figures that are read while the first item of another page is taken off are of one moment, all schedules")
  func takenFromNextPage() throws {
    let inside = UInt64(InlineSlots.count)
    try read(taken: Int(inside), left: 1, allowed: [[inside, 1], [inside + 1, 0]]) { Self.takeFirst($0) }
  }
}
