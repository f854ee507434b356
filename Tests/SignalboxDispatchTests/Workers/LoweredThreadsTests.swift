// LoweredThreadsTests.swift: the table of the slots whose threads are workers of lower bands.
import Testing

@testable import SignalboxDispatch

@Suite("Slots of workers of lower bands") struct LoweredThreadsTests {
  @Test("A slot is known from its worker's beginning to its end, and no other one with it")
  func comesAndGoes() async {
    await #expect(processExitsWith: .success) {
      // Slots that no thread has yet: they are given out from the lowest.
      let owners: [UInt64] = [0xFFC0, 0xFFC1, 0xFFFF]
      func known() -> [Bool] { owners.map { LoweredThreads.contains($0) } }
      #expect(known() == [false, false, false])
      for owner in owners { LoweredThreads.enter(owner) }
      #expect(known() == [true, true, true])
      LoweredThreads.leave(owners[0])
      #expect(known() == [false, true, true])
      for owner in owners { LoweredThreads.leave(owner) }
      #expect(known() == [false, false, false])
    }
  }
}
