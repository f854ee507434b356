// SanitizerTests.swift: under the thread sanitizer a race is reported at the same schedule each time, with its token. In processes of
// their own: the sanitizer reports each race once.
import Glibc
import SignalboxExplore
import SignalboxFoundation
import Testing

@Suite("Races, under the thread sanitizer", .serialized, .enabled(if: isSanitized)) struct SanitizerTests {
  /// A count that the second of two threads writes without the queue, unless it finds that the first has been there.
  @Sendable static func race() {
    let queue = DispatchQueue(label: "count"), count = Shared(0)
    let first = CThread {
      count.value = 1
      queue.sync { count.value = 2 }
    }
    let second = CThread {
      let isThere = queue.sync { count.value == 2 }
      if isThere { count.value = 3 }
    }
    first.join()
    second.join()
  }
  /// The same, guarded.
  @Sendable static func order() {
    let queue = DispatchQueue(label: "count"), count = Shared(0), group = DispatchGroup(),
      semaphore = DispatchSemaphore(value: 0)
    for number in 1...2 { DispatchQueue.global().async(group: group) { queue.sync { count.value += number } } }
    group.notify(queue: .main) { semaphore.signal() }
    semaphore.wait()
    count.value += 1
  }

  private static func found() throws -> ExploreFailure { try failure { try explore(schedules: 500, seed: 3) { race() } } }

  private static func report() async throws -> String {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let found = try Self.found()
        try #require(found.kind == .race)
        let line = "thrown \(found.token) at \(found.schedule ?? 0)\n"
        _ = line.withCString { write(2, $0, strlen($0)) }
      })
    return String(decoding: result.standardErrorContent, as: UTF8.self)
  }
  private static func words(after mark: String, in text: String) -> Substring? {
    text.range(of: mark).map { text[$0.upperBound...].prefix { !$0.isNewline } }
  }

  @Test("A race is reported ten times under the same schedule, and its token runs that one") func race() async throws {
    var told: Set<Substring> = [], thrown: Set<Substring> = []
    for _ in 0..<10 {
      let text = try await Self.report()
      #expect(text.contains("WARNING: ThreadSanitizer: data race"))
      #expect(text.contains("explore: the race that is reported here came under a schedule of"))
      told.insert(try #require(Self.words(after: "SIGNALBOX_EXPLORE_REPLAY=", in: text)).prefix { $0 != " " })
      thrown.insert(try #require(Self.words(after: "thrown ", in: text)))
    }
    #expect(told.count == 1 && thrown.count == 1, "\(told) \(thrown)")
    let token = String(try #require(told.first))
    // The child has the environment of this process.
    setenv("SIGNALBOX_EXPLORE_REPLAY", token, 1)
    defer { unsetenv("SIGNALBOX_EXPLORE_REPLAY") }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let found = try Self.found()
      try #require(found.kind == .race && found.schedules == 0)
    }
    let again = try #require(result)
    #expect(String(decoding: again.standardErrorContent, as: UTF8.self).contains("WARNING: ThreadSanitizer: data race"))
  }

  @Test("What queues, groups and semaphores order is no race") func order() throws {
    let result = try explore(schedules: 300, strategy: .random) { Self.order() }
    #expect(result.schedules == 300)
  }
}
