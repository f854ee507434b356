// RetargetToMainTests.swift: a queue made under a C name becomes one of the main thread's while a thread waits for its turn.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("A queue retargeted to the main queue") struct RetargetToMainTests {
  @Test("The body of a sync that waits behind the change runs on the main thread", arguments: [false, true])
  func syncWaits(isConcurrent: Bool) async {
    await #expect(processExitsWith: .success) { [isConcurrent] in
      asMainThreadOfAFork {
        let queue = DispatchQueue(
          legacyLabel: "moves", isConcurrent: isConcurrent, isInactive: false, qos: .unspecified, target: nil)
        let mayGo = DispatchSemaphore(value: 0), isDone = Count(), onMain = Count()
        queue.async(flags: .barrier) { mayGo.wait() }
        queue.setTarget(queue: .main)
        let before = queue.list.tail.loadSeqCst()
        DispatchQueue.global().async {
          queue.sync { if Threads.isMain { onMain.add() } }
          isDone.add()
        }
        awaitState("a waiter in the list") { queue.list.tail.loadSeqCst() != before }
        mayGo.signal()
        awaitState("the sync") {
          MainQueue.drain()
          return isDone.value == 1
        }
        precondition(onMain.value == 1)
        queue.async { isDone.add() }
        awaitState("the item behind it") {
          MainQueue.drain()
          return isDone.value == 2
        }
      }
    }
  }
}
