// RingOrderTests.swift: the items of one worker stay in their order, whatever becomes of its ring: against a list of all that it submitted.
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

@Suite("The order of what a worker submits") struct RingOrderTests {
  /// A worker's ring and its shard of the list, as numbers in the order in which they lie there.
  private struct Model: ~Copyable {
    let order = RingOrder()
    var ring: [Int] = [], list: [Int] = []
    var next = 0
    static let capacity = 4

    mutating func submit() {
      next += 1
      if ring.count < Self.capacity { return ring.append(next) }
      empty()
      order.goesToList(.standard)
      list.append(next)
    }

    /// By its worker before it sleeps, or by the sampler.
    mutating func empty() {
      if ring.isEmpty { return }
      order.goesToList(.standard)
      list += ring
      ring = []
    }

    mutating func take() -> Int? {
      let isListFirst = order.isListFirst(.standard)
      if isListFirst, list.isEmpty { order.listIsEmpty(.standard) }
      if isListFirst, !list.isEmpty { return list.removeFirst() }
      if !ring.isEmpty { return ring.removeFirst() }
      return list.isEmpty ? nil : list.removeFirst()
    }
  }

  @Test("Items are taken in the order of their submission, from ring and list", arguments: 1...40 as ClosedRange<UInt64>)
  func random(seed: UInt64) {
    var random = SmallRandom(seed: seed), model = Model(), last = 0
    for _ in 0..<2_000 {
      switch random.next() % (seed % 4 + 6) {
      case 0...2: model.submit()
      case 3: if random.next() % 8 == 0 { model.empty() }
      default:
        guard let taken = model.take() else { continue }
        if taken != last + 1 { return #expect(taken == last + 1) }
        last = taken
      }
    }
    while let taken = model.take() {
      #expect(taken == last + 1)
      last = taken
    }
    #expect(last == model.next)
  }
}
