// RaisedOrderTests.swift: in which order a worker takes a class's own items and those of a lower class that was raised to it.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("A class's own items go before those that were raised to it") struct RaisedOrderTests {
  private func submit(_ pool: Pool, _ count: Int, of serviceClass: ServiceClass) -> [DispatchQueue] {
    let queues = (0..<count).map { DispatchQueue(label: "\(serviceClass.name).\($0)") }
    for queue in queues { pool.lists.ofCaller(.items, serviceClass).append(.turn(UInt64(queue.address))) }
    return queues
  }

  @Test("Each eighth turn is that of a raised item; when the class has none of its own, each turn is")
  func order() {
    // A private engine's lists, in a pool that serves the normal band.
    let engine = Pool(), pool = Pool(.normal, engine.lists, engine.roots, .ofQueues)
    let urgent = submit(pool, 64, of: .standard), other = submit(pool, 64, of: .utility)
    let isOther = Set(other.map { UInt64($0.address) })
    pool.standIn.setRaised(.utility, to: .standard)
    pool.overdue.storeRelaxed(Pool.mayServeOthers)  // relaxed: no other thread
    var order: [Bool] = []
    for round in 0..<128 {
      let taker = Pool.Taker(queuesFirst: round & 1 == 0, own: nil, round: round)
      guard let job = pool.takeShared(for: taker) else { break }
      order.append(isOther.contains(job.second))
    }
    #expect(order.count == 128)
    let lastUrgent = order.lastIndex(of: false) ?? 0
    // 64 in seven of eight turns.
    #expect(lastUrgent == 72, "\(order)")
    for (turn, isOther) in order[...lastUrgent].enumerated() { #expect(isOther == (turn % 8 == 7), "turn \(turn)") }
    withExtendedLifetime((urgent, other, engine)) {}
  }
}
