// TokenStateTests.swift: the word of a semaphore's tokens and sleepers, and that of a work item's end: their fields and steps. No threads.
import SignalboxWords
import Testing

@Suite("The word of a semaphore's tokens, and of an item's end") struct TokenStateTests {
  @Test("The fields tile each word")
  func layout() {
    for layout in [TokenState.layout, CompletionState.layout] {
      #expect(layout.reduce(UInt64(0)) { $0 | $1.inPlace } == .max)
      #expect(layout.reduce(0) { $0 + $1.mask.nonzeroBitCount } == 64)
    }
    // Threads park on the low half: it is all tokens.
    #expect(TokenState.tokens.inPlace == UInt64(UInt32.max))
  }

  @Test(
    "Every state of an item's end that a few threads can reach keeps its invariant, and who searches is counted whatever else happens"
  )
  func completionStates() {
    var seen: Set<UInt64> = [], left: [CompletionState] = [.init(rawValue: 0)]
    while let state = left.popLast() {
      guard seen.insert(state.rawValue).inserted else { continue }
      #expect(state.brokenInvariant == nil)
      let finders = state[CompletionState.finders]
      let steps: [(CompletionState?, finders: UInt64, mayBeDone: Bool)] = [
        (state.afterRun(), finders, true), (state.afterAsk(CompletionState.waiters), finders, false),
        (state.afterAsk(CompletionState.notifies), finders, false), (finders < 3 ? state.afterFind() : nil, finders + 1, false),
        (finders > 0 ? state.afterFound() : nil, finders &- 1, true),
      ]
      for (next, expected, mayBeDone) in steps {
        guard let next else { continue }
        #expect(next[CompletionState.finders] == expected)
        #expect(mayBeDone || !state.isDone, "nothing begins after the end")
        #expect(next.isDone || !state.isDone, "the end stays")
        left.append(next)
      }
    }
    // Four counts of finders, each after the end, and before it with every mixture of the two flags.
    #expect(seen.count == 4 * 5)
    var full = CompletionState(rawValue: 0)
    full[CompletionState.finders] = CompletionState.finders.mask
    #expect(full.afterFind() == nil)
  }

  @Test("A token is taken off the tokens alone; there is none below zero, and one sleeper is enough to be seen")
  func steps() {
    #expect(TokenState(rawValue: 0).afterTake() == nil)
    #expect(!TokenState(rawValue: TokenState.tokens.inPlace).hasSleepers)
    var state = TokenState(rawValue: TokenState.sleepers.one + 2)
    #expect(state.hasSleepers)
    for left in [1, 0] as [UInt64] {
      guard let next = state.afterTake() else { break }
      #expect(next[TokenState.tokens] == left && next[TokenState.sleepers] == 1)
      state = next
    }
    #expect(state[TokenState.tokens] == 0 && state.afterTake() == nil)
  }
}
