// OperationScaleTests.swift: long chains, wide fans, many waiting operations: no recursion, no thread for what waits.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Long chains and wide fans of operations") struct OperationScaleTests {
  static func threadCount() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
  }

  @Test("A chain of 100,000 runs in order and is freed, from either end of adding", arguments: [false, true])
  func longChain(isReversed: Bool) {
    let count = 100_000
    let last = Box(-1)
    let wrong = Box(0)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    var jobs: [Operation] = []
    for index in 0..<count {
      let job = BlockOperation {
        last.with { last in
          if last != index - 1 { wrong.with { $0 += 1 } }
          last = index
        }
      }
      if let before = jobs.last { job.addDependency(before) }
      jobs.append(job)
    }
    for job in isReversed ? jobs.reversed() : jobs { queue.addOperation(job) }
    waitUntilEmpty(queue)
    #expect(last.now == count - 1 && wrong.now == 0)
    weak let first = jobs.first
    jobs = [jobs.last!]
    #expect(first != nil)
    jobs = []
    #expect(eventually { first == nil })
  }

  /// Bytes of the process that are in memory.
  private static func resident() -> Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst().first
    return (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  @Test("A million blocks that wait in a queue take at most 256 bytes each, and all of them run")
  func footprint() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let (queue, count) = (OperationQueue(), 1_000_000)
      queue.isSuspended = true
      let before = OperationScaleTests.resident()
      for _ in 0..<count { queue.addOperation {} }
      let each = (OperationScaleTests.resident() - before) / count
      precondition(queue.operationCount == count)
      precondition((64...256).contains(each), "\(each) bytes for each operation")
      queue.isSuspended = false
      waitUntilEmpty(queue)
      exit(0)
    }
  }

  @Test("A chain that never ran is freed without a recursion")
  func unusedChain() {
    var last: Operation = Job()
    weak let first = last
    for _ in 0..<200_000 {
      let job = Job()
      job.addDependency(last)
      last = job
    }
    last = Job()
    #expect(first == nil)
  }

  @Test("Operations fan out to 50,000 and in again")
  func fan() {
    let count = Box(0)
    let queue = OperationQueue()
    let (source, sink) = (Job(), Job())
    let middle = (0..<50_000).map { _ in BlockOperation { count.with { $0 += 1 } } }
    for job in middle {
      job.addDependency(source)
      sink.addDependency(job)
    }
    for job in [sink] + middle + [source] { queue.addOperation(job) }
    waitUntilEmpty(queue)
    #expect(count.now == 50_000 && sink.isFinished)
  }

  @Test("1,000 operations that wait, for dependencies and for a place, take no thread")
  func noThreads() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      setenv("SIGNALBOX_PROCESSORS", "4", 1)  // the pool has a thread for each, whatever this machine has
      let before = OperationScaleTests.threadCount()
      let gate = Job()
      let blocked = (0..<1_000).map { _ in Job() }
      let queues = (0..<100).map { _ in OperationQueue() }
      for (index, job) in blocked.enumerated() {
        job.addDependency(gate)
        queues[index % 100].addOperation(job)
      }
      let busy = (0..<100).map { _ in OwnState() }
      for (index, operation) in busy.enumerated() {
        queues[index].maxConcurrentOperationCount = 1
        queues[index].addOperation(operation)
      }
      #expect(eventually { busy.allSatisfy { $0.isExecuting } })
      #expect(OperationScaleTests.threadCount() < before + 50)
      gate.start()
      for operation in busy { operation.finish() }
      for queue in queues { waitUntilEmpty(queue) }
      #expect(blocked.allSatisfy { $0.isFinished })
    }
  }

  @Test("A blocked operation does not hold up other queues")
  func blockedOperations() {
    let gate = DispatchSemaphore(value: 0)
    let inside = Box(0)
    let queues = (0..<20).map { _ in OperationQueue() }
    for queue in queues {
      queue.maxConcurrentOperationCount = 1
      queue.addOperation {
        inside.with { $0 += 1 }
        gate.wait()
      }
    }
    #expect(eventually { inside.now == 20 })
    for _ in queues { gate.signal() }
    for queue in queues { waitUntilEmpty(queue) }
  }
}
