// OperationScenarios.swift: operations and their queues as the articles use them. Subclasses with a state of their own are
// CustomOperationScenarios.swift.
import SignalboxFoundation

/// Waits, on behalf of scenarios.
private func end(_ queue: OperationQueue) { queue.waitUntilAllOperationsAreFinished() }

enum OperationScenarios {
  static let all = single + queues + misuse

  private static let single: [Scenario] = [
    Scenario(
      "operation-invocation-start", "An invocation operation, started by hand", .survey, "D1, D4",
      article: "made of a target and an action, it runs on the current thread when it is started",
      documents: "start() runs a synchronous operation on the calling thread"
    ) { lab in
      let target = Target(lab)
      let operation = InvocationOperation(target: target, action: Target.log)
      operation.start()
      lab.expectThreads("main") { $0 == "log" }
      lab.expect(operation.isFinished, "finished when start() has returned")
      return lab.order()
    },
    Scenario(
      "operation-several-blocks", "A block operation with more than one block", .notes, "D4",
      article: "several blocks run on different threads, and start() does not wait for them: it is asynchronous",
      documents: "the operation is finished only when all blocks have been executed; it may run them at the same time",
      errs: "start() returns when the last block has: the calling thread runs blocks itself"
    ) { lab in
      let meeting = Meeting(of: 2)
      let operation = BlockOperation()
      for number in 1...2 {
        operation.addExecutionBlock {
          meeting.arrive()
          lab.note("block \(number)")
        }
      }
      operation.start()
      lab.note("started")
      lab.expect(operation.isFinished && lab.texts.last == "started", "both blocks before start() returns", lab.order())
      lab.expect(lab.threads { $0.hasPrefix("block") }.count == 2, "two threads")
      return "two blocks at once, on " + lab.threads { $0.hasPrefix("block") }.joined(separator: " and ")
    },
    Scenario(
      "operation-states", "Pending, ready, executing, finished; cancelled before", .survey, "D1",
      article: "pending comes before ready, then executing, then finished; all but finished can be cancelled",
      documents: "ready once all it depends on is finished; cancelling a finished operation has no effect"
    ) { lab in
      let first = BlockOperation {}
      let second = BlockOperation { lab.note("executing \(OperationQueue.current == nil ? "without" : "in") a queue") }
      second.addDependency(first)
      lab.note(second.isReady ? "ready" : "pending")
      first.start()
      lab.note(second.isReady ? "ready" : "pending")
      let queue = OperationQueue()
      queue.addOperations([second], waitUntilFinished: true)
      second.cancel()
      lab.note("finished \(second.isFinished), cancelled \(second.isCancelled)")
      lab.expectOrder("pending", "ready", "executing in a queue", "finished true, cancelled false")
      return lab.order()
    },
    Scenario(
      "operation-observation", "The changes of the states, observed", .notes, "D3",
      article: "the states can be observed, which is how one hears that an operation is through",
      documents: "isReady, isExecuting, isFinished and isCancelled can be observed"
    ) { lab in
      let operation = BlockOperation {}
      func word(_ value: Bool?) -> String { value.map { "\($0)" } ?? "nothing" }
      let tokens = [
        operation.observe(\.isExecuting, options: [.old, .new]) { _, change in
          lab.note("executing \(word(change.oldValue)) to \(word(change.newValue))")
        },
        operation.observe(\.isFinished, options: [.new]) { _, change in lab.note("finished \(word(change.newValue))") },
      ]
      operation.start()
      lab.expectOrder("executing false to true", "executing true to false", "finished true")
      return withExtendedLifetime(tokens) { lab.order() }
    },
  ]

  private static let queues: [Scenario] = [
    Scenario(
      "operation-queue-basics", "Three at a time, suspended, cancelled", .survey, "D6",
      article: "operations run by themselves in a queue; it can be suspended, which lets running ones go on, and cancelled",
      documents: "suspending does not stop operations that run; cancelled ones are started, so that they can finish"
    ) { lab in
      let queue = OperationQueue(), open = Gate(), inside = Meeting(of: 4)
      queue.maxConcurrentOperationCount = 3
      for number in 1...5 {
        queue.addOperation {
          lab.note("running \(number)")
          if number <= 3 { inside.arrive() }
          open.pass()
        }
      }
      inside.arrive()
      queue.isSuspended = true
      queue.cancelAllOperations()
      open.open()
      queue.isSuspended = false
      end(queue)
      lab.expectAll(["running 1", "running 2", "running 3"], beginning: "running")
      return "three ran, two were cancelled before their turn"
    },
    Scenario(
      "operation-ready-first", "Who is ready first runs first", .survey, "D6",
      article: "a queue of operations is not first in, first out: who becomes ready first runs first, then by priority",
      documents: "by readiness, then by priority; those that are equal in the order of adding"
    ) { lab in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      let operations = (1...4).map { number in BlockOperation { lab.note("\(number)") } }
      for index in 0..<3 { operations[index].addDependency(operations[3]) }
      operations[1].queuePriority = .high
      queue.addOperations(operations, waitUntilFinished: false)
      queue.isSuspended = false
      end(queue)
      lab.expectOrder("4", "2", "1", "3")
      return lab.order()
    },
    Scenario(
      "operation-one-at-a-time", "A limit of one", .notes, "D6",
      article: "with one at a time the queue still is no serial queue: priorities change the order; use dependencies",
      documents: "one at a time, by readiness and priority; dependencies order operations whatever their priority"
    ) { lab in
      let queue = OperationQueue(), crowd = Crowd()
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      for number in 1...3 {
        let operation = BlockOperation { crowd.with(linger: 1) { lab.note("\(number)") } }
        if number == 3 { operation.queuePriority = .veryHigh }
        queue.addOperation(operation)
      }
      queue.isSuspended = false
      end(queue)
      lab.expectOrder("3", "1", "2")
      lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak)")
      return lab.order()
    },
    Scenario(
      "operation-dependencies-of-one", "B depends on A, A1 and A2", .operations, "D5",
      article: "each end counts one down in B; the last one makes it ready",
      documents: "ready when all it depends on is finished"
    ) { lab in
      let queue = OperationQueue()
      let last = BlockOperation { lab.note("B") }
      let others = ["A", "A1", "A2"].map { name in BlockOperation { lab.note(name) } }
      for operation in others { last.addDependency(operation) }
      queue.addOperations([last] + others, waitUntilFinished: true)
      lab.expect(lab.texts.last == "B" && lab.texts.count == 4, "B last", lab.order())
      return lab.order()
    },
    Scenario(
      "operation-barrier", "A barrier among operations", .operations, "D6",
      article: "it waits for the ten operations before it, and those added after it wait for it",
      documents: "runs when all operations enqueued before have finished, and keeps later ones from starting"
    ) { lab in
      let queue = OperationQueue()
      for number in 1...10 { queue.addOperation { lab.note("before \(number)") } }
      queue.addBarrierBlock { lab.note("barrier") }
      for number in 1...10 { queue.addOperation { lab.note("after \(number)") } }
      end(queue)
      let place = lab.texts.firstIndex(of: "barrier")
      lab.expect(place == 10 && lab.texts.prefix(10).allSatisfy { $0.hasPrefix("before") }, "ten before it", "\(lab.order())")
      return "ten before the barrier, ten after"
    },
    Scenario(
      "operation-priorities", "Five priorities", .operations, "D6",
      article: "a queue has a list for each priority and begins with the highest",
      documents: "among ready operations the higher priority first"
    ) { lab in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      let priorities: [(String, Operation.QueuePriority)] = [
        ("low", .low), ("very high", .veryHigh), ("normal", .normal), ("very low", .veryLow), ("high", .high),
      ]
      for (name, priority) in priorities {
        let operation = BlockOperation { lab.note(name) }
        operation.queuePriority = priority
        queue.addOperation(operation)
      }
      queue.isSuspended = false
      end(queue)
      lab.expectOrder("very high", "high", "normal", "low", "very low")
      return lab.order()
    },
    Scenario(
      "operation-back-to-main", "From an operation to the main queue", .survey, "D6",
      article: "addOperation with a block, and inside of it the main queue for what must run on the main thread",
      documents: "the main queue runs its operations on the main thread"
    ) { lab in
      OperationQueue().addOperation {
        lab.note("background")
        OperationQueue.main.addOperation {
          lab.note("main")
          lab.expectThreads("main") { $0 == "main" }
          lab.expectThreads("worker") { $0 == "background" }
          lab.finish(lab.order())
        }
      }
      waitForEver()
    },
  ]

  private static let misuse: [Scenario] = [
    Scenario(
      "operation-cycle", "Three operations that depend on one another in a cycle", .survey, "D5, G1",
      article: "dependencies give operations an order",
      documents: "operations that depend on one another in a cycle deadlock: none ever runs; do not make such cycles",
      expect: .stops([
        "operation \"load\" (", ") waits for operation \"parse\" (", ") waits for operation \"show\" (", "forever", "fix:",
      ]), environment: ["SIGNALBOX_WATCH": "0.3"]
    ) { lab in
      let operations = ["load", "parse", "show"].map { name in
        let operation = BlockOperation { lab.note("never: \(name)") }
        operation.name = name
        return operation
      }
      for index in 0..<3 { operations[index].addDependency(operations[(index + 1) % 3]) }
      let queue = OperationQueue()
      for operation in operations {
        lab.note("adding \(operation.name ?? "one")")
        queue.addOperation(operation)
      }
      lab.note("about to wait")
      end(queue)  // no thread is left that could cancel one of them
      return "nothing was reported, and nothing ever runs"
    },
    Scenario(
      "operation-waits-for-its-queue", "An operation that waits for the end of its own queue", .operations, "D6, G1",
      article: "waiting puts the current thread to sleep until all operations are finished",
      documents: "never to be called from within an operation of the queue: it would wait for itself",
      expect: .stops(["operation queue \"pictures\"", "which cannot end before that"])
    ) { lab in
      let queue = OperationQueue()
      queue.name = "pictures"
      queue.addOperation {
        lab.note("about to wait")
        end(queue)
      }
      waitForEver()
    },
  ]

  private final class Target: Sendable {
    let lab: Recorder
    init(_ lab: Recorder) { self.lab = lab }
    func log() { lab.note("log") }
  }
}
