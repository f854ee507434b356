// OperationMomentTests.swift: things that happen at an odd moment: late dependencies, early ends, changed priorities, exact counts.
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Operations that change at unusual moments") struct OperationMomentTests {
  @Test("A dependency added while the operation is ready in a suspended queue is waited for")
  func lateDependency() {
    let queue = OperationQueue()
    queue.isSuspended = true
    let (first, second) = (Job(), Job())
    queue.addOperation(second)
    second.addDependency(first)
    queue.isSuspended = false
    queue.addOperation {}
    #expect(eventually { queue.operationCount == 1 })
    #expect(!second.isFinished && !second.isReady)
    first.start()
    waitUntilEmpty(queue)
    #expect(second.isFinished)
  }

  @Test("The completion block is gone once it has run, and what it held with it")
  func completionBlockGoes() {
    final class Token: Sendable {}
    weak let seen: Token?
    let job = Job()
    do {
      let token = Token()
      seen = token
      job.completionBlock = { _ = token }
    }
    #expect(seen != nil)
    job.start()
    #expect(job.completionBlock == nil)
    #expect(eventually { seen == nil })
  }

  @Test("Whoever has waited for an operation finds it gone from its queue, and its dependents ready")
  func exactAfterWaiting() {
    let queue = OperationQueue()
    for _ in 0..<300 {
      let (job, after) = (Job(), Job())
      after.addDependency(job)
      queue.addOperation(job)
      wait(for: job)
      #expect(queue.operationCount == 0 && after.isReady)
    }
  }

  @Test("A priority changed while the operation waits counts")
  func changedPriority() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let log = Box<[Int]>([])
    let jobs = (0..<4).map { index in Job { _ in log.with { $0.append(index) } } }
    for job in jobs { queue.addOperation(job) }
    jobs[2].queuePriority = .veryHigh
    jobs[0].queuePriority = .low
    queue.isSuspended = false
    waitUntilEmpty(queue)
    #expect(log.now == [2, 1, 3, 0])
  }

  @Test("An operation that becomes finished before its turn leaves the queue, and is never started")
  func finishedEarly() {
    let queue = OperationQueue()
    queue.isSuspended = true
    let (operation, after) = (OwnState(), Job())
    after.addDependency(operation)
    queue.addOperation(operation)
    #expect(queue.operationCount == 1)
    operation.finish()
    #expect(queue.operationCount == 0 && after.isReady)
    queue.isSuspended = false
    wait(for: operation)
    queue.addOperation {}
    waitUntilEmpty(queue)
    #expect(!operation.isExecuting)
  }

  @Test("An operation whose subclass announces no end is found finished when start() has returned")
  func untold() {
    final class Silent: Operation, @unchecked Sendable {
      private let done = Box(false)
      override var isFinished: Bool { done.now }
      override func start() { done.with { $0 = true } }
    }
    let queue = OperationQueue()
    queue.addOperation(Silent())
    waitUntilEmpty(queue)
  }

  @Test("A subclass's own readiness is asked for, and counts when it is announced")
  func ownReadiness() {
    final class Late: Operation, @unchecked Sendable {
      private let isDue = Box(false)
      let ran = Box(0)
      override var isReady: Bool { super.isReady && isDue.now }
      override func main() { ran.with { $0 += 1 } }
      func becomeDue() {
        willChangeValue(forKey: "isReady")
        isDue.with { $0 = true }
        didChangeValue(forKey: "isReady")
      }
    }
    let queue = OperationQueue()
    let (late, first) = (Late(), Job())
    late.addDependency(first)
    queue.addOperation(late)
    first.start()
    queue.addOperation {}
    #expect(eventually { queue.operationCount == 1 })
    #expect(late.ran.now == 0)
    late.becomeDue()
    waitUntilEmpty(queue)
    #expect(late.ran.now == 1)
  }

  @Test("An operation started by hand in a suspended queue leaves the queue when it is finished")
  func startedByHand() {
    let queue = OperationQueue()
    queue.isSuspended = true
    let count = Box(0)
    let job = Job { _ in count.with { $0 += 1 } }
    queue.addOperation(job)
    job.start()
    #expect(queue.operationCount == 0)
    queue.isSuspended = false
    queue.addOperation {}
    waitUntilEmpty(queue)
    #expect(count.now == 1)
  }

  @Test("Barriers that are cancelled do not run, and hold nothing up")
  func cancelledBarrier() {
    let queue = OperationQueue()
    queue.isSuspended = true
    let log = Box<[Int]>([])
    queue.addBarrierBlock { log.with { $0.append(0) } }
    queue.cancelAllOperations()
    queue.addOperation { log.with { $0.append(1) } }
    queue.isSuspended = false
    waitUntilEmpty(queue)
    #expect(log.now == [1])
  }
}
