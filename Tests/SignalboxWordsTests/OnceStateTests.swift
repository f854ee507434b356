// OnceStateTests.swift: the word of a once without threads: how it goes from not yet to done.
import SignalboxWords
import Testing

@Suite("The once flag's state word keeps its invariants") struct OnceStateTests {
  @Test("The fields tile the word, and the states lie where the drawing has them")
  func layout() {
    #expect(OnceState.layout.reduce(0) { $0 ^ $1.inPlace } == .max)
    #expect(OnceState.notYet.rawValue == 0 && OnceState.done.rawValue == .max)
    #expect(OnceState.running(5).rawValue == 5 << 2 | 1 && OnceState.running(5).afterAwait().rawValue == 5 << 2 | 3)
  }

  @Test("Only a state in which a thread runs it has a runner, whether it is awaited or not")
  func runner() {
    #expect(OnceState.notYet.runner == nil && OnceState.done.runner == nil)
    for owner: UInt64 in [1, 0xFF_FFFF] {
      let running = OnceState.running(owner)
      #expect(running.runner == owner && !running.isAwaited && !running.isDone)
      #expect(running.afterAwait().runner == owner && running.afterAwait().isAwaited && !running.afterAwait().isDone)
    }
  }

  @Test("The half that threads sleep on tells every two states apart")
  func low() {
    let running = OnceState.running(0xFF_FFFF)
    let states: [OnceState] = [.notYet, .done, .running(1), OnceState.running(1).afterAwait(), running, running.afterAwait()]
    #expect(Set(states.map(\.low)).count == states.count)
  }

  @Test("Each step keeps the invariants, and what breaks them is named")
  func invariants() {
    for state in [OnceState.notYet, .done, .running(1), OnceState.running(1).afterAwait()] {
      #expect(state.brokenInvariant == nil)
    }
    #expect(OnceState(rawValue: 1).brokenInvariant == "INV-1")
    #expect(OnceState(rawValue: 4).brokenInvariant == "INV-1")
    #expect(OnceState(rawValue: 2).brokenInvariant == "INV-2")
  }
}
