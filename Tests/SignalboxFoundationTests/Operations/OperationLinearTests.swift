// OperationLinearTests.swift: what an operation costs does not depend on how many there are: chains and fans of up to a million.
// What they do is OperationScaleTests.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

/// The largest. Unoptimised, a million takes too long to be run each time.
private let most = _isDebugAssertConfiguration() ? 64_000 : 1_000_000

private func chain(_ count: Int, isReversed: Bool) { chain(count, isReversed: isReversed, isSuspended: false) }

/// Nothing of it runs while it is added.
private func suspendedChain(_ count: Int, isReversed: Bool) { chain(count, isReversed: isReversed, isSuspended: true) }

private func chain(_ count: Int, isReversed: Bool, isSuspended: Bool) {
  let queue = OperationQueue()
  queue.isSuspended = isSuspended
  var jobs = [Job()]
  for _ in 1..<count {
    let job = Job()
    job.addDependency(jobs.last!)
    jobs.append(job)
  }
  queue.addOperations(isReversed ? jobs.reversed() : jobs, waitUntilFinished: false)
  queue.isSuspended = false
  waitUntilEmpty(queue)
  weak let first = jobs.first
  jobs = [jobs.last!]
  precondition(first != nil && jobs[0].isFinished)
  jobs = []  // the whole chain goes at once
  precondition(eventually { first == nil })
}

private func fan(_ count: Int, isReversed: Bool) {
  let queue = OperationQueue()
  let (source, sink) = (Job(), Job())
  let middle = (0..<count).map { _ in Job() }
  for job in middle {
    job.addDependency(source)
    sink.addDependency(job)
  }
  let all = [source] + middle + [sink]
  queue.addOperations(isReversed ? all.reversed() : all, waitUntilFinished: false)
  waitUntilEmpty(queue)
  precondition(sink.isFinished && sink.dependencies.count == count)
}

private func cancelledFan(_ count: Int, isReversed: Bool) {
  let queue = OperationQueue()
  let (source, sink) = (Job(), Job())
  for _ in 0..<count {
    let job = Job()
    job.addDependency(source)
    sink.addDependency(job)
    queue.addOperation(job)
  }
  if isReversed { for job in queue.operations.reversed() { job.cancel() } } else { queue.cancelAllOperations() }
  waitUntilEmpty(queue)
  precondition(sink.isReady && !source.isFinished)
}

private func removedFan(_ count: Int, isReversed: Bool) {
  let (source, sink) = (Job(), Job())
  let middle = (0..<count).map { _ in Job() }
  for job in middle {
    job.addDependency(source)
    sink.addDependency(job)
  }
  for job in isReversed ? middle.reversed() : middle {
    job.removeDependency(source)
    sink.removeDependency(job)
  }
  precondition(sink.isReady && middle.allSatisfy { $0.isReady })
}

/// Become ready in an order that has nothing to do with that of adding.
private func outOfTurn(_ count: Int, isReversed: Bool) {
  let queue = OperationQueue()
  queue.isSuspended = true
  let sources = (0..<count).map { _ in Job() }
  let jobs = sources.map { source in
    let job = Job()
    job.addDependency(source)
    return job
  }
  queue.addOperations(jobs, waitUntilFinished: false)
  for index in 0..<count { sources[isReversed ? count - 1 - index : index * 40_503 % count].start() }
  queue.isSuspended = false
  waitUntilEmpty(queue)
  precondition(jobs.allSatisfy { $0.isFinished })
}

/// Nanoseconds of processor time for each of `count`.
private func cost(_ count: Int, _ isReversed: Bool, _ body: (Int, Bool) -> Void) -> Double {
  let start = Clock.processorTime()
  body(count, isReversed)
  return Double(Clock.processorTime() - start) / Double(count)
}

/// In a process of its own, because the time is that of the whole process. Sixteen times as many: what is quadratic costs sixteen
/// times as much each; caches that do not reach make it two or three times.
private func expectLinear(_ isReversed: Bool, _ body: (Int, Bool) -> Void) {
  _ = cost(most / 16, isReversed, body)  // the pool, the first pages
  let few = cost(most / 16, isReversed, body)
  let many = cost(most, isReversed, body)
  if many > few * 4 { fatalError("each of \(most) costs \(many) ns, each of a sixteenth of them \(few)") }
}

@Suite("The cost of an operation does not grow with their number", .serialized) struct OperationLinearTests {
  @Test("A chain of operations takes linear time, and is freed at once when it has run")
  func longChain() async {
    await #expect(processExitsWith: .success) { expectLinear(false, chain) }
    await #expect(processExitsWith: .success) { expectLinear(true, chain) }
  }

  @Test("A chain of operations that is added whole takes linear time, also where none of it can run meanwhile")
  func longSuspendedChain() async {
    await #expect(processExitsWith: .success) { expectLinear(false, suspendedChain) }
    await #expect(processExitsWith: .success) { expectLinear(true, suspendedChain) }
  }

  @Test("A fan of operations out and in again takes linear time")
  func wideFan() async {
    await #expect(processExitsWith: .success) { expectLinear(false, fan) }
    await #expect(processExitsWith: .success) { expectLinear(true, fan) }
  }

  @Test("A fan of operations that is cancelled while it waits takes linear time")
  func wideCancelledFan() async {
    await #expect(processExitsWith: .success) { expectLinear(false, cancelledFan) }
    await #expect(processExitsWith: .success) { expectLinear(true, cancelledFan) }
  }

  @Test("A fan of operations that is taken apart, dependency by dependency, takes linear time")
  func wideRemovedFan() async {
    await #expect(processExitsWith: .success) { expectLinear(false, removedFan) }
    await #expect(processExitsWith: .success) { expectLinear(true, removedFan) }
  }

  @Test("Many operations that become ready out of turn take linear time")
  func manyOutOfTurn() async {
    await #expect(processExitsWith: .success) { expectLinear(false, outOfTurn) }
    await #expect(processExitsWith: .success) { expectLinear(true, outOfTurn) }
  }
}
