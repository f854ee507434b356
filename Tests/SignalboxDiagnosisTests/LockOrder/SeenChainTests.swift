// SeenChainTests.swift: which chains of locks a thread has seen, so that each is looked up in the graph once: the last two of each place.
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

@Suite("A thread knows the chains it has seen last") struct SeenChainTests {
  @Test("Of the chains that share a place the last two are known")
  func lastTwo() {
    let words = UnsafeMutablePointer<UInt64>.allocate(capacity: HeldStack.words)
    words.initialize(repeating: 0, count: HeldStack.words)
    defer { words.deallocate() }
    // SAFETY: an atomic word has the layout of its integer.
    let stack = HeldStack(base: UnsafeMutableRawPointer(words).assumingMemoryBound(to: Atomic64.self))
    let keys = (1...3 as ClosedRange<UInt64>).map { $0 << 32 | 7 << 8 }
    func known() -> [Bool] { keys.map { stack.hasSeen($0) } }

    #expect(known() == [false, false, false])
    stack.remember(keys[0])
    #expect(known() == [true, false, false])
    stack.remember(keys[1])
    #expect(known() == [true, true, false])
    stack.remember(keys[2])
    #expect(known() == [false, true, true])
    stack.restart(1)
    #expect(known() == [false, false, false])
  }
}
