// CustomOperationTests.swift: the subclasses of the articles in queues: finished early, late, elsewhere, cancelled, told by key path.
import Testing

extension Conformance {
  @Suite("Custom operations") struct CustomOperationSuite {
    @Test("An asynchronous operation takes its place until somebody finishes it, on whatever thread")
    func asynchronous() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let started = Recorder<AsyncOperation>()
        let operations = (0..<3).map { _ in AsyncOperation { started.add($0) } }
        let after = MainOperation()
        for operation in operations { after.addDependency(operation) }
        queue.addOperations(operations + [after], waitUntilFinished: false)
        for index in 0..<3 {
          started.wait(count: index + 1)
          waitForWhatMustNotCome()
          expectEqual(started.count, index + 1)
          expect(operations[index].isExecuting && !after.isReady)
          let finisher = onThread { operations[index].finish() }
          finisher.join()
        }
        queue.waitUntilAllOperationsAreFinished()
        expectFinished([after])
        expectEqual(operations.map { $0.starts.access { $0 } }, [1, 1, 1])
      }
    }

    @Test("An asynchronous operation that is cancelled in the queue is started once, and finished without work")
    func cancelledAsynchronous() async {
      await isolated {
        let queue = OperationQueue()
        queue.isSuspended = true
        let began = Gate()
        let operation = AsyncOperation { _ in began.open() }
        let completed = Gate()
        operation.completionBlock = { completed.open() }
        queue.addOperation(operation)
        operation.cancel()
        queue.isSuspended = false
        completed.wait()
        expect(!began.isOpen && operation.isFinished)
        queue.waitUntilAllOperationsAreFinished()
      }
    }

    @Test("An operation may do its work on a thread that it detaches, and a misspelt key harms nobody")
    func detaching() async {
      await isolated {
        let queue = OperationQueue()
        let operations = (1...4).map { DetachingOperation($0 * 10) }
        let completed = Recorder<Int>()
        for (index, operation) in operations.enumerated() { operation.completionBlock = { completed.add(index) } }
        queue.addOperations(operations, waitUntilFinished: true)
        completed.wait(count: 4)
        for operation in operations {
          operation.join()
          expectEqual(operation.left.access { $0 }, 0)
        }
        let cancelled = DetachingOperation(10)
        cancelled.cancel()
        queue.addOperations([cancelled], waitUntilFinished: true)
        expectEqual(cancelled.left.access { $0 }, 10)
      }
    }

    @Test("Changes announced by key path count like those announced by name")
    func keyPaths() async {
      await isolated {
        let queue = OperationQueue()
        let operation = KeyPathOperation()
        let after = MainOperation()
        after.addDependency(operation)
        queue.addOperations([operation, after], waitUntilFinished: false)
        expectEventually("it executes") { operation.isExecuting }
        expect(!after.isReady)
        operation.finish()
        expectFinished([operation, after])
        queue.waitUntilAllOperationsAreFinished()
      }
    }

    @Test("An operation may be finished while the queue it was in is let go of")
    func queueGone() async {
      await isolated {
        let started = Recorder<AsyncOperation>()
        let after = MainOperation()
        var queue: OperationQueue? = OperationQueue()
        let operation = AsyncOperation { started.add($0) }
        after.addDependency(operation)
        queue!.addOperation(operation)
        queue!.addOperation(after)
        started.wait(count: 1)
        queue = nil
        onThread { operation.finish() }.join()
        expectFinished([operation, after])
        operation.waitUntilFinished()
      }
    }

    @Test("Operations of a queue that was let go of are finished by two threads at once")
    func queueGoneForTwo() async {
      await isolated {
        for _ in 0..<200 {
          let started = Recorder<AsyncOperation>()
          let operations = (0..<2).map { _ in AsyncOperation { started.add($0) } }
          var queue: OperationQueue? = OperationQueue()
          queue!.addOperations(operations, waitUntilFinished: false)
          started.wait(count: 2)
          queue = nil
          let threads = operations.map { operation in onThread { operation.finish() } }
          for thread in threads { thread.join() }
          expectFinished(operations)
        }
      }
    }

    @Test("An operation started by hand and finished elsewhere lets its waiters and dependents go on, without a queue")
    func withoutQueue() async {
      await isolated {
        let operation = AsyncOperation()
        let after = MainOperation()
        after.addDependency(operation)
        let completed = Gate()
        operation.completionBlock = { completed.open() }
        operation.start()
        expect(operation.isExecuting && !after.isReady)
        let waiter = onThread { operation.waitUntilFinished() }
        onThread { operation.finish() }.join()
        waiter.join()
        completed.wait()
        expectEventually("the dependent is ready") { after.isReady }
      }
    }
  }
}
