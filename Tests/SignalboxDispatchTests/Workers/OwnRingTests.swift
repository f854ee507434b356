// OwnRingTests.swift: a worker's ring against an array; where items that workers submit go; and that every one of them runs, once.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("Rings of workers") struct OwnRingTests {
  private static func item(_ number: UInt64) -> Slot { Slot(5_000 + number, number) }

  @Test(
    "A ring behaves as an array of limited length, whatever is put in and taken out", arguments: 1...8 as ClosedRange<UInt64>)
  func model(seed: UInt64) {
    var random = SmallRandom(seed: seed), model: [UInt64] = [], next: UInt64 = 0
    let ring = OwnRing()
    for _ in 0..<20_000 {
      switch random.next() % 4 {
      case 0, 1:
        next += 1
        let isPut = ring.put(Self.item(next), of: .standard)
        #expect(isPut == (model.count < Int(OwnRing.capacity)))
        if isPut { model.append(next) }
      case 2:
        let one = ring.take()
        #expect(one?.second == model.first)
        if one != nil { model.removeFirst() }
      default:
        var rest: [UInt64] = []
        let haul = ring.take(atMost: OwnRing.most) { one, its in rest.append(its == .standard ? one.second : 0) }
        let count = min((model.count + 1) / 2, OwnRing.most)
        #expect((haul.map { [$0.one.second] } ?? []) + rest == Array(model.prefix(count)))
        model.removeFirst(count)
      }
      #expect(ring.count == UInt64(model.count))
    }
  }

  @Test("A ring takes items of another class only once it is empty")
  func oneClass() {
    let ring = OwnRing()
    #expect(ring.put(Self.item(1), of: .standard) && !ring.put(Self.item(2), of: .initiated))
    #expect(ring.put(Self.item(3), of: .standard))
    #expect(ring.serviceClass == .standard && ring.take()?.second == 1 && ring.take()?.second == 3 && ring.take() == nil)
    #expect(ring.put(Self.item(2), of: .initiated) && ring.serviceClass == .initiated)
    _ = ring.take()
  }

  @Test("Along with an item a worker takes half of its part of what is pending in the shard, and fifteen at most")
  func along() {
    typealias More = PoolList.More
    // The workers that come to one shard: each starts at another one.
    #expect(More.workers(of: 64, shards: 8) == 8 && More.workers(of: 9, shards: 8) == 2 && More.workers(of: 9, shards: 1) == 9)
    #expect(More.count(of: 255, for: 8) == 15 && More.count(of: 64, for: 8) == 4 && More.count(of: 15, for: 8) == 0)
    #expect(More.count(of: 4, for: 0) == 2)  // no worker is counted as running yet
  }

  @Test("Rings are lent again, and found by those who search for them")
  func lent() {
    let table = RingTable(2)
    let first = table.lend(), second = table.lend(), beyond = table.lend()
    _ = (first.put(Self.item(1), of: .standard), beyond.put(Self.item(2), of: .standard))
    var seen: [ObjectIdentifier] = []
    #expect(
      !table.first(from: 7) {
        seen.append(ObjectIdentifier($0)); return false
      })
    #expect(Set(seen) == [ObjectIdentifier(first), ObjectIdentifier(second)] && seen.count == 2)
    #expect(table.first(from: 1) { !$0.isEmpty })
    _ = (first.take(), beyond.take())
    table.takeBack(second)
    #expect(table.lend() === second)
  }

  /// A spin is work: it keeps its processor, and the item that it is for needs another.
  private static let waysToWait = Processors.available() > 1 ? [false, true] : [false]

  @Test("What an item submits and then waits for, asleep or spinning, is run by another worker", arguments: waysToWait)
  func others(spins: Bool) {
    let queue = DispatchQueue.global(), done = DispatchSemaphore(value: 0)
    for _ in 0..<50 {
      queue.async {
        let ran = Atomic32(0), inner = DispatchSemaphore(value: 0)
        queue.async {
          ran.storeRelease(1)
          inner.signal()
        }
        if spins {
          // acquire: pairs with the release above
          while ran.loadAcquire() == 0 { spinPause() }
        }
        inner.wait()
        done.signal()
      }
      done.wait()
    }
  }

  @Test("Every item of a tree of submissions runs once", arguments: [2, 7, 40])
  func tree(width: Int) {
    let count = Atomic64(0), group = DispatchGroup()
    @Sendable func grow(_ depth: Int) {
      _ = count.addRelaxed(1)  // relaxed: read once all have run
      guard depth > 0 else { return }
      for _ in 0..<width { DispatchQueue.global().async(group: group) { grow(depth - 1) } }
    }
    DispatchQueue.global().async(group: group) { grow(2) }
    group.wait()
    #expect(count.loadRelaxed() == UInt64(1 + width + width * width))  // relaxed: all have run
  }

  @Test("A flood of an item that submits itself again keeps no other item of its class waiting")
  func chain() {
    let queue = DispatchQueue.global(), isOver = Atomic32(0), done = DispatchSemaphore(value: 0), ends = DispatchGroup()
    @Sendable func again() {
      if isOver.loadAcquire() == 0 { queue.async(group: ends) { again() } }  // acquire: pairs with the release below
    }
    for _ in 0..<(2 * Tuning.processors) { queue.async(group: ends) { again() } }
    for _ in 0..<100 {
      queue.async { done.signal() }
      DispatchQueue(label: "serial").async { done.signal() }
      done.wait()
      done.wait()
    }
    isOver.storeRelease(1)  // release: as above
    ends.wait()
  }
}
