// AtomicStateTests.swift: states of 64 and of 32 bits that are changed by steps: refusals, steps that change nothing, and many threads.
import Glibc
import SignalboxSystem
import SignalboxWords
import Testing

private struct Wide: PackedWord {
  var rawValue: UInt64
  static let count = Field(0..<63), isClosed = Field(63..<64)
  static var fields: [(name: String, field: Field)] { [("count", count), ("isClosed", isClosed)] }
  var brokenInvariant: String? { self[Self.isClosed] == 1 && self[Self.count] == 0 ? "INV-1" : nil }

  /// One more, unless it is closed: the number of this one.
  func afterAdd() -> (Wide, UInt64)? {
    if self[Self.isClosed] == 1 { return nil }
    var next = self
    next[Self.count] += 1
    return (next, self[Self.count])
  }
  func afterClose() -> Wide {
    var next = self
    next[Self.isClosed] = 1
    return next
  }
}

private struct Narrow: WordState {
  var rawValue: UInt32
}

@Suite("Atomic states changed by steps") struct AtomicStateTests {
  @Test("A step moves the word and hands out its result; one that refuses leaves it alone")
  func refusal() {
    let state = AtomicState(Wide(rawValue: 0))
    #expect(state.tryUpdate { $0.afterAdd() } == 0)
    #expect(state.tryUpdateAcquire { $0.afterAdd() } == 1)
    #expect(state.tryUpdateSeqCst { $0.afterAdd() } == 2)
    state.update { ($0.afterClose(), ()) }
    #expect(state.tryUpdate { $0.afterAdd() } == nil && state.tryUpdateAcquire { $0.afterAdd() } == nil)
    #expect(state.tryUpdateSeqCst { $0.afterAdd() } == nil && !state.moved { $0.afterAdd()?.0 })
    #expect(!state.movedAcquire { $0.afterAdd()?.0 })
    #expect(state.load() == state.hint() && state.loadSeqCst()[Wide.count] == 3)
  }

  @Test("A step that changes nothing hands out the state as it is")
  func change() {
    let state = AtomicState32(Narrow(rawValue: 5))
    #expect(state.change { Narrow(rawValue: $0.rawValue | 1) }.rawValue == 5)
    #expect(state.change { Narrow(rawValue: $0.rawValue | 2) }.rawValue == 7 && state.load().rawValue == 7)
  }

  @Test("A move from one state to another succeeds only from that one")
  func moves() {
    let state = AtomicState32(Narrow(rawValue: 1))
    let isMoved = [
      state.moved(from: Narrow(rawValue: 2), to: Narrow(rawValue: 9)),
      state.moved(from: Narrow(rawValue: 1), to: Narrow(rawValue: 2)),
      state.movedAcquire(from: Narrow(rawValue: 1), to: Narrow(rawValue: 9)),
      state.movedAcquire(from: Narrow(rawValue: 2), to: Narrow(rawValue: 3)),
    ]
    #expect(isMoved == [false, true, false, true] && state.load().rawValue == 3)
  }

  @Test("A state takes the place of its word, and a debug build stops at a state that breaks an invariant")
  func invariants() async {
    #expect(MemoryLayout<AtomicState<Wide>>.size == 8 && MemoryLayout<AtomicState32<Narrow>>.size == 4)
    #if DEBUG
    await #expect(processExitsWith: .failure) {
      let state = AtomicState(Wide(rawValue: 0))
      state.update { ($0.afterClose(), ()) }
    }
    #endif
  }

  @Test("Threads that step one word lose no step, and each number is handed out once")
  func manyThreads() {
    let wide = Shared()
    let threads = (0..<4).map { _ in
      TestThread {
        for _ in 0..<5_000 {
          guard let number = wide.state.tryUpdate({ $0.afterAdd() }) else { continue }
          wide.sum.add(number)
          wide.narrow.updateSeqCst { (Narrow(rawValue: $0.rawValue &+ 1), ()) }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(wide.state.load()[Wide.count] == 20_000 && wide.narrow.load().rawValue == 20_000)
    #expect(wide.sum.load() == 20_000 * 19_999 / 2)
  }

  private final class Shared: Sendable {
    let state = AtomicState(Wide(rawValue: 0))
    let narrow = AtomicState32(Narrow(rawValue: 0))
    let sum = Relaxed64(0)
  }
}
