// SourceStateTests.swift: the source's word: every reachable state × every event keeps the invariants. No threads.
import SignalboxWords
import Testing

@Suite("The source's state word keeps its invariants") struct SourceStateTests {
  typealias S = SourceState

  /// What can happen to a source in that state, by whoever may make it happen, with what is then to be done.
  private func steps(_ state: S) -> [(S, S.Action)] {
    var steps: [(S, S.Action)] = []
    // Activating and cancelling take a reference, so they do not come after the last one has gone.
    if !state[has: S.abandoned] {
      if let step = state.afterActivate() { steps.append(step) }
      if let step = state.afterCancel() { steps.append(step) }
      steps.append(state.afterAbandon())
    }
    if let next = state.afterSignal() { steps.append((next, .nothing)) }
    if state[has: S.turn] { steps.append((state.afterTurn(), .nothing)) }
    return steps
  }

  /// A state, and what has been said to be done so far.
  private struct Path: Hashable {
    var word: UInt64
    var starts = 0, stops = 0, ends = 0
    /// start() or stop() is under way.
    var isStarting = false, isStopping = false
  }

  private func following(_ path: Path) -> [Path] {
    let state = S(rawValue: path.word)
    var all = steps(state)
    if path.isStarting { all.append(state.afterStarted()) }
    if path.isStopping { all.append(state.afterStopped()) }
    return all.enumerated().map { index, step in
      var next = path
      next.word = step.0.rawValue
      // The steps that were added last are the returns of start() and stop().
      let returns = step.0[has: S.started] && !state[has: S.started]
      if returns { next.isStarting = false }
      if step.0[has: S.stopped] && !state[has: S.stopped] { next.isStopping = false }
      switch step.1 {
      case .start: (next.starts, next.isStarting) = (path.starts + 1, true)
      case .stop: (next.stops, next.isStopping) = (path.stops + 1, true)
      case .end: next.ends += 1
      case .nothing, .announce: break
      }
      return next
    }
  }

  @Test(
    "A kind is started at most once, stopped once if it was started and has ended, and the last item comes once, after that")
  func paths() {
    var (seen, open): (Set<Path>, [Path]) = ([Path(word: 0)], [Path(word: 0)])
    while let path = open.popLast() {
      let state = S(rawValue: path.word)
      #expect(state.brokenInvariant == nil)
      #expect(path.starts <= 1 && path.stops <= path.starts && path.ends <= 1)
      #expect(path.ends == 0 || state[has: S.cancelled])
      #expect(path.ends == 0 || !path.isStarting && !path.isStopping)
      let next = following(path)
      // Nothing more can happen but signals: then what was owed is done.
      if !path.isStarting && !path.isStopping {
        #expect(path.stops == (path.starts == 1 && state.isOver ? 1 : 0))
        #expect((path.ends == 1) == state[has: S.cancelled])
      }
      for path in next where seen.insert(path).inserted { open.append(path) }
    }
    #expect(seen.count > 30)
  }

  @Test("One turn is in the queue at a time, and none is asked for once nobody is interested")
  func checks() {
    let state = S(rawValue: 0)
    let signalled = state.afterSignal()!
    #expect(signalled.afterSignal() == nil)
    #expect(signalled.afterTurn().afterSignal() != nil)
    #expect(state.afterCancel()!.next.afterSignal() == nil)
    #expect(state.afterAbandon().next.afterSignal() == nil)
  }

  @Test("The fields tile the word")
  func fieldsTile() {
    #expect(S.layout.reduce(UInt64(0)) { $0 | $1.inPlace } == .max)
    #expect(S.layout.reduce(0) { $0 + $1.mask.nonzeroBitCount } == 64)
  }
}
