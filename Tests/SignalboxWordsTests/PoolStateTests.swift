// PoolStateTests.swift: the pool's counts: every reachable small state × every event keeps the invariants. No threads.
import SignalboxWords
import Testing

@Suite("The pool's state word keeps its invariants") struct PoolStateTests {
  static let bound: UInt64 = 4

  /// Events with what must hold before them; a worker blocks at most once at a time.
  static func events(_ state: PoolState, blocked: UInt64) -> [(PoolState, UInt64)] {
    var next: [(PoolState, UInt64)] = []
    for force in [false, true] {
      next.append((state.afterWorkArrived(processors: 2, bound: bound, force: force).next, blocked))
    }
    let (running, searching) = (state[PoolState.running], state[PoolState.searching])
    if searching > 0 {
      next += [(state.afterFound(), blocked), (state.afterSearchEnded(), blocked), (state.afterSpawnFailed(), blocked)]
    }
    if running > searching {
      next += [(state.afterOutOfWork().next, blocked), (state.afterBlocked(), blocked + 1)]
      next.append((state.afterThreadLost(wasRunning: true), blocked))
    }
    if blocked > 0 {
      next += [(state.afterUnblocked(), blocked - 1), (state.afterThreadLost(wasRunning: false), blocked - 1)]
    }
    if let ended = state.afterIdleEnd() { next.append((ended, blocked)) }
    return next
  }

  struct Node: Hashable {
    let word: UInt64
    let blocked: UInt64
  }

  @Test("Every reachable state keeps the invariants, and no worker is counted twice")
  func invariants() {
    var seen: Set<Node> = [Node(word: 0, blocked: 0)]
    var open = Array(seen)
    while let node = open.popLast() {
      for (next, blocked) in Self.events(PoolState(rawValue: node.word), blocked: node.blocked) {
        #expect(next.brokenInvariant == nil)
        #expect(next[PoolState.running] + next[PoolState.idle] + blocked == next[PoolState.total])
        #expect(next[PoolState.total] <= Self.bound)
        let reached = Node(word: next.rawValue, blocked: blocked)
        if seen.insert(reached).inserted { open.append(reached) }
      }
    }
    #expect(seen.count > 50)
  }

  @Test("The fields tile the word")
  func fieldsTile() {
    #expect(PoolState.layout.reduce(UInt64(0)) { $0 | $1.inPlace }.nonzeroBitCount == 64)
    #expect(PoolState.layout.reduce(0) { $0 + $1.mask.nonzeroBitCount } == 64)
  }

  @Test("Published work always finds somebody: a searcher, a sleeper, a new thread, or all processors busy")
  func workFindsSomebody() {
    let empty = PoolState(rawValue: 0)
    #expect(empty.afterWorkArrived(processors: 2, bound: 4).action == .spawn)
    let searching = empty.afterWorkArrived(processors: 2, bound: 4).next
    #expect(searching.afterWorkArrived(processors: 2, bound: 4).action == .nothing)
    let busy = searching.afterFound()
    #expect(busy.afterWorkArrived(processors: 1, bound: 4).action == .saturated)
    #expect(busy.afterWorkArrived(processors: 1, bound: 4, force: true).action == .spawn)
    #expect(busy.afterWorkArrived(processors: 2, bound: 1).action == .atBound)
    #expect(busy.afterOutOfWork().next.afterSearchEnded().afterWorkArrived(processors: 2, bound: 4).action == .wake)
  }
}
