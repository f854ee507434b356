// DependencyTests.swift: operations that wait for others: in one queue, over several, added, removed, finished, cancelled.
import Testing

extension Conformance {
  @Suite("Dependencies") struct Dependencies {
    @Test("An operation that depends on an unfinished one is not ready; finished ones do not count, and stay in the list")
    func readiness() async {
      await isolated {
        let first = MainOperation()
        let second = MainOperation()
        second.addDependency(first)
        expect(!second.isReady && second.dependencies == [first])
        first.start()
        expect(second.isReady && second.dependencies == [first])
        let third = MainOperation()
        third.addDependency(first)
        expect(third.isReady && third.dependencies == [first])
      }
    }

    @Test("A dependency that is removed does not count any more")
    func removal() async {
      await isolated {
        let first = MainOperation()
        let second = MainOperation()
        let third = MainOperation()
        third.addDependency(first)
        third.addDependency(second)
        third.removeDependency(first)
        expect(third.dependencies == [second])
        guard subjectIsOurs else { return }  // the toolchain's is never ready again (Differences/operations.json)
        expect(!third.isReady)
        third.removeDependency(second)
        expect(third.isReady && third.dependencies.isEmpty)
        third.removeDependency(second)
        expect(third.isReady)
      }
    }

    @Test("A dependency that is added twice is one")
    func twice() async {
      await isolated {
        let first = MainOperation()
        let second = MainOperation()
        second.addDependency(first)
        second.addDependency(first)
        expectEqual(second.dependencies.count, 1)
        first.start()
        expect(second.isReady)
      }
    }

    @Test("A chain over two queues runs in its order, whatever the order of adding")
    func acrossQueues() async {
      await isolated {
        for reversed in [false, true] {
          let log = Recorder<Int>()
          let queues = [OperationQueue(), OperationQueue()]
          let operations = (0..<50).map { index in BlockOperation { log.add(index) } }
          for index in 1..<50 { operations[index].addDependency(operations[index - 1]) }
          let order = reversed ? Array((0..<50).reversed()) : Array(0..<50)
          for index in order { queues[index % 2].addOperation(operations[index]) }
          log.wait(count: 50)
          expectEqual(log.entries, Array(0..<50))
          for queue in queues { queue.waitUntilAllOperationsAreFinished() }
        }
      }
    }

    @Test("An operation that waits for a dependency takes no place of its queue")
    func waitingTakesNoPlace() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let never = MainOperation()
        let blocked = MainOperation()
        blocked.addDependency(never)
        queue.addOperation(blocked)
        let ran = Gate()
        queue.addOperation { ran.open() }
        ran.wait()
        expect(!blocked.isFinished)
        never.start()
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(blocked.runs.access { $0 }, 1)
      }
    }

    // The toolchain's never runs (Differences/operations.json).
    @Test("A dependency removed while the operation waits in its queue sets it free", .enabled(if: subjectIsOurs))
    func removedWhilePending() async {
      await isolated {
        let queue = OperationQueue()
        let never = MainOperation()
        let waiting = MainOperation()
        waiting.addDependency(never)
        queue.addOperation(waiting)
        waitForWhatMustNotCome()
        expect(!waiting.isFinished && !waiting.isReady)
        waiting.removeDependency(never)
        expectFinished([waiting])
      }
    }

    @Test("A cancelled operation waits for nobody, and those that depend on it go on when it is finished")
    func cancelled() async {
      await isolated {
        let queue = OperationQueue()
        let never = MainOperation()
        let cancelled = MainOperation()
        let after = MainOperation()
        cancelled.addDependency(never)
        after.addDependency(cancelled)
        queue.addOperations([cancelled, after], waitUntilFinished: false)
        waitForWhatMustNotCome()
        expect(!cancelled.isReady && !after.isReady)
        cancelled.cancel()
        expectFinished([cancelled, after])
        expectEqual(cancelled.runs.access { $0 }, 0)
        expectEqual(after.runs.access { $0 }, 1)
      }
    }

    @Test("When operations fan out and in, all in the middle run between the two ends")
    func fan() async {
      await isolated {
        let log = Recorder<String>()
        let queue = OperationQueue()
        let source = BlockOperation { log.add("source") }
        let sink = BlockOperation { log.add("sink") }
        let middle = (0..<30).map { _ in BlockOperation { log.add("middle") } }
        for operation in middle {
          operation.addDependency(source)
          sink.addDependency(operation)
        }
        queue.addOperations([sink] + middle + [source], waitUntilFinished: true)
        expectEqual(log.entries.first, "source")
        expectEqual(log.entries.last, "sink")
        expectEqual(log.count, 32)
      }
    }

    @Test("Cancelling an operation in a cycle opens it: that one does not run, the others do, in their order")
    func openedCycle() async {
      await isolated {
        let log = Recorder<Int>()
        let queue = OperationQueue()
        let operations = (0..<4).map { index in BlockOperation { log.add(index) } }
        for index in 0..<4 { operations[index].addDependency(operations[(index + 1) % 4]) }
        for operation in operations { queue.addOperation(operation) }
        expectEqual(queue.operationCount, 4)
        operations[3].cancel()
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(log.entries, [2, 1, 0])
        expect(operations.allSatisfy { $0.isFinished })
      }
    }

    @Test("A wait from within an operation for one that depends on it is ended by a watchdog that cancels that one")
    func watchdog() async {
      await isolated {
        let queue = OperationQueue()
        let (middle, last) = (BlockOperation {}, BlockOperation {})
        let begun = DispatchSemaphore(value: 0), isOver = Monitor(false)
        let first = BlockOperation {
          begun.signal()
          last.waitUntilFinished()
          isOver.access { $0 = true }
        }
        let watchdog = onThread {
          begun.wait()
          sleepPlainly(milliseconds: 300)  // in which a library would stop the program that takes the wait for a deadlock
          last.cancel()
        }
        middle.addDependency(first)
        last.addDependency(middle)
        for operation in [last, middle, first] { queue.addOperation(operation) }
        queue.waitUntilAllOperationsAreFinished()
        watchdog.join()
        expect(isOver.access { $0 })
        expect(last.isFinished && last.isCancelled && middle.isFinished)
      }
    }

    @Test("Operations that depend on one another and were never queued are not kept alive by that")
    func noLeak() async {
      await isolated {
        weak var first: MainOperation?
        weak var second: MainOperation?
        do {
          let one = MainOperation()
          let two = MainOperation()
          two.addDependency(one)
          (first, second) = (one, two)
        }
        expect(first == nil && second == nil)
      }
    }
  }
}
