// DrainBudgetTests.swift: every small turn and every place of the checks: no item too many between two checks of either kind, and none
// too few. No threads.
import Testing

@testable import SignalboxDispatch

@Suite("How many items a drain runs between checks") struct DrainBudgetTests {
  /// What a drain does with its budget when no other work is ever to come first: after how many items it checks, and
  /// what.
  private static func looks(turns: [Int]) -> (pool: [Int], turn: [Int]) {
    var budget = DrainBudget(turn: turns[0])
    var (ran, next) = (0, 1)
    var (pool, turn): ([Int], [Int]) = ([], [])
    while true {
      ran += budget.stretch
      if budget.pool == 0 { pool.append(ran) }
      if budget.turn == 0 { turn.append(ran) }
      guard budget.turn > 0 || next < turns.count else { return (pool, turn) }
      let wasOver = budget.turn == 0
      budget.goOn(turn: turns[next])
      if wasOver { next += 1 }
    }
  }

  @Test("A turn ends after all its items and not before; the pool is asked every 64 items, whatever the turns")
  func everySmallTurn() {
    for first in 1...200 {
      for second in [1, 2, 63, 64, 65, 200] {
        let looks = Self.looks(turns: [first, second, 1])
        #expect(looks.turn == [first, first + second, first + second + 1])
        #expect(looks.pool == Array(stride(from: 64, through: first + second + 1, by: 64)))
      }
    }
  }

  @Test("The length of a further turn is asked for only when one has ended")
  func laterTurns() {
    var budget = DrainBudget(turn: 100)
    budget.goOn(
      turn: {
        Issue.record("the turn is not over"); return 1
      }())
    #expect(budget.stretch == 36 && budget.turn == 0)
    budget.goOn(turn: 5)
    #expect(budget.stretch == 5)
  }

  @Test("A drain without limit asks the pool alone")
  func noLimit() {
    var budget = DrainBudget(turn: .max)
    for _ in 0..<1_000 {
      #expect(budget.stretch == 64 && budget.pool == 0 && budget.turn > 0)
      budget.goOn(turn: .max)
    }
  }

  @Test("A queue is untouched when no item of the drain has run from it")
  func untouched() {
    for length in 1...70 {
      var budget = DrainBudget(turn: length)
      let whole = budget.stretch
      #expect(budget.isUntouched(whole))
      for left in 0..<whole { #expect(!budget.isUntouched(left)) }
      budget.goOn(turn: 1)
      for left in 0...whole { #expect(!budget.isUntouched(left)) }
    }
  }
}
