// SmallLockStateTests.swift: the four-byte lock's word without threads: every small state, and every way that small crowds can bring it into.
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxLocks

@Suite("The small lock's state word keeps its invariants") struct SmallLockStateTests {
  /// Every word with these owners that breaks no invariant.
  static let states: [SmallLockState] = [0, 1, 2].flatMap { owner in
    (0..<4).map { SmallLockState(rawValue: owner | UInt32($0) << 24) }.filter { $0.brokenInvariant == nil }
  }
  static let patiences: [LockPatience] = [.fresh, .hasSlept, .starving]

  @Test("The fields tile the word as the drawing says, and all zero is free")
  func layout() {
    #expect(SmallLockState.ownerMask | SmallLockState.parked | SmallLockState.handOff == 0x3FF_FFFF)
    #expect(SmallLockState.ownerMask & SmallLockState.parked == 0 && SmallLockState.parked & SmallLockState.handOff == 0)
    #expect(SmallLockState(rawValue: 0).afterTake(7, .fresh)?.rawValue == 7)
    #expect(SmallLockStateTests.states.count == 8)
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

  @Test("A thread that has slept takes the lock as if others slept too")
  func conservative() {
    for patience in [LockPatience.hasSlept, .starving] {
      #expect(SmallLockState(rawValue: 0).afterTake(1, patience)?.isParked == true)
    }
    #expect(SmallLockState(rawValue: 0).afterTake(1, .fresh)?.isParked == false)
  }

  @Test("Unlocking wakes somebody exactly if somebody may sleep, the starving first")
  func unlock() {
    for state in Self.states where state.owner != 0 {
      let wake = state.afterUnlock().wake
      #expect(wake == (state.isHandOff ? .starving : state.isParked ? .one : .nobody))
    }
  }

  @Test("In no order of steps are two threads inside, or is one asleep forever", arguments: [2, 3])
  func everyOrder(threads: Int) {
    let result = search(from: SmallLockModel(threads: Array(repeating: .away, count: threads)))
    #expect(result.complaint == nil)
    #expect(result.states > (threads == 2 ? 50 : 500))
  }
}
