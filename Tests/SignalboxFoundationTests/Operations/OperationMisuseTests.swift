// OperationMisuseTests.swift: what stops the program, and with which words.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Misuse of operations stops the program") struct OperationMisuseTests {
  @Test("Starting an operation while it executes stops the program")
  func startedInside() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      Job("load") { $0.start() }.start()
    }
    expectStop(
      result, saying: "operation \"load\" (Job 0x",
      "is started while it executes: start an operation once, or let a queue do it")
  }

  @Test("Starting an operation before it is ready stops the program")
  func notReady() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let job = Job("late")
      job.addDependency(Job())
      job.start()
    }
    expectStop(result, saying: "is started before it is ready: wait for its dependencies")
  }

  @Test("Adding an operation to a queue twice, or when it is finished, stops the program")
  func addedTwice() async {
    var result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let (first, second, job) = (OperationQueue(), OperationQueue(), Job("twice"))
      first.isSuspended = true
      first.addOperation(job)
      second.name = "other"
      second.addOperation(job)
    }
    expectStop(result, saying: "is added to operation queue \"other\", but is in a queue or was in one")
    result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let job = Job("old")
      job.start()
      OperationQueue().addOperation(job)
    }
    expectStop(result, saying: "but is finished: make a new operation for each run")
  }

  @Test("Adding a block to a block operation that executes stops the program")
  func lateBlock() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let operation = BlockOperation()
      operation.addExecutionBlock { [unowned operation] in operation.addExecutionBlock {} }
      operation.start()
    }
    expectStop(result, saying: "which executes: add all blocks before it starts")
  }

  @Test("Setting an underlying queue too late or to the main queue, or a negative limit, stops the program")
  func queueTraits() async {
    var result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = OperationQueue()
      queue.isSuspended = true
      queue.addOperation {}
      let own = DispatchQueue(label: "own")
      queue.underlyingQueue = own
    }
    expectStop(result, saying: "is set while it has operations: set it before adding any")
    result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = OperationQueue()
      let main = DispatchQueue.main
      queue.underlyingQueue = main
    }
    expectStop(result, saying: "is set to the main queue: use OperationQueue.main")
    result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      OperationQueue().maxConcurrentOperationCount = -2
    }
    expectStop(result, saying: "is set to -2: give 0 or more, or the default, -1")
  }
}
