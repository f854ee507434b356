// AllowanceTests.swift: while more workers run than are to, a class that is allowed one more worker gets one: its list is served once.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("A crowded pool serves a class that is allowed one more worker") struct AllowanceTests {
  @Test("An allowance that is granted twice is one, and each use needs one")
  func allowance() throws {
    let pool = Pool(), place = 2
    let queues = (0..<3).map { DispatchQueue(label: "\($0)") }
    for queue in queues { pool.lists.ofCaller(.items, place).append(.turn(UInt64(queue.address))) }
    // All processors, and one more, have a worker that runs items of a more urgent class.
    pool.set { $0.adding(PoolState.total, 65).adding(PoolState.running, 65) }
    for _ in 0..<65 { pool.classes.change(from: ClassCounts.none, to: 0) }
    func taken() -> UInt64? { pool.takeShared(for: Pool.Taker(queuesFirst: false, own: ClassCounts.none))?.second }

    #expect(taken() == nil, "crowded, and not allowed")
    for _ in 0..<2 { pool.allow(place) }
    pool.allow(place + 1)
    #expect(taken() == UInt64(queues[0].address))
    #expect(taken() == nil, "the allowance is used up")
    pool.allow(place)
    #expect(taken() == UInt64(queues[1].address))
    pool.classes.change(from: 0, to: ClassCounts.none)
    pool.classes.change(from: 0, to: ClassCounts.none)
    #expect(taken() == UInt64(queues[2].address), "there is room")
  }
}
