// AllowanceTests.swift: while more workers run than are to, a class that is allowed one more worker gets one: its list is served once.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxDispatch

@Suite("A crowded pool serves a class that is allowed one more worker") struct AllowanceTests {
  @Test("An allowance that is granted twice is one, and each use needs one")
  func allowance() throws {
    let pool = Pool()
    let queues = (0..<3).map { DispatchQueue(label: "\($0)") }
    for queue in queues { pool.lists.ofCaller(.items, .standard).append(.turn(UInt64(queue.address))) }
    // All processors, and one more, have a worker that runs items of a more urgent class.
    pool.set { $0.adding(PoolState.total, 65).adding(PoolState.running, 65) }
    for _ in 0..<65 { pool.classCounts.change(from: nil, to: .interactive) }
    func taken() -> UInt64? { pool.takeShared(for: Pool.Taker(queuesFirst: false, own: nil))?.second }

    #expect(taken() == nil, "crowded, and not allowed")
    for _ in 0..<2 { pool.allow(.standard) }
    pool.allow(.utility)
    #expect(taken() == UInt64(queues[0].address))
    #expect(taken() == nil, "the allowance is used up")
    pool.allow(.standard)
    #expect(taken() == UInt64(queues[1].address))
    pool.classCounts.change(from: .interactive, to: nil)
    pool.classCounts.change(from: .interactive, to: nil)
    #expect(taken() == UInt64(queues[2].address), "there is room")
  }
}
