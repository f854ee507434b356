// CrowdStateTests.swift: the crowd's word without threads: every small state, and every way that a few threads can bring it into.
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxLocks

@Suite("The crowd's state word keeps its invariants") struct CrowdStateTests {
  /// Every crowd that breaks no invariant, with an early ticket and with the last.
  static let states: [CrowdState] = [0, 1, UInt32.max >> 2].flatMap { ticket in
    (0..<4).map { CrowdState(rawValue: ticket << 2 | $0) }.filter { $0.brokenInvariant == nil }
  }
  static let patiences: [LockPatience] = [.fresh, .hasSlept, .starving]

  @Test("The fields tile the word as the drawing says")
  func layout() {
    #expect(CrowdState.parked == 1 && CrowdState.handOff == 2 && CrowdState.ticket == 4)
    #expect(CrowdStateTests.states.count == 9)
  }

  @Test("Every step from every small state keeps the invariant, and only a wake changes the ticket")
  func invariants() {
    for state in Self.states {
      for patience in Self.patiences {
        let steps = [state.afterAnnounce(patience), state.afterTake(patience), state.afterGiveUp(patience)]
        #expect(steps.allSatisfy { $0.brokenInvariant == nil && $0.rawValue >> 2 == state.rawValue >> 2 })
        #expect(steps[0].isParked && steps[2].isParked)
      }
      let (next, wake) = state.afterUnlock()
      #expect(next.brokenInvariant == nil)
      #expect((next.rawValue >> 2 == state.rawValue >> 2) == (wake == .nobody))
    }
  }

  @Test("A lock kept for the starving is taken by them only, and then it is kept no longer")
  func handOff() {
    for state in Self.states {
      for patience in Self.patiences { #expect(state.mayTake(patience) == (!state.isHandOff || patience == .starving)) }
      #expect(!state.afterTake(.starving).isHandOff && !state.afterGiveUp(.starving).isHandOff)
      #expect(state.afterTake(.hasSlept).isHandOff == state.isHandOff)
      #expect(state.afterGiveUp(.hasSlept).isHandOff == state.isHandOff)
    }
  }

  @Test("A thread that has slept leaves word that others may sleep; one that comes fresh changes nothing")
  func conservative() {
    for state in Self.states {
      #expect(state.afterTake(.hasSlept).isParked && state.afterTake(.starving).isParked)
      #expect(state.afterTake(.fresh) == state)
    }
  }

  @Test("Unlocking wakes somebody exactly if somebody may sleep, the starving first")
  func unlock() {
    for state in Self.states {
      let (next, wake) = state.afterUnlock()
      #expect(wake == (state.isHandOff ? .starving : state.isParked ? .one : .nobody))
      #expect(next.isParked == state.isHandOff && next.isHandOff == state.isHandOff)
    }
  }

  @Test(
    "In no order of steps and of memory are two threads inside, or is one asleep forever", arguments: [2, 3], [false, true])
  func everyOrder(threads: Int, isTimed: Bool) {
    let result = search(from: LockModel(threads: Array(repeating: .away, count: threads), isTimed: isTimed))
    #expect(result.complaint == nil)
    #expect(result.states > (threads == 2 ? 300 : 10_000))
  }

  @Test("Without the barrier the search finds a sleeper that is never woken, so parks are short then")
  func withoutBarrier() {
    let result = search(from: LockModel(threads: [.away, .away], isTimed: false, hasBarrier: false))
    #expect(result.complaint?.hasPrefix("asleep forever") == true)
  }
}
