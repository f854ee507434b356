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

  /// A waiter's kind of turn.
  enum Turn: String, CaseIterable, Codable { case serial, reader, barrier }

  @Test("It runs in its place: before what was submitted while it waited, alone if it is a barrier", arguments: Turn.allCases)
  func inPlace(turn: Turn) async {
    await #expect(processExitsWith: .success) { [turn] in
      asMainThreadOfAFork {
        let queue = DispatchQueue(
          legacyLabel: "moves", isConcurrent: turn != .serial, isInactive: false, qos: .unspecified, target: nil)
        let mayGo = DispatchSemaphore(value: 0), isDone = Count(), order = Count(), inner = Count()
        @Sendable func note(_ number: UInt64) { order.value = order.value * 10 + number }
        queue.async(flags: .barrier) {
          mayGo.wait()
          note(1)
        }
        queue.setTarget(queue: .main)
        let before = queue.list.tail.loadSeqCst()
        DispatchQueue.global().async {
          let result = queue.sync(flags: turn == .barrier ? .barrier : []) { () -> Int in
            precondition(Threads.isMain)
            dispatchPrecondition(condition: .onQueue(queue))
            note(2)
            // What is submitted from within comes last.
            queue.async { inner.add() }
            return 7
          }
          precondition(result == 7)
          isDone.add()
        }
        awaitState("a waiter in the list") { queue.list.tail.loadSeqCst() != before }
        queue.async {
          precondition(inner.value == 0)
          note(3)
        }
        mayGo.signal()
        awaitState("all of it") {
          MainQueue.drain()
          return isDone.value == 1 && inner.value == 1
        }
        precondition(order.value == 123)
      }
    }
  }

  @Test("Of several threads that wait each has its place")
  func several() async {
    await #expect(processExitsWith: .success) {
      asMainThreadOfAFork {
        let queue = DispatchQueue(legacyLabel: "moves", isConcurrent: false, isInactive: false, qos: .unspecified, target: nil)
        let mayGo = DispatchSemaphore(value: 0), isDone = Count(), order = Count()
        queue.async { mayGo.wait() }
        queue.setTarget(queue: .main)
        for number in 1...6 as ClosedRange<UInt64> {
          let before = queue.list.tail.loadSeqCst()
          let note: @Sendable () -> Void = { order.value = order.value * 10 + number }
          if number % 3 == 0 {
            queue.async(execute: note)
          } else {
            DispatchQueue.global().async {
              queue.sync(execute: note)
              isDone.add()
            }
          }
          awaitState("the next in the list") { queue.list.tail.loadSeqCst() != before }
        }
        mayGo.signal()
        awaitState("all of it") {
          MainQueue.drain()
          return isDone.value == 4 && order.value >= 100_000
        }
        precondition(order.value == 123_456)
      }
    }
  }
}
