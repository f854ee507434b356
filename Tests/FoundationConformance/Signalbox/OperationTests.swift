// OperationTests.swift: one operation at a time: its states, starting by hand, cancelling, completion blocks, traits.
import Testing

extension Conformance {
  @Suite("Operations") struct Operations {
    @Test("A new operation is ready, and has the traits that the documents name")
    func fresh() {
      let operation = Operation()
      #expect(operation.isReady && !operation.isExecuting && !operation.isFinished && !operation.isCancelled)
      #expect(!operation.isAsynchronous)
      #expect(operation.queuePriority == .normal && operation.qualityOfService == .default)
      #expect(operation.name == nil && operation.completionBlock == nil && operation.dependencies.isEmpty)
    }

    @Test("An operation keeps its name, priority and quality of service")
    func traits() {
      let operation = Operation()
      operation.name = "load"
      #expect(operation.name == "load")
      for priority in [Operation.QueuePriority.veryLow, .low, .normal, .high, .veryHigh] {
        operation.queuePriority = priority
        #expect(operation.queuePriority == priority)
        #expect(Operation.QueuePriority(rawValue: priority.rawValue) == priority)
      }
      for quality in [QualityOfService.userInteractive, .userInitiated, .utility, .background, .default] {
        operation.qualityOfService = quality
        #expect(operation.qualityOfService == quality)
      }
      #expect(Operation.QueuePriority(rawValue: 3) == nil)
    }

    @Test("An operation started by hand executes on the caller's thread, and is finished afterwards")
    func startedByHand() async {
      await isolated {
        let seen = Recorder<Bool>()
        let caller = currentThread()
        let operation = MainOperation { operation in
          let facts = [operation.isExecuting, !operation.isFinished, operation.isReady, currentThread() == caller]
          for fact in facts { seen.add(fact) }
        }
        operation.start()
        expectEqual(seen.entries, [true, true, true, true])
        expect(operation.isFinished && !operation.isExecuting && operation.isReady)
        expectEqual(operation.runs.access { $0 }, 1)
      }
    }

    @Test("A finished operation that is started again does nothing")
    func startedTwice() async {
      await isolated {
        let operation = MainOperation()
        operation.start()
        operation.start()
        expectEqual(operation.runs.access { $0 }, 1)
      }
    }

    @Test("An operation cancelled before its start never runs, is finished by the start, and runs its completion block")
    func cancelledBeforeStart() async {
      await isolated {
        let completed = Gate()
        let operation = MainOperation()
        operation.completionBlock = { completed.open() }
        operation.cancel()
        expect(operation.isCancelled && operation.isReady && !operation.isFinished)
        operation.start()
        expect(operation.isFinished && operation.isCancelled && !operation.isExecuting)
        completed.wait()
        expectEqual(operation.runs.access { $0 }, 0)
      }
    }

    @Test("An operation cancelled while it executes goes on, and sees that it is cancelled")
    func cancelledInside() async {
      await isolated {
        let operation = MainOperation { operation in
          operation.cancel()
          expect(operation.isCancelled && operation.isExecuting)
        }
        operation.start()
        expect(operation.isFinished && operation.isCancelled)
      }
    }

    @Test("Cancelling a finished operation changes nothing")
    func cancelledAfterwards() async {
      await isolated {
        let operation = MainOperation()
        operation.start()
        operation.cancel()
        expect(!operation.isCancelled)
      }
    }

    @Test("The completion block that was set last runs once, after the end, on another thread")
    func completionBlock() async {
      await isolated {
        let log = Recorder<String>()
        let caller = currentThread()
        let operation = MainOperation { operation in
          operation.completionBlock = {
            log.add(currentThread() == caller ? "caller" : "second")
            log.add("\(operation.isFinished)")
          }
        }
        operation.completionBlock = { log.add("first") }
        operation.start()
        log.wait(count: 2)
        waitForWhatMustNotCome()
        expectEqual(log.entries, ["second", "true"])
      }
    }

    @Test("A completion block that is set after the end does not run")
    func lateCompletionBlock() async {
      await isolated {
        let ran = Gate()
        let operation = MainOperation()
        operation.start()
        operation.completionBlock = { ran.open() }
        waitForWhatMustNotCome()
        expect(!ran.isOpen)
        operation.completionBlock = nil
      }
    }

    @Test("Any number of threads may wait for an operation's end")
    func manyWaiters() async {
      await isolated {
        let go = Gate()
        let operation = MainOperation { _ in go.wait() }
        let runner = onThread { operation.start() }
        let ended = Recorder<Int>()
        let waiters = (0..<5).map { index in
          onThread {
            operation.waitUntilFinished()
            expect(operation.isFinished)
            ended.add(index)
          }
        }
        waitForWhatMustNotCome()
        expectEqual(ended.count, 0)
        go.open()
        for thread in waiters + [runner] { thread.join() }
        expectEqual(ended.entries.sorted(), [0, 1, 2, 3, 4])
        operation.waitUntilFinished()
      }
    }

    @Test("The blocks of an operation run beside one another, are finished together, and keep their order in the list")
    func blockOperation() async {
      await isolated {
        let met = Monitor(0)
        let operation = BlockOperation()
        expect(operation.executionBlocks.isEmpty)
        for _ in 0..<3 {
          operation.addExecutionBlock {
            met.access { $0 += 1 }
            guard subjectIsOurs else { return }  // the toolchain's run in turn (Differences/operations.json)
            expect(met.wait(seconds: patience, until: { $0 == 3 }), "they run one after the other")
          }
        }
        expectEqual(operation.executionBlocks.count, 3)
        operation.start()
        expectEqual(met.access { $0 }, 3)
        expect(operation.isFinished)
        let empty = BlockOperation()
        empty.start()
        expect(empty.isFinished)
      }
    }

    @Test("What a block captured goes with the operation")
    func captures() async {
      await isolated {
        final class Token: Sendable {}
        weak let seen: Token?
        do {
          let token = Token()
          seen = token
          let operation = BlockOperation { _ = token }
          operation.start()
        }
        expect(seen == nil)
      }
    }
  }
}
