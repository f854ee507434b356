// InnerPerformTests.swift: a perform inside the body of another one that has a thread for every processor stays with its thread, until one
// of its bodies waits: then the rest is published.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("A perform inside a crowded one") struct InnerPerformTests {
  @Test("A body that waits for a later one lets others run it, again and again")
  func bodiesWaitForOneAnother() {
    for _ in 0..<50 {
      let arrived = Count(), ran = Count(), processors = Tuning.processors
      DispatchQueue.concurrentPerform(iterations: processors) { _ in
        // Each processor has a body of this perform from here on, so that what follows begins with no helper.
        arrived.add()
        awaitState("a body for each processor") { arrived.value == UInt64(processors) }
        let later = DispatchSemaphore(value: 0)
        DispatchQueue.concurrentPerform(iterations: 3) { index in
          if index == 0 { later.wait() }
          if index == 2 { later.signal() }
          ran.add()
        }
      }
      #expect(ran.value == UInt64(3 * processors))
    }
  }
}
