// FigureTests.swift: what is counted of a queue is of one moment for whoever reads it, while the owner of the list takes items off, goes on
// to another page or turns the list back. Whole snapshots are QueueFiguresTests in SignalboxDispatchTests.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

@Suite(.serialized) struct FigureTests {
  init() { LockTuning.rounds = 0 }

  /// Reads the figures while the owner of the list does something: items done and pending must be among what is `allowed`, if they are
  /// of one moment. Before that `taken` items were taken off, and `left` lie in the queue.
  private func read(
    taken: Int, left: Int, allowed: [[UInt64]], function: StaticString = #function, line: UInt = #line,
    _ change: @escaping @Sendable (DispatchQueue) -> Void
  ) throws {
    try expectAll(weaker: [.releases, .acquires], function: function, line: line) {
      let queue = DispatchQueue(label: "queue"), saw = Saw(), extras = queue.extrasMade()
      touch(queue)
      let figures = QueueFigures(queue, head: 0), reference = Unmanaged.passRetained(figures)
      extras.figures.storeRelaxed(UInt64(UInt(bitPattern: reference.toOpaque())))  // relaxed: before the threads begin
      for _ in 0..<taken + left { queue.append(1, 1) }
      for _ in 0..<taken { Self.takeFirst(queue) }
      // The words that only the figures have are used once, as `touch` does.
      _ = figures.countsSeen
      race(
        { change(queue) },
        {
          let seen = figures.countsSeen
          if seen.isWhole { saw.values = [seen.done, seen.pending] }
        })
      unseen {
        while queue.firstAssumingOwned() != 0 { _ = queue.removeFirstAssumingOwned() }
        queue.rewindAssumingOwned()
        extras.figures.storeRelaxed(0)  // relaxed: the threads have ended; the figures are on no list
        reference.release()
      }
      try require(saw.values.isEmpty || allowed.contains(saw.values), "\(saw.values)")
    }
  }

  @discardableResult private static func takeFirst(_ queue: DispatchQueue) -> UInt64 {
    queue.firstAssumingOwned() == 0 ? 0 : queue.removeFirstAssumingOwned()
  }

  @Test("Figures that are read while the list turns back are of one moment, all schedules")
  func turnsBack() throws {
    try read(taken: 4, left: 0, allowed: [[4, 0]]) { $0.rewindAssumingOwned() }
  }

  @Test("Figures that are read while the list turns back and is used again are of one moment, all schedules")
  func usedAgain() throws {
    try read(taken: 4, left: 0, allowed: [[4, 0], [4, 1], [5, 0]]) { queue in
      queue.rewindAssumingOwned()
      queue.append(1, 1)
      Self.takeFirst(queue)
    }
  }

  @Test("Figures that are read while the list goes on to another page are of one moment, all schedules")
  func goesOn() throws {
    let inside = UInt64(InlineSlots.count)
    try read(taken: Int(inside), left: 1, allowed: [[inside, 1]]) { _ = $0.firstAssumingOwned() }
  }

  @Test("Figures that are read while the first item of another page is taken off are of one moment, all schedules")
  func takenFromNextPage() throws {
    let inside = UInt64(InlineSlots.count)
    try read(taken: Int(inside), left: 1, allowed: [[inside, 1], [inside + 1, 0]]) { Self.takeFirst($0) }
  }
}
