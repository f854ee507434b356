// TokenStateTests.swift: the word of a semaphore's tokens and sleepers, and that of a work item's end: their fields and steps. No threads.
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

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
