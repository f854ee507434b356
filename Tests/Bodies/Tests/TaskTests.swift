// TaskTests.swift: bodies with Swift tasks and actors.
import SignalboxExplore
import SignalboxFoundation
import Testing

@Suite("Tasks that are explored", .serialized) struct TaskTests {
  actor Stock {
    private(set) var left = 1
    var isFree: Bool { left > 0 }
    func take() { left -= 1 }
    func takeIfFree() { if left > 0 { left -= 1 } }
  }

  @Test("An actor that is asked in one call and told in another is found to be sold twice, asked and told in one, not")
  func checkThenAct() async throws {
    @Sendable func body(_ buy: @escaping @Sendable (Stock) async -> Void) async throws {
      let stock = Stock()
      async let one: Void = buy(stock)
      async let two: Void = buy(stock)
      _ = await (one, two)
      if await stock.left < 0 { throw Wrong("sold twice") }
    }
    let failure = try await failure {
      try await explore(schedules: 2_000) {
        try await body { stock in
          guard await stock.isFree else { return }
          await Task.yield()
          await stock.take()
        }
      }
    }
    #expect(failure.kind == .error)
    #expect(failure.message == "sold twice")
    try await explore(schedules: 500) { try await body { await $0.takeIfFree() } }
  }

  @Test("Sleeps of tasks, delays of queues and the main actor share one virtual time") func time() async throws {
    let clock = ContinuousClock()
    let took = try await clock.measure {
      try await explore(schedules: 50) {
        let begin = ContinuousClock.now
        try await Task.sleep(for: .seconds(3600))
        await withCheckedContinuation { continuation in
          DispatchQueue.main.asyncAfter(deadline: .now() + 3600) { continuation.resume() }
        }
        await MainActor.run { Thread.sleep(forTimeInterval: 3600) }
        let hours = (ContinuousClock.now - begin) / .seconds(3600)
        if hours < 3 || hours > 3.01 { throw Wrong("\(hours) hours") }
      }
    }
    #expect(took < .seconds(60))
  }

  @Test("A continuation that is never resumed is reported") func lostContinuation() async throws {
    let failure = try await failure {
      try await explore(schedules: 10) { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    }
    #expect(failure.kind == .deadlock)
  }

  @Test("Tasks of the rest of the process go on meanwhile") func beside() async throws {
    async let other = withTaskGroup(of: Int.self) { group in
      for number in 0..<100 {
        group.addTask {
          await Task.yield(); return number
        }
      }
      return await group.reduce(0, +)
    }
    try await explore(schedules: 200) {
      let stock = Stock()
      await stock.takeIfFree()
      if await stock.left != 0 { throw Wrong("not taken") }
    }
    #expect(await other == 4950)
  }
}
