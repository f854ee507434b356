// ThreadStateTests.swift: the word of a thread: every order of its steps keeps the invariants, and what happens once happens once.
import SignalboxWords
import Testing

@Suite("The thread's state word keeps its invariants") struct ThreadStateTests {
  private static func successors(_ state: ThreadState) -> [ThreadState] {
    var next = [
      state.afterStart(), state.afterCancel(), state.afterCheckPlanned(), state.afterCheck(), state.afterToldOfNoLoop(),
    ]
    if state.isStarted {
      next += [state.afterTold(), state.afterEnd()]
      if !state.isFinished { next.append(state.afterBegin()) }  // the thread itself, before its end
    }
    return next.compactMap { $0 }
  }

  private static let reachable: Set<UInt64> = {
    var seen: Set<UInt64> = [ThreadState.new.rawValue, ThreadState.met.rawValue]
    var open = [ThreadState.new, .met]
    while let state = open.popLast() {
      for next in successors(state) where seen.insert(next.rawValue).inserted { open.append(next) }
    }
    return seen
  }()

  @Test("The fields tile the word")
  func layout() {
    #expect(ThreadState.layout.reduce(0) { $0 | $1.inPlace } == .max)
    #expect(ThreadState.layout.reduce(0) { $0 + $1.mask.nonzeroBitCount } == 64)
  }

  @Test("Every reachable state keeps the invariants, and nothing that was done once is undone")
  func invariants() {
    #expect(Self.reachable.count > 40)
    for raw in Self.reachable {
      let state = ThreadState(rawValue: raw)
      #expect(state.brokenInvariant == nil, "\(state)")
      for next in Self.successors(state) {
        for field in [
          ThreadState.started, ThreadState.finished, ThreadState.cancelled, ThreadState.told, ThreadState.toldOfNoLoop,
        ] {
          #expect(next[field] >= state[field], "\(state) to \(next)")
        }
      }
    }
  }

  @Test("Starting, announcing the end, planning a check and reporting a missing loop are each done by one thread")
  func once() throws {
    #expect(try #require(ThreadState.new.afterStart()).afterStart() == nil)
    #expect(ThreadState.met.afterStart() == nil)
    #expect(try #require(ThreadState.met.afterTold()).afterTold() == nil)
    #expect(try #require(ThreadState.new.afterToldOfNoLoop()).afterToldOfNoLoop() == nil)
    let planned = try #require(ThreadState.new.afterCheckPlanned())
    #expect(planned.afterCheckPlanned() == nil)
    #expect(planned.afterCheck().afterCheckPlanned() != nil)
  }

  @Test("A thread that was cancelled before its start ends without having executed")
  func cancelledBefore() throws {
    let started = try #require(ThreadState.new.afterCancel().afterStart())
    #expect(started.isCancelled && !started.isExecuting)
    let ended = started.afterEnd()
    #expect(ended.isFinished && !ended.isExecuting)
  }
}
