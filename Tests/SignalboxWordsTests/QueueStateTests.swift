// QueueStateTests.swift: every reachable small state of the queue word × every event keeps the invariants. No threads.
import SignalboxWords
import Testing

@Suite("The queue's state word keeps its invariants") struct QueueStateTests {
  /// A queue's word together with what its events may do.
  struct Model {
    let isSerial: Bool
    let owners: [UInt64] = [1, 2]
    let mostReaders: UInt64 = 2

    func events(_ state: QueueState) -> [(String, QueueState)] {
      var next: [(String, QueueState)] = []
      func add(_ name: String, _ state: QueueState?) { if let state { next.append((name, state)) } }
      add("push", state.afterPush())
      add("sleep at gate", isSerial && state.isOwned ? state.afterSleepAtGate() : nil)
      if state[QueueState.suspendCount] < 2 { add("suspend", state.afterSuspend()) }
      add("resume", state.afterResume()?.next)
      add("activate", state.afterActivate()?.next)
      for owner in owners {
        add("enter alone", state.afterEnterAlone(owner))
        add("take over", state.afterTakeOver(owner, alone: isSerial))
        // Also while it is not enqueued: a queue that was raised lies on two lists.
        add("dequeued", state.afterDequeued(owner, alone: isSerial).next)
        if state[QueueState.width] > 0 {
          add("leave shared", state.afterLeaveShared(owner).next)
          add("item returned", state.afterItemReturned(owner).next)
        }
        if state[QueueState.exclusive] == 1 { add("hand off", state.afterHandOff(to: owner)) }
      }
      if !isSerial, state[QueueState.width] < mostReaders { add("enter shared", state.afterEnterShared()) }
      if state.isOwned { ownerEvents(state, add) }
      return next
    }

    private func ownerEvents(_ state: QueueState, _ add: (String, QueueState?) -> Void) {
      add("release", state.afterRelease().next)
      add("requeue", state.afterRequeue().next)
      add("retarget", state.afterRetarget().next)
      guard !isSerial else { return }
      if state[QueueState.exclusive] == 1 { return add("barrier ran", state.afterBarrierRan()) }
      add("barrier reached", state.afterBarrierReached().next)
      if state[QueueState.width] < mostReaders {
        add("grant shared", state.afterGrantShared())
        for more in [true, false] { add("redirect", state.afterRedirect(more: more).next) }
      }
    }
  }

  static func reachable(_ model: Model, from starts: [QueueState]) -> (states: Set<UInt64>, broken: [String]) {
    var seen = Set(starts.map(\.rawValue))
    var open = starts
    var broken: [String] = []
    while let state = open.popLast() {
      for (event, next) in model.events(state) {
        if let invariant = next.brokenInvariant {
          let (from, to) = (String(state.rawValue, radix: 16), String(next.rawValue, radix: 16))
          broken.append("\(event): \(from) -> \(to) breaks \(invariant)")
        }
        if seen.insert(next.rawValue).inserted { open.append(next) }
      }
    }
    return (seen, broken)
  }

  static let starts = [
    QueueState(rawValue: 0), QueueState(rawValue: 0).with(QueueState.inactive, 1),
    QueueState(rawValue: 0).with(QueueState.complex, 1),
  ]

  @Test("Who leaves a concurrent queue's list tells the target if more is pending, unless it knows or the queue is stopped")
  func redirect() {
    let owned = QueueState(rawValue: 0).with(QueueState.owner, 8)
    for (state, more, tells) in [
      (owned, true, true), (owned, false, false), (owned.with(QueueState.enqueued, 1), true, false),
      (owned.afterSuspend()!, true, false),
    ] {
      let (next, tellTarget) = state.afterRedirect(more: more)
      #expect(tellTarget == tells)
      #expect(!next.isOwned && next[QueueState.width] == 1)
      #expect(next[QueueState.enqueued] == (tells ? 1 : state[QueueState.enqueued]))
    }
  }

  @Test("A queue off its target's list is left to the thread that runs alone in it; one that takes items off is awaited")
  func dequeued() {
    let listed = QueueState(rawValue: 0).with(QueueState.enqueued, 1), owned = listed.with(QueueState.owner, 8)
    let readers = listed.with(QueueState.width, 2)
    for (state, expected) in [
      (listed, QueueState.DrainAction.drain), (readers, .drain), (owned, .spin), (owned.with(QueueState.exclusive, 1), .leave),
      (readers.with(QueueState.barrierPending, 1), .leave), (listed.afterSuspend()!, .leave),
    ] {
      let (next, action) = state.afterDequeued(16, alone: false)
      #expect(action == expected)
      #expect(next[QueueState.enqueued] == (expected == .spin ? 1 : 0))
      #expect(next[QueueState.owner] == (expected == .drain ? 16 : state[QueueState.owner]))
    }
  }

  @Test("An owner that leaves items behind tells the target, unless that knows or the queue is stopped")
  func requeue() {
    let owned = QueueState(rawValue: 0).with(QueueState.owner, 8).with(QueueState.exclusive, 1)
    for (state, tells) in [
      (owned, true), (owned.with(QueueState.enqueued, 1), false), (owned.afterSuspend()!, false),
      (owned.with(QueueState.inactive, 1), false),
    ] {
      let (next, tellTarget, wakeSleeper) = state.afterRequeue()
      #expect(tellTarget == tells && !wakeSleeper && !next.isOwned)
      #expect(next[QueueState.enqueued] == (tells ? 1 : state[QueueState.enqueued]))
      #expect(state.afterSleepAtGate().afterRequeue().wakeSleeper)
    }
  }

  @Test("The fields tile the word, but for two bits that stay 0")
  func fieldsTile() {
    #expect(QueueState.layout.reduce(UInt64(0)) { $0 | $1.inPlace } == ~(3 << 60))
    #expect(QueueState.layout.reduce(0) { $0 + $1.mask.nonzeroBitCount } == 62)
  }

  @Test("Every reachable state keeps the invariants", arguments: [true, false])
  func invariants(isSerial: Bool) {
    let (states, broken) = Self.reachable(Model(isSerial: isSerial), from: Self.starts)
    #expect(broken.isEmpty, "\(broken.prefix(5))")
    #expect(states.count > (isSerial ? 30 : 120))
  }

  @Test("From every reachable state the queue can become idle again", arguments: [true, false])
  func idleIsReachable(isSerial: Bool) {
    let model = Model(isSerial: isSerial)
    let states = Self.reachable(model, from: Self.starts).states
    // Backwards from idle over all edges.
    var before: [UInt64: [UInt64]] = [:]
    for state in states {
      for (_, next) in model.events(QueueState(rawValue: state)) { before[next.rawValue, default: []].append(state) }
    }
    var reaches: Set<UInt64> = [0, QueueState(rawValue: 0).with(QueueState.complex, 1).rawValue]
    var open = Array(reaches)
    while let state = open.popLast() {
      for earlier in before[state] ?? [] where reaches.insert(earlier).inserted { open.append(earlier) }
    }
    #expect(states.subtracting(reaches).isEmpty)
  }

  @Test("Nobody enters beside one who runs alone, and nobody alone beside readers")
  func exclusion() {
    for state in Self.reachable(Model(isSerial: false), from: Self.starts).states.map(QueueState.init(rawValue:)) {
      if state[QueueState.exclusive] == 1 {
        #expect(state.afterEnterShared() == nil)
        #expect(state.afterEnterAlone(2) == nil)
      }
      if state[QueueState.width] > 0 {
        #expect(state.afterEnterAlone(1) == nil)
        #expect(!state.isOwned || state.afterBarrierReached().action == .pend)
      }
      if state[QueueState.barrierPending] == 1 { #expect(state.afterEnterShared() == nil) }
      if state.isStopped {
        #expect(state.afterEnterShared() == nil && state.afterEnterAlone(1) == nil && state.afterPush() == nil)
      }
    }
  }

  @Test("The last reader takes the list over when a barrier waits for it")
  func lastReaderServes() {
    let pending = QueueState(rawValue: 0).with(QueueState.width, 2).with(QueueState.barrierPending, 1)
    let (one, first) = pending.afterLeaveShared(7)
    #expect(first == .nothing && one[QueueState.barrierPending] == 1)
    let (none, last) = one.afterLeaveShared(7)
    #expect(last == .serveBarrier && none[QueueState.owner] == 7 && none[QueueState.barrierPending] == 0)
  }

  @Test("Suspension counts, and the field's end is noticed")
  func suspension() {
    var state = QueueState(rawValue: 0)
    for _ in 0..<QueueState.suspendCount.mask { state = state.afterSuspend()! }
    #expect(state.afterSuspend() == nil)
    for left in (0..<QueueState.suspendCount.mask).reversed() {
      let (next, look) = state.afterResume()!
      #expect(look == (left == 0))
      state = next
    }
    #expect(state.afterResume() == nil)
  }

  @Test("The reader field saturates instead of trapping")
  func readersSaturate() {
    let full = QueueState(rawValue: 0).with(QueueState.width, QueueState.width.mask)
    #expect(full.isFull && full.afterEnterShared() == nil)
  }
}
