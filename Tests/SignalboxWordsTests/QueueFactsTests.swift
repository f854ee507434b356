// QueueFactsTests.swift: the facts of an operation queue: each is set once, and none changes another.
import SignalboxWords
import Testing

@Suite("Facts of an operation queue are set once") struct QueueFactsTests {
  @Test("The fields tile the word")
  func layout() {
    #expect(QueueFacts.layout.reduce(0) { $0 | $1.inPlace } == .max)
    #expect(QueueFacts.layout.reduce(0) { $0 + $1.mask.nonzeroBitCount } == 64)
  }

  @Test("In every order each fact is set once, and leaves the others alone")
  func facts() throws {
    let all = QueueFacts.fields.map(\.field).filter { $0 != QueueFacts.unused }
    for first in all {
      for second in all where second != first {
        let one = try #require(QueueFacts(rawValue: 0).after(first))
        let both = try #require(one.after(second))
        #expect(both[first] == 1 && both[second] == 1 && both.brokenInvariant == nil)
        #expect(both.after(first) == nil && both.after(second) == nil)
        #expect(all.filter { both[$0] == 1 }.count == 2)
      }
    }
  }
}
