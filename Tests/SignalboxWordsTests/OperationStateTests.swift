// OperationStateTests.swift: the word of an operation, without threads: every step from every reachable state.
import SignalboxWords
import Testing

@Suite("The operation's state word keeps its invariants") struct OperationStateTests {
  /// Every step that the engine takes, with the states from which it takes it.
  private static func successors(_ state: OperationState) -> [OperationState] {
    var next: [OperationState?] = [
      state.afterStart().next, state.afterStart(isDue: true).next, state.afterSaidExecuting(), state.afterFinish(),
      state.afterCancel().next,
      state.afterQueued().next, state.afterListed(), state.afterDependentRegistered(), state.afterAskToWait(),
    ]
    if state[OperationState.unmet] < 2 { next.append(state.afterDependencyAdded().next) }
    if state[OperationState.unmet] > 0 { next.append(state.afterDependencyMet().next) }
    if state.isListed { next.append(state.afterUnlisted()) }
    if state.isFinished, !state.isSettled { next.append(state.afterSettled().next) }
    // How often dependencies were added tells nothing of what may follow.
    return next.compactMap { $0 }.map { state in
      var state = state
      state[OperationState.additions] = 0
      return state
    }
  }

  private static let reachable: Set<UInt64> = {
    var seen: Set<UInt64> = [OperationState.initial.rawValue]
    var open = [OperationState.initial]
    while let state = open.popLast() {
      for next in successors(state) where seen.insert(next.rawValue).inserted { open.append(next) }
    }
    return seen
  }()

  @Test("The fields that readers of other processes know by their places")
  func placesOfFields() {
    #expect(OperationState.phase.inPlace == 3 << 33 && OperationState.main.inPlace == 1 << 51)
    #expect(OperationPhase.executing.rawValue == 1)
  }

  @Test("The fields tile the word")
  func layout() {
    var bit: UInt64 = 0
    for field in OperationState.layout {
      #expect(field.shift == bit)
      bit += UInt64(field.mask.trailingZeroBitCount == 0 ? field.mask.nonzeroBitCount : 0)
    }
    #expect(bit == 64)
  }

  @Test("Every reachable state keeps the invariants")
  func invariants() {
    #expect(Self.reachable.count > 200)
    for raw in Self.reachable {
      let state = OperationState(rawValue: raw)
      #expect(state.brokenInvariant == nil, "\(state)")
    }
  }

  @Test("No step of the state leads back from finished, cancelled, queued or settled")
  func monotonous() {
    for raw in Self.reachable {
      let state = OperationState(rawValue: raw)
      for next in Self.successors(state) {
        #expect(next[OperationState.phase] >= state[OperationState.phase])
        #expect(next[OperationState.cancelled] >= state[OperationState.cancelled])
        #expect(next[OperationState.queued] >= state[OperationState.queued])
        #expect(next[OperationState.settled] >= state[OperationState.settled])
      }
    }
  }

  @Test("An operation starts only when it is ready and waiting; a cancelled one is finished instead")
  func start() {
    for raw in Self.reachable {
      let state = OperationState(rawValue: raw)
      let (next, action) = state.afterStart()
      switch action {
      case .runMain: #expect(state.isWaiting && state.isReady && !state.isCancelled && next.isExecuting)
      case .finishUnrun: #expect(state.isWaiting && state.isCancelled && next == state)
      case .alreadyFinished: #expect(state.isFinished && next == state)
      case .refuseExecuting: #expect(state.isExecuting && next == state)
      case .refuseNotReady:
        #expect(state.isWaiting && !state.isReady && next == state)
        #expect(state.afterStart(isDue: true).action == .runMain, "a dependency that came too late")
      }
    }
  }

  @Test("An operation is finished once, and refuses dependents and places in lists from then on")
  func finish() {
    for raw in Self.reachable {
      let state = OperationState(rawValue: raw)
      guard let finished = state.afterFinish() else {
        #expect(state.isFinished)
        continue
      }
      #expect(finished.isFinished && finished.afterFinish() == nil)
      #expect(finished.afterDependentRegistered() == nil && finished.afterListed() == nil)
      #expect(finished.afterCancel().action == .nothing)
      #expect(finished.afterQueued().action != .queued)
    }
  }

  @Test("Whoever waits for an operation is woken when it settles, and nobody sleeps after that")
  func waiting() {
    for raw in Self.reachable {
      let state = OperationState(rawValue: raw)
      guard let asked = state.afterAskToWait() else {
        #expect(state.isSettled)
        continue
      }
      guard let finished = asked.isFinished ? asked : asked.afterFinish() else { continue }
      let (settled, wake) = finished.afterSettled()
      #expect(wake && settled.afterAskToWait() == nil)
    }
  }

  @Test("Exactly one step reports that an operation has become ready")
  func readiness() {
    for raw in Self.reachable {
      let state = OperationState(rawValue: raw)
      if state[OperationState.unmet] > 0 {
        let (next, became) = state.afterDependencyMet()
        #expect(became == (!state.isReady && next.isReady))
      }
      let (cancelled, action) = state.afterCancel()
      #expect((action == .cancelledAndReady) == (!state.isReady && cancelled.isReady))
      let (added, lost) = state.afterDependencyAdded()
      #expect(lost == (state.isReady && !added.isReady))
    }
  }

  @Test("Each dependency that is added is counted, so that two readings differ; the count begins anew at its end")
  func additions() {
    for count in [0, 1, OperationState.additions.mask] {
      var state = OperationState.initial
      state[OperationState.additions] = count
      let next = state.afterDependencyAdded().next
      #expect(next[OperationState.additions] == (count == OperationState.additions.mask ? 0 : count + 1))
      #expect(next[OperationState.unmet] == state[OperationState.unmet] + 1)
      // One that is met takes nothing off this count.
      #expect(next.afterDependencyMet().next[OperationState.additions] == next[OperationState.additions])
    }
  }
}
