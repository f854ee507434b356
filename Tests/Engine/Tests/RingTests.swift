// RingTests.swift: a worker's ring by itself: what the worker puts in is taken once, whole and in its order, by it and by thieves; and nobody
// goes to sleep over it. Whole pools are WorkerTests.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks
@testable import SignalboxWords

private final class Sleeper: Sendable { let sleeps = Atomic64(0) }

@Suite(.serialized) struct RingTests {
  init() { LockTuning.rounds = 0 }

  private static func item(_ number: UInt64) -> Slot { Slot(100 + number, 200 + number) }

  /// What was taken, as numbers; 0 for an item that is not whole.
  private static func number(_ one: Slot) -> UInt64 { one.second == one.first + 100 ? one.first - 100 : 0 }

  private static func take(_ ring: OwnRing, atMost most: Int) -> [UInt64] {
    var rest: [UInt64] = []
    guard let first = ring.take(atMost: most, { one, _ in rest.append(number(one)) }) else { return [] }
    return [number(first.one)] + rest
  }

  /// A ring with room for `room` items before its slots are used again, and as many items as `count`, from the number 1 on.
  private static func ring(room: UInt64 = OwnRing.capacity, count: UInt64) -> OwnRing {
    let ring = OwnRing()
    unseen {
      for _ in 0..<(OwnRing.capacity - room) {
        _ = ring.put(item(0), of: .standard)
        _ = ring.take()
      }
      for number in 1...max(1, count) where number <= count { _ = ring.put(item(number), of: .standard) }
    }
    return ring
  }

  @Test("An item is whole when a thief takes it, all schedules")
  func itemIsWhole() throws {
    try expectAll(weaker: [.acquires]) {
      let ring = Self.ring(count: 0), saw = Saw()
      race({ _ = ring.put(Self.item(1), of: .standard) }, { saw.values = Self.take(ring, atMost: 16) })
      try require(saw.values == [] || saw.values == [1], "\(saw.values)")
    }
  }

  @Test("Worker and thief take each item once, each in its order, all schedules")
  func takenOnce() throws {
    try expectAll {
      let ring = Self.ring(count: 2), worker = Saw(), thief = Saw()
      race(
        {
          _ = ring.put(Self.item(3), of: .standard)
          for _ in 0..<2 { worker.values += ring.take().map { [Self.number($0)] } ?? [] }
        }, { thief.values = Self.take(ring, atMost: 16) })
      let left = unseen { (0..<3).compactMap { _ in ring.take().map { Self.number($0) } } }
      let all = worker.values + thief.values + left
      try require(all.sorted() == [1, 2, 3], "\(worker.values), \(thief.values), \(left)")
      try require(worker.values == worker.values.sorted() && thief.values == thief.values.sorted(), "out of order: \(all)")
    }
  }

  @Test("Two thieves take each item once, all schedules")
  func twoThieves() throws {
    try expectAll {
      let ring = Self.ring(count: 3), saws = (Saw(), Saw())
      race({ saws.0.values = Self.take(ring, atMost: 16) }, { saws.1.values = Self.take(ring, atMost: 16) })
      let left = unseen { (0..<3).compactMap { _ in ring.take().map { Self.number($0) } } }
      try require((saws.0.values + saws.1.values + left).sorted() == [1, 2, 3], "\(saws.0.values), \(saws.1.values), \(left)")
    }
  }

  @Test("A slot is written again only once the thief has read what lay there, all schedules")
  func slotIsUsedAgain() throws {
    try expectAll {
      let ring = Self.ring(count: OwnRing.capacity), saw = Saw(), put = Saw()
      race(
        { saw.values = Self.take(ring, atMost: 1) },
        { if ring.put(Self.item(99), of: .standard) { put.values = [1] } })
      try require(saw.values == [1], "\(saw.values)")
      let left = unseen { (0..<OwnRing.capacity).compactMap { _ in ring.take().map { Self.number($0) } } }
      try require(left == Array(2...OwnRing.capacity) + (put.values.isEmpty ? [] : [99]), "\(left)")
    }
  }

  @Test("What a thief takes is of the class that it reads, all schedules")
  func placeIsRight() throws {
    try expectAll {
      let ring = Self.ring(count: 1), saw = Saw()
      race(
        {
          _ = ring.take()
          _ = ring.put(Self.item(7), of: .initiated)
        },
        {
          let first = ring.take(atMost: 16) { _, _ in }
          saw.values = first.map { [Self.number($0.one), UInt64($0.serviceClass.rawValue)] } ?? []
        })
      try require([[], [1, 2], [7, 1]].contains(saw.values), "\(saw.values)")
    }
  }

  @Test("Whoever puts an item in and whoever goes to sleep: one of the two sees the other, all schedules")
  func sleepersAreSeen() throws {
    try expectAll(weaker: [.totalOrder]) {
      let pool = Pool(), ring = pool.rings.lend(), sleeper = Sleeper(), worker = Saw(), found = Saw()
      _ = (sleeper.sleeps.loadRelaxed(), pool.ringsHoldWork.loadRelaxed(), ring.count)  // relaxed: as in touch
      race(
        {
          _ = ring.put(Self.item(1), of: .standard)
          pool.ringHoldsWork()
          worker.values = [sleeper.sleeps.loadSeqCst()]
        },
        {
          _ = sleeper.sleeps.exchangeSeqCst(1)
          found.values = pool.ringsAreToBeServed ? [1] : []
        })
      unseen { _ = ring.take() }
      try require(worker.values == [1] || found.values == [1], "nobody wakes the sleeper")
    }
  }

  @Test("The same where another worker takes the mark off that rings hold work, all schedules")
  func markIsTakenOff() throws {
    try expectAll {
      let pool = Pool(), ring = pool.rings.lend(), sleeper = Sleeper(), worker = Saw(), found = Saw(), other = Saw()
      pool.ringHoldsWork()
      _ = (sleeper.sleeps.loadRelaxed(), ring.count)  // relaxed: as in touch
      race(
        {
          _ = ring.put(Self.item(1), of: .standard)
          pool.ringHoldsWork()
          worker.values = [sleeper.sleeps.loadSeqCst()]
        },
        { other.values = pool.ringsAreToBeServed ? [1] : [] },
        {
          _ = sleeper.sleeps.exchangeSeqCst(1)
          found.values = pool.ringsAreToBeServed ? [1] : []
        })
      unseen { _ = ring.take() }
      try require([worker, found, other].contains { $0.values == [1] }, "nobody wakes the sleeper")
    }
  }
}
