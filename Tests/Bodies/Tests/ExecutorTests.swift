// ExecutorTests.swift: bodies with actors on queues, and tasks that prefer queues.
import SignalboxExplore
import SignalboxFoundation
import Testing

@Suite("Executors that are explored", .serialized) struct ExecutorTests {
  actor Stock {
    let queue: DispatchQueue
    private(set) var left = 1
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    init(on queue: DispatchQueue = DispatchQueue(label: "stock")) { self.queue = queue }

    var isFree: Bool { left > 0 }
    func take() { left -= 1 }
    func takeIfFree() { if left > 0 { left -= 1 } }
    nonisolated func takeIfFreeNow() { queue.sync { assumeIsolated { $0.takeIfFree() } } }
    nonisolated func takeIfFreeSoon(_ group: DispatchGroup) {
      queue.async(group: group) { self.assumeIsolated { $0.takeIfFree() } }
    }
  }

  @Test("Jobs, items and sync that ask and take in one turn never sell twice") func isolation() async throws {
    for target in [nil, DispatchQueue(label: "below")] as [DispatchQueue?] {
      try await explore(schedules: 500) {
        let stock = Stock(on: DispatchQueue(label: "stock", target: target)), items = DispatchGroup()
        async let job: Void = stock.takeIfFree()
        stock.takeIfFreeSoon(items)
        stock.takeIfFreeNow()
        await job
        await withCheckedContinuation { continuation in items.notify(queue: .global()) { continuation.resume() } }
        if await stock.left != 0 { throw Wrong("left: \(await stock.left)") }
      }
    }
  }

  @Test("An actor on a queue that is asked in one job and told in another is found to be sold twice")
  func twoJobs() async throws {
    let failure = try await failure {
      try await explore(schedules: 2_000) {
        let stock = Stock()
        @Sendable func buy() async {
          guard await stock.isFree else { return }
          await Task.yield()
          await stock.take()
        }
        async let one: Void = buy()
        async let two: Void = buy()
        _ = await (one, two)
        if await stock.left < 0 { throw Wrong("sold twice") }
      }
    }
    #expect(failure.kind == .error)
    #expect(failure.message == "sold twice")
  }

  @Test("Tasks that prefer queues end in every schedule") func preferences() async throws {
    try await explore(schedules: 500) {
      let (serial, concurrent) = (DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent))
      let stock = Stock()
      await withTaskGroup(of: Void.self) { group in
        for queue in [serial, concurrent, .global()] {
          group.addTask(executorPreference: queue) {
            await Task.yield()
            await stock.takeIfFree()
          }
        }
      }
      if await stock.left != 0 { throw Wrong("not taken") }
    }
  }
}
