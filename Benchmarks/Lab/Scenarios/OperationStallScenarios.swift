// OperationStallScenarios.swift: waits for operations that nothing is left to end: what the stall detector reports for each. Cycles of
// dependencies and waits for oneself are OperationScenarios.swift.
import SignalboxFoundation

/// Waits, on behalf of scenarios.
private func end(_ queue: OperationQueue) { queue.waitUntilAllOperationsAreFinished() }
private func end(_ operation: Operation) { operation.waitUntilFinished() }

enum OperationStallScenarios {
  private static let stallDetecting = ["SIGNALBOX_WATCH": "0.3"]
  private static let unended = "it came back, which no document allows for"

  static let all: [Scenario] = [
    Scenario(
      "operation-stall-untold", "An asynchronous operation that never says that it is finished", .notes, "D2, G1",
      article: "whoever overrides start() has to keep isExecuting and isFinished right and announce their changes",
      documents: "an operation that is never told to be finished keeps its place, its dependents and whoever waits",
      expect: .stops(["needs operation \"load\"", "nothing is left to say that it is finished"]), environment: stallDetecting
    ) { lab in
      let queue = OperationQueue(), load = Unending(), show = BlockOperation { lab.note("never: show") }
      load.name = "load"
      show.addDependency(load)
      queue.addOperations([load, show], waitUntilFinished: false)
      lab.note("about to wait for what depends on it")
      end(show)
      return unended
    },
    Scenario(
      "operation-stall-suspended", "A wait for a queue that is suspended", .survey, "D6, G1",
      article: "a queue can be paused: what has not run yet does not start",
      documents: "operations that have not started stay in a suspended queue until it is resumed",
      expect: .stops(["operation queue \"pictures\"", "which is suspended, and nothing is left to resume it"]),
      environment: stallDetecting
    ) { lab in
      let queue = OperationQueue()
      queue.name = "pictures"
      queue.isSuspended = true
      queue.addOperation { lab.note("never") }
      lab.note("about to wait for the queue")
      end(queue)
      return unended
    },
    Scenario(
      "operation-stall-unqueued", "A dependency that nobody has added to a queue", .operations, "D5, G1",
      article: "an operation is ready when the count of its unfinished dependencies is down to 0",
      documents: "ready when all it depends on is finished, and what is in no queue is started by nobody but the program",
      expect: .stops(["operation \"parse\"", "which is in no queue, and nothing is left to start it"]),
      environment: stallDetecting
    ) { lab in
      let queue = OperationQueue(), parse = BlockOperation { lab.note("never: parse") }
      let show = BlockOperation { lab.note("never: show") }
      parse.name = "parse"
      show.addDependency(parse)
      queue.addOperation(show)
      lab.note("about to wait")
      end(show)
      return unended
    },
    Scenario(
      "operation-stall-places", "Three places, taken by three operations that wait for a fourth", .survey, "D6, G1",
      article: "at most three at a time where the maximum is three",
      documents: "the queue starts no more than its maximum until one of those is finished",
      expect: .stops(["waits for a place in operation queue \"narrow\"", "all 3 of which are taken", "fix:"]),
      environment: stallDetecting
    ) { lab in
      let queue = OperationQueue(), meeting = Meeting(of: 3), fourth = BlockOperation { lab.note("never: the fourth") }
      queue.name = "narrow"
      queue.maxConcurrentOperationCount = 3
      fourth.name = "the fourth"
      for number in 1...3 {
        queue.addOperation {
          meeting.arrive()
          lab.note("\(number) waits for the fourth")
          end(fourth)
        }
      }
      queue.addOperation(fourth)
      waitForEver()
    },
    Scenario(
      "operation-stall-main-queue", "A wait on the main thread for what an operation of the main queue would signal", .survey,
      "D6, G1", article: "what is to change the screen is added to the main queue",
      documents: "the main queue's operations run on the main thread, and this one is blocked",
      expect: .stops(["items lie in the main queue, and the main thread waits, forever"]), environment: stallDetecting
    ) { lab in
      let shown = Gate()
      OperationQueue.main.addOperation {
        lab.note("never: shown")
        shown.open()
      }
      lab.note("about to wait")
      shown.pass()
      return unended
    },
    Scenario(
      "operation-stall-across-queues", "Two queues with one place each, each operation waits for one of the other queue",
      .survey,
      "D5, D6, G1", article: "operations of different queues may depend on one another",
      documents: "a queue with one place starts the next operation when the one before is finished",
      expect: .stops([
        "waits for operation \"left 2\"", "waits for a place in operation queue \"left\"", "waits for operation \"right 2\"",
        "forever", "fix:",
      ]), environment: stallDetecting
    ) { lab in
      let meeting = Meeting(of: 3), names = ["left", "right"]
      let seconds = names.map { name in
        let operation = BlockOperation { lab.note("never: \(name) 2") }
        operation.name = "\(name) 2"
        return operation
      }
      for (index, name) in names.enumerated() {
        let queue = OperationQueue()
        queue.name = name
        queue.maxConcurrentOperationCount = 1
        queue.addOperation {
          meeting.arrive()
          lab.note("\(name) 1 waits for \(names[1 - index]) 2")
          end(seconds[1 - index])
        }
        queue.addOperation(seconds[index])
      }
      meeting.arrive()
      waitForEver()
    },
  ]

  /// Says that it executes, and nothing after that.
  private final class Unending: Operation, @unchecked Sendable {
    // SAFETY of @unchecked: a box with a lock of its own.
    private let executing = Box(false)
    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { executing.value }
    override var isFinished: Bool { false }
    override func start() {
      willChangeValue(forKey: "isExecuting")
      executing.value = true
      didChangeValue(forKey: "isExecuting")
    }
  }
}
