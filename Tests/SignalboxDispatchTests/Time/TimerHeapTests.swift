// TimerHeapTests.swift: the timer heap against sorting. No clock, no thread.
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

@Suite struct TimerHeapTests {
  @Test("Timers come out by deadline, then in the order they were armed", arguments: [1, 2, 3, 4, 5, 17, 1000, 20_000])
  func order(count: Int) {
    var random = SmallRandom(seed: UInt64(count))
    var heap = TimerHeap()
    let queue = Unmanaged.passUnretained(DispatchQueue.global())
    var expected: [(UInt64, UInt64)] = []
    for sequence in 0..<UInt64(count) {
      let deadline = random.next() % UInt64(max(2, count / 3))
      expected.append((deadline, sequence))
      heap.insert(ArmedTimer(deadline: deadline, sequence: sequence, queue: queue, first: 0, second: 0))
    }
    expected.sort { $0 < $1 }
    for (deadline, sequence) in expected {
      #expect(heap.earliest == deadline)
      if deadline > 0 { #expect(heap.popDue(deadline - 1) == nil) }
      let timer = heap.popDue(deadline)
      #expect(timer?.sequence == sequence)
    }
    #expect(heap.isEmpty)
  }
}
