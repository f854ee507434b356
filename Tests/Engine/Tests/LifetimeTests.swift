// LifetimeTests.swift: who waits for an end comes beside those who bring it: nobody is forgotten, and what was held meanwhile is let go
// of, whoever was first.
import SignalboxClasses
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

@Suite(.serialized) struct LifetimeTests {
  init() { LockTuning.rounds = 0 }

  @Test("A group of C's that is asked for its end while members come and go is freed after it")
  func askedGroup() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), number = Number(), done = DispatchSemaphore(value: 0)
      weak var seen: DispatchGroup?
      func use() {
        let group = DispatchGroup(holdingItself: ())
        seen = group
        group.enter()
        race(
          {
            group.notify(queue: queue) {
              number.add()
              done.signal()
            }
          },
          {
            group.enter()
            group.leave()
            group.leave()
          })
      }
      use()
      done.wait()
      try queue.sync { try number.expect(1) }
      try require(seen == nil, "the group is still held")
    }
  }

  @Test("The end of an operation is not missed by who waits for it")
  func settledOperation() throws {
    try expectSome {
      let operation = OperationBox()
      race({ operation.operation.start() }, { operation.operation.waitUntilFinished() })
      try require(operation.operation.isFinished, "it is over, and not finished")
    }
  }

  @Test("A cancelled operation ends and is freed beside the end of what it depends on, and nobody touches it any more")
  func cancelledDependent() throws {
    // Few changes of priority show most easily that the one does not wait for the other; of all strategies in turn 8,000 did not.
    try expectSome(4_000, strategy: .pct) {
      let queue = SignalboxClasses.OperationQueue(), first = OperationBox()
      func add() {
        let second = SignalboxClasses.Operation()
        second.addDependency(first.operation)
        queue.addOperation(second)
      }
      add()
      let box = QueueBox(queue)
      race({ first.operation.start() }, { box.queue.cancelAllOperations() })
      queue.waitUntilAllOperationsAreFinished()
    }
  }
}

private final class QueueBox: @unchecked Sendable {
  // SAFETY of @unchecked: an operation queue may be used by any thread.
  let queue: SignalboxClasses.OperationQueue
  init(_ queue: SignalboxClasses.OperationQueue) { self.queue = queue }
}

private final class OperationBox: @unchecked Sendable {
  // SAFETY of @unchecked: an operation may be used by any thread.
  let operation = SignalboxClasses.Operation()
}
