// OperationExecutorTests.swift: operation queues that tasks prefer.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Operation queues that tasks prefer", .timeLimit(.minutes(10))) struct OperationExecutorTests {
  @Test("A task runs as operations of the queue, whatever it has waited for") func place() async {
    let queue = OperationQueue()
    let isThere = await Task(executorPreference: queue) {
      var isThere = [OperationQueue.current === queue]
      await Task.yield()
      isThere.append(OperationQueue.current === queue)
      // The runtime's own clock brings the task back, which is what is tested.
      try? await Task.sleep(for: .milliseconds(1))
      isThere.append(OperationQueue.current === queue)
      return isThere
    }.value
    #expect(isThere == [true, true, true])
    let isMain = await Task(executorPreference: OperationQueue.main) { OperationQueue.current === OperationQueue.main }.value
    #expect(isMain)
  }

  @Test("No more run at the same time than the queue allows") func limit() async {
    let (queue, inside, most) = (OperationQueue(), Box(0), Box(0))
    queue.maxConcurrentOperationCount = 1
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask(executorPreference: queue) {
          let now = inside.with { count -> Int in
            count += 1
            return count
          }
          most.with { $0 = max($0, now) }
          inside.with { $0 -= 1 }
          await Task.yield()
        }
      }
    }
    #expect(most.now == 1)
  }

  @Test("A suspended queue keeps its tasks, and then takes the most urgent first") func priorities() async {
    let (queue, log) = (OperationQueue(), Box<[Int]>([]))
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let priorities: [TaskPriority] = [.background, .low, .medium, .high]
    let tasks = priorities.enumerated().map { number, priority in
      Task(executorPreference: queue, priority: priority) { log.with { $0.append(number) } }
    }
    #expect(queue.operationCount == 4)
    #expect(log.now == [])
    queue.isSuspended = false
    for task in tasks.reversed() { await task.value }
    #expect(log.now == [3, 2, 1, 0])
  }

  @Test("Cancelling all operations does not lose a task's") func cancelling() async {
    let queue = OperationQueue()
    queue.isSuspended = true
    let task = Task(executorPreference: queue) { 7 }
    queue.cancelAllOperations()
    queue.isSuspended = false
    #expect(await task.value == 7)
  }
}
