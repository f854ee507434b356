// CycleSearchTests.swift: cycles among threads that wait for one another. No threads.
import SignalboxView
import Testing

@Suite("Cycles among waiting threads") struct CycleSearchTests {
  private static func cycles(_ waits: [Int32: [Int32]]) -> [[Int32]] {
    CycleSearch.cycles(among: Array(waits.keys)) { waits[$0] ?? [] }
  }

  @Test("Each is found once, from its lowest number, and none of a thread that only waits for one")
  func once() {
    #expect(Self.cycles([1: [2], 2: [3], 3: [1], 4: [1], 5: [5], 6: [7], 7: []]) == [[1, 2, 3], [5]])
    #expect(Self.cycles([1: [2, 3], 2: [1], 3: [1]]) == [[1, 2], [1, 3]])
  }

  @Test("A chain that is longer than the limit is not followed, and the search ends")
  func limit() {
    let long = Int32(CycleSearch<ThreadWait>.limit) + 10
    #expect(Self.cycles(Dictionary(uniqueKeysWithValues: (1...long).map { ($0, [$0 % long + 1]) })).isEmpty)
    let short = Int32(CycleSearch<ThreadWait>.limit)
    #expect(Self.cycles(Dictionary(uniqueKeysWithValues: (1...short).map { ($0, [$0 % short + 1]) })).count == 1)
  }
}
