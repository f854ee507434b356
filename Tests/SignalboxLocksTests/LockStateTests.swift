// LockStateTests.swift: the lock's word without threads: every small state, and every way that small crowds can bring it into.
import Testing

@testable import SignalboxLocks

@Suite struct LockStateTests {
  /// Every word with these owners that breaks no invariant.
  static let states: [LockState] = [0, 1, 2].flatMap { owner in
    (0..<4).map { LockState(rawValue: owner | UInt32($0) << 24) }.filter { $0.brokenInvariant == nil }
  }
  static let patiences: [LockState.Patience] = [.fresh, .hasSlept, .starving]

  @Test("The fields tile the word as the drawing says, and all zero is free")
  func layout() {
    #expect(LockState.ownerMask | LockState.parked | LockState.handOff == 0x3FF_FFFF)
    #expect(LockState.ownerMask & LockState.parked == 0 && LockState.parked & LockState.handOff == 0)
    #expect(LockState(rawValue: 0).afterTake(7, .fresh)?.rawValue == 7)
    #expect(LockStateTests.states.count == 8)
  }

  @Test("Every step from every small state keeps the invariants")
  func invariants() {
    for state in Self.states {
      for patience in Self.patiences {
        if let taken = state.afterTake(1, patience) {
          #expect(taken.brokenInvariant == nil && taken.owner == 1 && state.owner == 0)
        } else {
          #expect(state.afterAnnounce(patience).brokenInvariant == nil)
          #expect(state.afterAnnounce(patience).isParked)
        }
        #expect(state.afterGiveUp(patience).next.brokenInvariant == nil)
      }
      if state.owner != 0 {
        #expect(state.afterUnlock().next.brokenInvariant == nil && state.afterUnlock().next.owner == 0)
      }
    }
  }

  @Test("Nobody takes a held lock; one kept for the starving is taken by them only")
  func whoMayTake() {
    for state in Self.states {
      for patience in Self.patiences {
        let mayTake = state.owner == 0 && (!state.isHandOff || patience == .starving)
        #expect((state.afterTake(1, patience) != nil) == mayTake)
      }
    }
  }

  @Test("Who has slept takes the lock as if others slept too")
  func conservative() {
    for patience in [LockState.Patience.hasSlept, .starving] {
      #expect(LockState(rawValue: 0).afterTake(1, patience)?.isParked == true)
    }
    #expect(LockState(rawValue: 0).afterTake(1, .fresh)?.isParked == false)
  }

  @Test("Unlocking wakes somebody exactly if somebody may sleep, the starving first")
  func unlock() {
    for state in Self.states where state.owner != 0 {
      let wake = state.afterUnlock().wake
      #expect(wake == (state.isHandOff ? .starving : state.isParked ? .one : .nobody))
    }
  }

  @Test("In no order of steps are two threads inside, or is one asleep for ever", arguments: [2, 3], [false, true])
  func everyOrder(threads: Int, isTimed: Bool) {
    let result = search(from: LockModel(threads: Array(repeating: .away, count: threads), isTimed: isTimed))
    #expect(result.complaint == nil)
    #expect(result.states > (threads == 2 ? 50 : 500))
  }
}
