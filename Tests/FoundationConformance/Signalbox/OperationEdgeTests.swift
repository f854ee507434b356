// OperationEdgeTests.swift: subclasses at the edge of the contract: what they forget to tell, tell twice, or do in the midst of it.
import Testing

/// Goes on in `start()` after the base class has finished it.
private final class TailOperation: Operation, @unchecked Sendable {
  let tail: @Sendable (TailOperation) -> Void
  init(_ tail: @escaping @Sendable (TailOperation) -> Void) {
    self.tail = tail
    super.init()
  }
  override func start() {
    super.start()
    tail(self)
  }
}

/// Never announces its changes.
private final class SilentOperation: Operation, @unchecked Sendable {
  private let done = Cell(false)
  override var isFinished: Bool { done.access { $0 } }
  override func start() { done.access { $0 = true } }
}

/// Is ready when it wants to be.
private final class ReluctantOperation: Operation, @unchecked Sendable {
  let isDue = Cell(false)
  let runs = Cell(0)
  override var isReady: Bool { super.isReady && isDue.access { $0 } }
  override func main() { runs.access { $0 += 1 } }
}

/// Cancels itself before the base class starts it.
private final class CancellingOperation: Operation, @unchecked Sendable {
  let runs = Cell(0)
  override func start() {
    cancel()
    super.start()
  }
  override func main() { runs.access { $0 += 1 } }
}

/// Has states of its own that never change.
private final class FixedOperation: Operation, @unchecked Sendable {
  private let claims: (finished: Bool, cancelled: Bool)
  let runs = Cell(0)
  init(finished: Bool = false, cancelled: Bool = false) {
    claims = (finished, cancelled)
    super.init()
  }
  override var isFinished: Bool { claims.finished || super.isFinished }
  override var isCancelled: Bool { claims.cancelled || super.isCancelled }
  override func main() { runs.access { $0 += 1 } }
}

/// `start()` calls `main()`, and neither says when it is over.
private final class ForwardingOperation: AsyncOperation, @unchecked Sendable {
  let runs = Cell(0)
  override func start() {
    setExecuting(true)
    main()
  }
  override func main() { runs.access { $0 += 1 } }
}

extension Conformance {
  @Suite("Edges of operations") struct OperationEdges {
    @Test("After super.start() the operation is finished, and waiters, dependents and the completion block go on")
    func tail() async {
      await isolated {
        let go = Gate()
        let completed = Gate()
        let seen = Recorder<Bool>()
        let operation = TailOperation {
          seen.add($0.isFinished && !$0.isExecuting)
          go.wait()
          seen.add(true)
        }
        operation.completionBlock = { completed.open() }
        let (queue, other) = (OperationQueue(), OperationQueue())
        let dependent = MainOperation()
        dependent.addDependency(operation)
        other.addOperation(dependent)
        queue.addOperation(operation)
        operation.waitUntilFinished()
        completed.wait()
        expectFinished([dependent])
        expect(!go.isOpen)
        go.open()
        seen.wait(count: 2)
        expectEqual(seen.entries, [true, true])
        queue.waitUntilAllOperationsAreFinished()
      }
    }

    // The toolchain asks it again only if nothing else was added before (Differences/operations.json).
    @Test(
      "An operation whose own isReady changes unannounced is asked again when another is added", .enabled(if: subjectIsOurs))
    func untoldReadiness() async {
      await isolated {
        let queue = OperationQueue()
        let operation = ReluctantOperation()
        queue.addOperation(operation)
        queue.addOperation {}
        waitForWhatMustNotCome()
        expectEqual(operation.runs.access { $0 }, 0)
        operation.isDue.access { $0 = true }
        queue.addOperation {}
        expectFinished([operation])
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(operation.runs.access { $0 }, 1)
      }
    }

    @Test("An operation that announces its own isReady runs at once")
    func toldReadiness() async {
      await isolated {
        let queue = OperationQueue()
        let operations = (0..<40).map { _ in ReluctantOperation() }
        queue.addOperations(operations, waitUntilFinished: false)
        for operation in operations {
          operation.willChangeValue(forKey: "isReady")
          operation.isDue.access { $0 = true }
          operation.didChangeValue(forKey: "isReady")
          expectFinished([operation])
        }
        queue.waitUntilAllOperationsAreFinished()
      }
    }

    @Test("An operation found finished after start() gives its place back although it announced nothing")
    func untoldEnd() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let after = MainOperation()
        queue.addOperations([SilentOperation(), SilentOperation(), after], waitUntilFinished: false)
        expectFinished([after])
        queue.waitUntilAllOperationsAreFinished()
      }
    }

    @Test("What follows an operation comes once, although it says three times that it is finished")
    func finishedTwice() async {
      await isolated {
        let queue = OperationQueue()
        let completed = Counter()
        let started = Recorder<AsyncOperation>()
        let operation = AsyncOperation { started.add($0) }
        operation.completionBlock = { completed.add() }
        let after = MainOperation()
        after.addDependency(operation)
        queue.addOperations([operation, after], waitUntilFinished: false)
        started.wait(count: 1)
        operation.finish()
        operation.finish()
        expectFinished([after])
        operation.finish()
        expectEventually("completed") { completed.value > 0 }
        waitForWhatMustNotCome()
        expectEqual(completed.value, 1)
        expectEqual(after.runs.access { $0 }, 1)
        expectEqual(queue.operationCount, 0)
      }
    }

    @Test("An operation cancelled between the two announcements of its end is finished and cancelled, once")
    func cancelledInTelling() async {
      await isolated {
        let queue = OperationQueue()
        let completed = Counter()
        let started = Recorder<AsyncOperation>()
        let operation = AsyncOperation { started.add($0) }
        operation.completionBlock = { completed.add() }
        queue.addOperation(operation)
        started.wait(count: 1)
        operation.willChangeValue(forKey: "isFinished")
        operation.cancel()
        operation.finish()
        operation.didChangeValue(forKey: "isFinished")
        queue.waitUntilAllOperationsAreFinished()
        expect(operation.isCancelled && operation.isFinished)
        expectEventually("completed") { completed.value == 1 }
        waitForWhatMustNotCome()
        expectEqual(completed.value, 1)
      }
    }

    @Test("A completion block that is set by the completion block does not run")
    func completionSetsCompletion() async {
      await isolated {
        let log = Recorder<Int>()
        let operation = MainOperation()
        operation.completionBlock = { [unowned operation] in
          log.add(1)
          operation.completionBlock = { log.add(2) }
        }
        operation.start()
        log.wait(count: 1)
        waitForWhatMustNotCome()
        expectEqual(log.entries, [1])
        operation.completionBlock = nil
      }
    }

    @Test("Cancelling oneself and the whole queue from inside changes nothing for what runs")
    func cancelsAllInside() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let never = MainOperation()
        let operation = MainOperation {
          $0.cancel()
          queue.cancelAllOperations()
        }
        queue.isSuspended = true
        queue.addOperations([operation, never], waitUntilFinished: false)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        expect(operation.isFinished && operation.isCancelled && operation.runs.access { $0 } == 1)
        expect(never.isFinished && never.isCancelled && never.runs.access { $0 } == 0)
      }
    }

    @Test("Neither main() nor a block runs when an operation is cancelled in start() before super.start()")
    func cancelledAtStart() async {
      await isolated {
        let queue = OperationQueue()
        let operation = CancellingOperation()
        let ran = Gate()
        let blocks = BlockOperation { ran.open() }
        blocks.addExecutionBlock { ran.open() }
        blocks.cancel()
        queue.addOperations([operation, blocks], waitUntilFinished: true)
        expect(operation.isFinished && operation.isCancelled && operation.runs.access { $0 } == 0)
        expect(blocks.isFinished && !ran.isOpen)
      }
    }

    @Test("An operation whose overridden states say finished or cancelled from the beginning runs and leaves all the same")
    func fixedStates() async {
      await isolated {
        for operation in [FixedOperation(finished: true), FixedOperation(cancelled: true)] {
          let queue = OperationQueue()
          queue.addOperation(operation)
          queue.waitUntilAllOperationsAreFinished()
          expectEqual(queue.operationCount, 0)
          expectEqual(operation.runs.access { $0 }, 1)
        }
      }
    }

    @Test("With a start() that only calls main() the operation executes until somebody says that it is finished")
    func forwarding() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let operation = ForwardingOperation()
        let after = MainOperation()
        queue.addOperations([operation, after], waitUntilFinished: false)
        expectEventually("it runs") { operation.runs.access { $0 } == 1 }
        waitForWhatMustNotCome()
        expect(operation.isExecuting && !operation.isFinished && !after.isFinished)
        expectEqual(queue.operationCount, 2)
        operation.finish()
        expectFinished([after])
        queue.waitUntilAllOperationsAreFinished()
      }
    }

    @Test("A dependency that is added while the operation executes does not hold it up")
    func lateDependency() async {
      await isolated {
        let never = MainOperation()
        let operation = MainOperation { $0.addDependency(never) }
        operation.start()
        expect(operation.isFinished)
        expect(operation.dependencies == [never])
      }
    }

    @Test("An operation that was announced as finished before its turn is not started any more")
    func finishedEarly() async {
      await isolated {
        let queue = OperationQueue()
        queue.isSuspended = true
        let operation = AsyncOperation()
        queue.addOperation(operation)
        operation.finish()
        queue.isSuspended = false
        expectEventually("it has left") { queue.operationCount == 0 }
        queue.addOperation {}
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(operation.starts.access { $0 }, 0)
      }
    }
  }
}
