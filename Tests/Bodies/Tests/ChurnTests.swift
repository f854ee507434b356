// ChurnTests.swift: bodies whose objects come and go: where the allocator puts the next one is another place in each run.
import SignalboxExplore
import SignalboxFoundation
import Testing

// The log is written without a lock, which a sanitizer reports.
@Suite("Objects that come and go", .serialized, .enabled(if: !isSanitized)) struct ChurnTests {
  private struct Wrong: Error {}

  private static func churn() {
    for _ in 0..<2 {
      let queue = DispatchQueue(label: "queue"), lock = NSLock(), group = DispatchGroup()
      queue.sync { lock.withLock {} }
      queue.async(group: group) { lock.withLock {} }
      group.wait()
    }
  }

  @Test("A failure among objects that come and go is the same when it is replayed", arguments: 1...8 as ClosedRange<UInt64>)
  func replayed(seed: UInt64) throws {
    let failure = #expect(throws: ExploreFailure.self) {
      try explore(schedules: 300, seed: seed) {
        let log = Log()
        Log.threads {
          Self.churn()
          log.add("a")
        } and: {
          Self.churn()
          log.add("b")
        }
        if log.text == "ba" { throw Wrong() }
      }
    }
    #expect(failure?.kind == .error)
  }

  @Test("A search among objects that come and go is of the same schedules each time") func searched() throws {
    let results = try (0..<3).map { _ in
      try explore(schedules: 20_000, strategy: .exhaustive) {
        let shared = DispatchQueue(label: "shared")
        Log.threads {
          for _ in 0..<2 { DispatchQueue(label: "queue").sync {} }
          shared.sync {}
        } and: {
          for _ in 0..<2 {
            let group = DispatchGroup()
            group.enter()
            shared.sync { group.leave() }
            group.wait()
          }
        }
      }
    }
    #expect(results.allSatisfy { $0.isExhaustive && $0.schedules == results[0].schedules }, "\(results)")
  }
}
