// OperationQueueTests.swift: queues of operations: order, limits, suspension, barriers, counts, the queue one is in.
import Testing

extension Conformance {
  @Suite("Operation queues") struct OperationQueues {
    @Test("A new operation queue has the traits that the documents name; the main queue's are special")
    func fresh() async {
      await isolated {
        let queue = OperationQueue()
        expectEqual(queue.maxConcurrentOperationCount, OperationQueue.defaultMaxConcurrentOperationCount)
        expect(!queue.isSuspended && queue.operations.isEmpty && queue.operationCount == 0 && queue.underlyingQueue == nil)
        expect(queue.name?.hasPrefix("NSOperationQueue 0x") == true)
        queue.name = "loads"
        expectEqual(queue.name, "loads")
        expectEqual(queue.qualityOfService, .default)
        queue.qualityOfService = .utility
        expectEqual(queue.qualityOfService, .utility)
        let main = OperationQueue.main
        expect(main === OperationQueue.main && main.maxConcurrentOperationCount == 1)
        expect(main.underlyingQueue?.label == "com.apple.main-thread")
        main.maxConcurrentOperationCount = 3
        expectEqual(main.maxConcurrentOperationCount, 1)
      }
    }

    @Test("Every operation that is added runs once")
    func everything() async {
      await isolated {
        for limit in [-1, 1, 2, 7] {
          let queue = OperationQueue()
          queue.maxConcurrentOperationCount = limit
          let count = Monitor(0)
          onThreads(3) { _ in for _ in 0..<500 { queue.addOperation { count.access { $0 += 1 } } } }
          queue.waitUntilAllOperationsAreFinished()
          expectEqual(count.access { $0 }, 1_500)
          expectEqual(queue.operationCount, 0)
        }
      }
    }

    @Test("With one place operations run in the order of priority, then of adding, and are counted while they run")
    func order() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let log = Recorder<String>()
        let priorities: [(String, Operation.QueuePriority)] = [
          ("n1", .normal), ("vl", .veryLow), ("l", .low), ("n2", .normal), ("h", .high), ("vh", .veryHigh), ("n3", .normal),
        ]
        for (name, priority) in priorities {
          let operation = BlockOperation { log.add("\(name) \(queue.operationCount)") }
          operation.queuePriority = priority
          queue.addOperation(operation)
        }
        expectEqual(queue.operations.map(\.queuePriority), priorities.map(\.1))
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(log.entries, ["vh 7", "h 6", "n1 5", "n2 4", "n3 3", "l 2", "vl 1"])
      }
    }

    @Test("No more operations run at a time than the limit, which may change while operations wait")
    func limit() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        let inside = Monitor(0)
        let go = Gate()
        for _ in 0..<6 {
          queue.addOperation {
            inside.access { $0 += 1 }
            go.wait()
          }
        }
        expect(inside.wait(seconds: patience, until: { $0 == 2 }))
        waitForWhatMustNotCome()
        expectEqual(inside.access { $0 }, 2)
        queue.maxConcurrentOperationCount = 4
        expect(inside.wait(seconds: patience, until: { $0 == 4 }))
        waitForWhatMustNotCome()
        expectEqual(inside.access { $0 }, 4)
        expectEqual(queue.operationCount, 6)
        go.open()
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(inside.access { $0 }, 6)
      }
    }

    @Test("A queue with a limit of 0 starts nothing")
    func noPlace() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 0
        let ran = Gate()
        queue.addOperation { ran.open() }
        waitForWhatMustNotCome()
        expect(!ran.isOpen && queue.operationCount == 1)
        queue.maxConcurrentOperationCount = 1
        ran.wait()
      }
    }

    @Test("A suspended queue starts nothing, and lets what runs go on")
    func suspension() async {
      await isolated {
        let queue = OperationQueue()
        let go = Gate()
        let log = Recorder<Int>()
        queue.addOperation {
          log.add(1)
          go.wait()
          log.add(2)
        }
        log.wait(count: 1)
        queue.isSuspended = true
        expect(queue.isSuspended)
        queue.addOperation { log.add(3) }
        go.open()
        log.wait(count: 2)
        waitForWhatMustNotCome()
        expectEqual(log.entries, [1, 2])
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(log.entries, [1, 2, 3])
      }
    }

    @Test("When all are cancelled, what has not started never runs, and all leave the queue")
    func cancelAll() async {
      await isolated {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let operations = (0..<20).map { _ in MainOperation() }
        queue.addOperations(operations, waitUntilFinished: false)
        queue.cancelAllOperations()
        expect(operations.allSatisfy { $0.isCancelled })
        expectEqual(queue.operationCount, 20)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        expect(operations.allSatisfy { $0.isFinished && $0.runs.access { $0 } == 0 })
      }
    }

    @Test("A barrier waits for what was added before, and what is added after waits for it")
    func barrier() async {
      await isolated {
        let queue = OperationQueue()
        let log = Recorder<String>()
        for round in 0..<3 {
          for _ in 0..<10 { queue.addOperation { log.add("\(round)") } }
          queue.addBarrierBlock { log.add("barrier \(round)") }
        }
        queue.addOperation { log.add("3") }
        queue.waitUntilAllOperationsAreFinished()
        log.wait(count: 34)
        var wanted: [String] = []
        for round in 0..<3 { wanted += Array(repeating: "\(round)", count: 10) + ["barrier \(round)"] }
        expectEqual(log.entries, wanted + ["3"])
      }
    }

    @Test("Barriers are not counted among the operations")
    func barrierCount() async {
      await isolated {
        let queue = OperationQueue()
        queue.isSuspended = true
        queue.addOperation {}
        queue.addBarrierBlock {}
        queue.addOperation {}
        expectEqual(queue.operationCount, 2)
        expectEqual(queue.operations.count, 2)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
      }
    }

    @Test("The current queue is that of the operation, on the main thread the main queue, elsewhere none")
    func current() async {
      await isolated {
        let queue = OperationQueue()
        let seen = Recorder<Bool>()
        queue.addOperation { seen.add(OperationQueue.current === queue) }
        queue.addOperation(MainOperation { _ in seen.add(OperationQueue.current === queue) })
        queue.addOperation(
          AsyncOperation {
            seen.add(OperationQueue.current === queue)
            $0.finish()
          })
        seen.wait(count: 3)
        if subjectIsOurs {  // the toolchain's barriers have none (Differences/operations.json)
          queue.addBarrierBlock { seen.add(OperationQueue.current === queue) }
          seen.wait(count: 4)
        }
        expect(!seen.entries.contains(false))
        expect(OperationQueue.current == nil)
        queue.waitUntilAllOperationsAreFinished()
      }
    }

    @Test("Operations run as items of the underlying queue")
    func underlyingQueue() async {
      await isolated {
        let own = DispatchQueue(label: "own")
        let queue = OperationQueue()
        queue.underlyingQueue = own
        expect(queue.underlyingQueue === own)
        let log = Recorder<Int>()
        let go = Gate()
        own.async { go.wait() }
        queue.addOperation {
          dispatchPrecondition(condition: .onQueue(own))
          log.add(1)
        }
        own.async { log.add(2) }
        go.open()
        queue.waitUntilAllOperationsAreFinished()
        own.sync {}
        expectEqual(log.entries, [1, 2])
      }
    }

    @Test("Progress counts once it was given a total")
    func progress() async {
      await isolated {
        let silent = OperationQueue()
        silent.addOperations([MainOperation(), MainOperation()], waitUntilFinished: true)
        expectEqual(silent.progress.completedUnitCount, 0)
        let queue = OperationQueue()
        // The toolchain's operations that run at once race for their progress (Differences/operations.json).
        if !subjectIsOurs { queue.maxConcurrentOperationCount = 1 }
        queue.progress.totalUnitCount = 40
        for _ in 0..<40 { queue.addOperation {} }
        queue.waitUntilAllOperationsAreFinished()
        expectEqual(queue.progress.completedUnitCount, 40)
        expect(queue.progress.isFinished)
      }
    }

    @Test("A queue that is let go of runs what it has accepted")
    func lettingGo() async {
      await isolated {
        let log = Recorder<Int>()
        let first = MainOperation()
        do {
          let queue = OperationQueue()
          let second = BlockOperation { log.add(2) }
          second.addDependency(first)
          queue.addOperation(second)
          queue.addOperation { log.add(1) }
        }
        log.wait(count: 1)
        first.start()
        log.wait(count: 2)
        expectEqual(log.entries, [1, 2])
      }
    }
  }
}
