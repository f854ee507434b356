// OperationDeadlockTests.swift: cycles of dependencies, and waits for operations that only the waiter could bring about: what is
// reported, by which names, and how sure it is. When suspicions are reported is OperationSuspicionTests.swift.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Dependency cycles and waits for oneself are reported") struct OperationDeadlockTests {
  @Test("A dependency cycle is reported by names when its last operation is queued, and the program continues")
  func cycle() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      Deadlock.onDetection { StandardError.write($0.json + "\n") }
      let jobs = ["a", "b", "c"].map { Job($0) }
      for index in 0..<3 { jobs[index].addDependency(jobs[(index + 1) % 3]) }
      let queues = [OperationQueue(), OperationQueue()]
      queues[0].addOperation(jobs[1])
      queues[1].addOperation(jobs[0])
      StandardError.write("before\n")
      queues[0].addOperation(jobs[2])
      StandardError.write("after\n")
      exit(0)
    }
    let text = errorText(result)
    #expect(text.hasPrefix("before\nsignalbox: suspected deadlock: now 3 operations wait for one another\n"), "\(text)")
    #expect(text.hasSuffix("\nafter\n"))
    for (one, other) in [("a", "b"), ("b", "c"), ("c", "a")] {
      expectReport(result, saying: "\n  operation \"\(one)\" (Job 0x")
      let line = text.split(separator: "\n").first { $0.hasPrefix("  operation \"\(one)\"") }
      #expect(line?.contains("waits for operation \"\(other)\"") == true, "\(text)")
    }
    #expect(
      text.contains(
        "\"certainty\":\"suspected\",\"participants\":[],\"ring\":[{\"kind\":\"operation\",\"name\":\"operation \\\""))
    expectReport(result, saying: "fix: take one of the dependencies away")
  }

  private static func addCycle() {
    let jobs = ["a", "b", "c"].map { Job($0) }
    for index in 0..<3 { jobs[index].addDependency(jobs[(index + 1) % 3]) }
    OperationQueue().addOperations(jobs, waitUntilFinished: false)
  }

  @Test("A cycle within one array is found when the array is added")
  func cycleInArray() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      OperationDeadlockTests.addCycle()
      exit(0)
    }
    expectReport(result, saying: "suspected deadlock: now 3 operations wait for one another")
  }

  @Test("An operation that depends on itself, and a cycle closed by a dependency that comes last")
  func lateEdge() async {
    var result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let job = Job("narcissus")
      job.addDependency(job)
      OperationQueue().addOperation(job)
      exit(0)
    }
    expectReport(result, saying: "suspected deadlock: now an operation waits for itself")
    result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let (first, second, never) = (Job("first"), Job("second"), Job())
      let queue = OperationQueue()
      first.addDependency(second)
      second.addDependency(never)
      queue.addOperation(first)
      queue.addOperation(second)
      second.addDependency(first)
      exit(0)
    }
    expectReport(result, saying: "suspected deadlock: now 2 operations wait for one another")
  }

  private static func finishStarted() {
    final class Started: OwnState, @unchecked Sendable {
      let held = NSLock()
      override func start() {
        super.start()
        held.withLock {}
      }
    }
    let (operation, queue) = (Started(), OperationQueue())
    operation.held.lock()
    queue.addOperation(operation)
    precondition(eventually { operation.isExecuting })
    Thread.detachNewThread {
      sleepPlainly(milliseconds: 500)  // the time in which a deadlock would be found
      operation.finish()
    }
    wait(for: operation)
    operation.held.unlock()
    waitUntilEmpty(queue)
  }

  @Test("A thread inside of an asynchronous operation's start() does not own it, so that another one may finish it")
  func startDoesNotOwn() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      alarm(500)
      OperationDeadlockTests.finishStarted()
      exit(0)
    }
    #expect(!errorText(result).contains("deadlock"), "\(errorText(result))")
  }

  @Test("A cycle that is opened before its last operation is queued is none, nor is one with a cancelled operation")
  func noCycle() {
    let queue = OperationQueue()
    let (first, second) = (Job(), Job())
    first.addDependency(second)
    second.addDependency(first)
    queue.addOperation(first)
    second.removeDependency(first)
    queue.addOperation(second)
    waitUntilEmpty(queue)
    let (third, fourth) = (Job(), Job())
    third.addDependency(fourth)
    fourth.addDependency(third)
    third.cancel()
    queue.addOperation(third)
    queue.addOperation(fourth)
    waitUntilEmpty(queue)
    #expect([first, second, third, fourth].allSatisfy { $0.isFinished })
  }

  @Test("After a reported cycle is opened the operations run")
  func mended() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let (first, second) = (Job("first"), Job("second"))
      first.addDependency(second)
      second.addDependency(first)
      let queue = OperationQueue()
      for job in [first, second] { queue.addOperation(job) }
      first.removeDependency(second)
      waitUntilEmpty(queue)
      exit(0)
    }
    #expect(errorText(result).components(separatedBy: "deadlock:").count == 2, "\(errorText(result))")
  }

  @Test("An operation's wait for itself, and for its own queue's end, is certain, whatever others do")
  func waitForOneself() async {
    var result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = OperationQueue()
      queue.addOperation(Job("self") { wait(for: $0) })
      waitUntilEmpty(queue)
    }
    expectStop(result, saying: "and wants operation \"self\"", "whose main() this thread runs")
    result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = OperationQueue()
      queue.name = "loads"
      queue.addOperation(Job("inside") { _ in waitUntilEmpty(queue) })
      onOwnThread { waitUntilEmpty(queue) }
    }
    expectStop(result, saying: "and wants operation queue \"loads\"", "which cannot end before that")
  }

  @Test("Two operations that wait for each other's end on threads of their own are reported")
  func twoThreads() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = OperationQueue()
      let jobs = Box<[Job]>([])
      let inside = Box(0)
      for (name, other) in [("one", 1), ("two", 0)] {
        let job = Job(name) { _ in
          inside.with { $0 += 1 }
          _ = eventually { inside.now == 2 }
          wait(for: jobs.with { $0[other] })
        }
        jobs.with { $0.append(job) }
      }
      for job in jobs.now { queue.addOperation(job) }
      onOwnThread { waitUntilEmpty(queue) }
    }
    expectStop(
      result, saying: "deadlock: 2 threads wait for one another, forever", "wants operation \"one\"",
      "wants operation \"two\"", "fix: make what follows an operation that depends on the other")
  }

  @Test("A further block of a block operation that waits for the operation is reported")
  func waitInBlock() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let operation = BlockOperation()
      operation.name = "pages"
      let starter = Box<UInt64>(0)
      let (inside, isOver) = (Box(0), DispatchSemaphore(value: 0))
      for _ in 0..<2 {
        operation.addExecutionBlock { [unowned operation] in
          inside.with { $0 += 1 }
          _ = eventually { inside.now == 2 }
          if starter.now == ThreadSlot.owner() { isOver.wait() } else { wait(for: operation) }
        }
      }
      onOwnThread {
        starter.with { $0 = ThreadSlot.owner() }
        operation.start()
      }
    }
    expectStop(result, saying: "and wants operation \"pages\"", "whose main() this thread runs")
  }
}
