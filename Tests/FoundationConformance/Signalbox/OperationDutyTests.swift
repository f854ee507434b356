// OperationDutyTests.swift: duties of queues and operations as the documents tell them, one by one: order, limits, waits, names.
import Testing

extension Conformance {
  @Suite("Duties of operation queues") struct OperationDuties {
    @Test("Readiness comes before priority, and among the ready priority before the order of adding")
    func readinessFirst() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let log = Recorder<String>()
        let urgent = BlockOperation { log.add("urgent") }
        urgent.queuePriority = .veryHigh
        let first = BlockOperation { log.add("first") }
        let low = BlockOperation { log.add("low") }
        low.queuePriority = .low
        urgent.addDependency(first)
        queue.addOperations([urgent, low, first], waitUntilFinished: false)
        queue.addOperation { log.add("normal") }
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(log.entries, ["first", "urgent", "normal", "low"])
      }
    }

    @Test("A limit that is lowered lets what runs go on, and starts the next when fewer run")
    func loweredLimit() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 3
        let inside = Monitor(0)
        let gates = (0..<6).map { _ in Gate() }
        let operations = gates.map { gate in
          MainOperation { _ in
            inside.access { $0 += 1 }
            gate.wait()
            inside.access { $0 -= 1 }
          }
        }
        queue.addOperations(operations, waitUntilFinished: false)
        expect(inside.wait(seconds: patience, until: { $0 == 3 }))
        queue.maxConcurrentOperationCount = 1
        gates[0].open()
        gates[1].open()
        expect(inside.wait(seconds: patience, until: { $0 == 1 }))
        waitForWhatMustNotCome()
        expectEqual(inside.access { $0 }, 1)
        expectEqual(queue.operationCount, 4)
        for gate in gates { gate.open() }
        queue.waitUntilAllOperationsAreFinished()
        expect(operations.allSatisfy { $0.isFinished })
      }
    }

    @Test("Several blocks of one operation have one end, one completion block, and start each dependent once")
    func blocksEndOnce() async {
      await isolated {
        let queue = OperationQueue()
        for _ in 0..<20 {
          let ran = Counter()
          let completed = Recorder<Int>()
          let operation = BlockOperation { ran.add() }
          for _ in 0..<7 { operation.addExecutionBlock { ran.add() } }
          operation.completionBlock = { completed.add(ran.value) }
          let after = MainOperation { _ in expectEqual(ran.value, 8) }
          after.addDependency(operation)
          queue.addOperations([after, operation], waitUntilFinished: true)
          completed.wait(count: 1)
          expectEqual(completed.entries, [8])
          expectEqual(after.runs.access { $0 }, 1)
        }
      }
    }

    @Test("addOperations waits for all operations of its list, and returns at once for an empty list")
    func waitForAll() async {
      await isolated {
        let queue = OperationQueue()
        queue.addOperations([], waitUntilFinished: true)
        let log = Recorder<Int>()
        let operations = (0..<30).map { index in BlockOperation { log.add(index) } }
        for index in 0..<29 { operations[index].addDependency(operations[index + 1]) }
        queue.addOperations(operations, waitUntilFinished: true)
        expectEqual(log.entries, Array((0..<30).reversed()))
        expect(operations.allSatisfy { $0.isFinished })
      }
    }

    @Test("Several threads may wait for the end of all, which includes what operations add meanwhile")
    func waitUntilAll() async {
      await isolated {
        let queue = OperationQueue()
        queue.waitUntilAllOperationsAreFinished()
        let count = Counter()
        queue.addOperation {
          count.add()
          queue.addOperation {
            count.add()
            queue.addOperation { count.add() }
          }
        }
        let waiters = (0..<3).map { _ in
          onThread {
            queue.waitUntilAllOperationsAreFinished()
            expectEqual(count.value, 3)
          }
        }
        for waiter in waiters { waiter.join() }
        expectEqual(queue.operationCount, 0)
      }
    }

    @Test("When all are cancelled, those that run see so and go on, and the others never run")
    func cancelAllRunning() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        let seen = Recorder<Bool>()
        let go = Gate()
        let operations = (0..<8).map { _ in
          MainOperation {
            seen.add($0.isCancelled)
            go.wait()
            seen.add($0.isCancelled)
          }
        }
        queue.addOperations(operations, waitUntilFinished: false)
        seen.wait(count: 2)
        queue.cancelAllOperations()
        go.open()
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(seen.entries, [false, false, true, true])
        expect(operations.allSatisfy { $0.isFinished && $0.isCancelled })
        expectEqual(operations.map { $0.runs.access { $0 } }.reduce(0, +), 2)
      }
    }

    @Test("An operation that is cancelled as it finishes or is about to start is never run twice, nor lost")
    func cancelRace() async {
      await isolated {
        let queue = OperationQueue()
        for _ in 0..<200 {
          let operation = MainOperation()
          let after = MainOperation()
          after.addDependency(operation)
          let canceller = onThread { operation.cancel() }
          queue.addOperations([operation, after], waitUntilFinished: true)
          canceller.join()
          expect(operation.isFinished && operation.runs.access { $0 } <= 1)
          expectEqual(after.runs.access { $0 }, 1)
        }
      }
    }

    @Test("A suspended queue starts nothing that others add, and who depends on its operations waits for it")
    func suspendedDependency() async {
      await isolated {
        let (asleep, awake) = (OperationQueue(), OperationQueue())
        asleep.isSuspended = true
        let first = MainOperation()
        let second = MainOperation()
        second.addDependency(first)
        awake.addOperation(second)
        asleep.addOperation(first)
        onThreads(3) { _ in for _ in 0..<20 { asleep.addOperation {} } }
        waitForWhatMustNotCome()
        expect(!first.isFinished && !second.isFinished && second.isReady == false)
        expectEqual(asleep.operationCount, 61)
        asleep.isSuspended = false
        expectFinished([first, second])
        asleep.waitUntilAllOperationsAreFinished()
      }
    }

    @Test("Finished and cancelled operations hold up nobody, in no queue or another one")
    func settledDependencies() async {
      await isolated {
        let finished = MainOperation()
        finished.start()
        let cancelled = MainOperation()
        cancelled.cancel()
        let queue = OperationQueue()
        let after = MainOperation()
        after.addDependency(finished)
        after.addDependency(cancelled)
        queue.addOperation(after)
        waitForWhatMustNotCome()
        expect(!after.isFinished && !after.isReady)  // cancelled is not finished
        cancelled.start()
        expectFinished([after])
        queue.waitUntilAllOperationsAreFinished()
      }
    }

    @Test("An operation that reads its queue's count finds itself counted, and what it has just added")
    func countsInside() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let seen = Recorder<Int>()
        let operation = MainOperation { operation in
          seen.add(queue.operationCount)
          queue.addOperation { seen.add(queue.operationCount) }
          seen.add(queue.operationCount)
          expect(queue.operations.first === operation)
        }
        queue.addOperation(operation)
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(seen.entries, [1, 2, 1])
      }
    }

    @Test("The completion block runs after the operation has finished, cancelled or not, and may wait for its queue")
    func completionWaits() async {
      await isolated {
        let queue = OperationQueue()
        let done = Recorder<Bool>()
        for index in 0..<10 {
          let operation = MainOperation()
          operation.completionBlock = { [unowned queue] in
            queue.waitUntilAllOperationsAreFinished()
            done.add(operation.isFinished)
            operation.completionBlock = nil
          }
          if index % 2 == 0 { operation.cancel() }
          queue.addOperation(operation)
        }
        done.wait(count: 10)
        expectEqual(done.entries, Array(repeating: true, count: 10))
      }
    }

    @Test("An operation that ran to the end of main() counts one in the progress; one that overrides start() does not")
    func progressCounts() async {
      await isolated {
        let queue = OperationQueue()
        queue.isSuspended = true
        if !subjectIsOurs { queue.maxConcurrentOperationCount = 1 }  // as in OperationQueueTests `progress`
        queue.progress.totalUnitCount = 4
        let operations = (0..<3).map { _ in MainOperation() }
        queue.addOperations(operations, waitUntilFinished: false)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(queue.progress.completedUnitCount, 3)
        expectEqual(queue.progress.fractionCompleted, 0.75)
        let asynchronous = AsyncOperation { $0.finish() }
        queue.addOperations([asynchronous], waitUntilFinished: true)
        expectEqual(queue.progress.completedUnitCount, 3)
        queue.addOperations([MainOperation()], waitUntilFinished: true)
        expectEventually("it counts") { queue.progress.completedUnitCount == 4 }
        expect(queue.progress.isFinished)
      }
    }

    @Test("Queue, operations and what their closures hold are freed when all is over")
    func freed() async {
      await isolated {
        final class Token: Sendable {}
        weak var queue: OperationQueue?
        weak var operation: MainOperation?
        weak let token: Token?
        do {
          let (made, kept, held) = (OperationQueue(), MainOperation(), Token())
          (queue, operation, token) = (made, kept, held)
          made.addOperation(kept)
          made.addOperation { _ = held }
          made.addBarrierBlock { _ = held }
          made.waitUntilAllOperationsAreFinished()
        }
        expectEventually("all are gone") { queue == nil && operation == nil && token == nil }
      }
    }
  }
}
