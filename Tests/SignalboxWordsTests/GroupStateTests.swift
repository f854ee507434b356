// GroupStateTests.swift: the group's word: every reachable small state × every event keeps the invariant. No threads.
import SignalboxWords
import Testing

@Suite("The group's state word keeps its invariants") struct GroupStateTests {
  @Test("Every reachable state keeps the invariant, and generations end exactly with an audience", arguments: [false, true])
  func invariants(holdsItself: Bool) {
    var seen: Set<UInt64> = [0]
    var open: [GroupState] = [GroupState(rawValue: 0)]
    while let state = open.popLast() {
      var next: [GroupState] = []
      if state[GroupState.count] < 3 { next.append(GroupState(rawValue: state.rawValue + GroupState.count.one)) }
      if state[GroupState.count] < 3 {
        let (entered, keep) = state.afterEnterKeeping()
        // One reference for all members: brought exactly by the one that finds none.
        #expect(keep == (state[GroupState.kept] == 0) && entered[GroupState.kept] == 1)
        #expect(entered[GroupState.count] == state[GroupState.count] + 1)
        next.append(entered)
      }
      let kept = state.afterKeep()
      #expect((kept == nil) == (state.isEmpty || state[GroupState.kept] == 1))
      if let kept { next.append(kept) }
      for flag in [GroupState.waiters, GroupState.notifies] {
        let asked = state.afterAsk(flag, keeping: holdsItself)
        #expect((asked == nil) == state.isEmpty)
        guard let asked else { continue }
        // Brought exactly by the one who finds none, and only where the group holds itself.
        #expect(asked.keep == (holdsItself && state[GroupState.kept] == 0))
        next.append(asked.next)
      }
      if let two = state.afterLeave(2) {
        // Two at once are one after the other: in between the group is never empty.
        let one = state.afterLeave()!.next.afterLeave()!
        #expect(two.next == one.next && two.action == one.action)
      } else {
        #expect(state[GroupState.count] < 2)
      }
      if let (left, action) = state.afterLeave() {
        let hadAudience = state[GroupState.waiters] + state[GroupState.notifies] > 0
        #expect((action == .lastOutWithAudience) == (left.isEmpty && hadAudience))
        #expect((left[GroupState.generation] != state[GroupState.generation]) == (action == .lastOutWithAudience))
        // INV-2: who has somebody to tell has the members' reference, too.
        if holdsItself, hadAudience { #expect(state[GroupState.kept] == 1) }
        // The reference goes with the last member, and only then.
        #expect(left[GroupState.kept] == (left.isEmpty ? 0 : state[GroupState.kept]))
        if left[GroupState.generation] < 4 { next.append(left) }
      } else {
        #expect(state.isEmpty)
      }
      for state in next {
        #expect(state.brokenInvariant == nil)
        if seen.insert(state.rawValue).inserted { open.append(state) }
      }
    }
    #expect(seen.count > (holdsItself ? 60 : 80))
  }

  @Test("The fields tile the word")
  func fieldsTile() {
    #expect(GroupState.layout.reduce(UInt64(0)) { $0 | $1.inPlace }.nonzeroBitCount == 64)
    #expect(GroupState.layout.reduce(0) { $0 + $1.mask.nonzeroBitCount } == 64)
  }

  @Test("The count's end is noticed, and the generation wraps")
  func limits() {
    var full = GroupState(rawValue: 0)
    full[GroupState.count] = GroupState.count.mask
    #expect(full.isFull)
    var last = GroupState(rawValue: GroupState.count.one)
    last[GroupState.generation] = GroupState.generation.mask
    #expect(last.afterAsk(GroupState.waiters, keeping: false)!.next.afterLeave()!.next[GroupState.generation] == 0)
  }
}
