// TaskExecutorTests.swift: queues and the pool as what tasks prefer: where they run, before and after their waits, and in which class.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// How many are inside, and how many were at most.
final class Crowd: Sendable {
  let inside = Count()
  private let most = Count()
  func enter() {
    let now = inside.add()
    if now > most.value { most.value = now }
  }
  func leave() { inside.add(.max) }
  var largest: UInt64 { most.value }
}

/// An actor without an executor of its own.
private actor Plain {
  func place() -> String? { DispatchQueue.currentLabel }
}

@Suite("Queues that tasks prefer", .timeLimit(.minutes(10))) struct TaskExecutorTests {
  /// Where a task is, in the order in which it waits.
  @Sendable private static func way() async -> [String?] {
    var labels = [DispatchQueue.currentLabel]
    await Task.yield()
    labels.append(DispatchQueue.currentLabel)
    try? await Task.sleep(for: .milliseconds(1))
    labels.append(DispatchQueue.currentLabel)
    labels.append(await Plain().place())
    labels.append(DispatchQueue.currentLabel)
    _ = await Counter(on: DispatchQueue(label: "actor")).place()
    labels.append(DispatchQueue.currentLabel)
    return labels
  }

  @Test("A task runs on the queue it prefers, whatever it has waited for, and so do actors without an executor")
  func places() async {
    let queues = [
      DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent),
      DispatchWorkloop(label: "workloop"), .global(), .global(qos: .utility), .main,
    ]
    for queue in queues {
      let labels = await Task(executorPreference: queue) { await Self.way() }.value
      #expect(labels == Array(repeating: queue.label, count: 6))
    }
  }

  @Test("A preference holds for a call, for children, and until another one takes its place") func scopes() async {
    let (outer, inner) = (DispatchQueue(label: "outer"), DispatchQueue(label: "inner", attributes: .concurrent))
    await withTaskExecutorPreference(outer) {
      #expect(DispatchQueue.currentLabel == "outer")
      async let child = DispatchQueue.currentLabel
      #expect(await child == "outer")
      await withTaskExecutorPreference(inner) { #expect(DispatchQueue.currentLabel == "inner") }
      #expect(DispatchQueue.currentLabel == "outer")
      await withTaskGroup(of: String?.self) { group in
        group.addTask { DispatchQueue.currentLabel }
        group.addTask(executorPreference: inner) { DispatchQueue.currentLabel }
        #expect(Set(await group.reduce(into: []) { $0.append($1) }) == ["outer", "inner"])
      }
      // Tasks that are no task's children prefer nothing.
      #expect(await Task { DispatchQueue.currentLabel }.value != "outer")
    }
    #expect(DispatchQueue.currentLabel != "outer")
  }

  @Test("Tasks on a serial queue run one at a time between their waits") func serial() async {
    let (queue, crowd) = (DispatchQueue(label: "one"), Crowd())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask(executorPreference: queue) {
          for _ in 0..<20 {
            crowd.enter()
            spinPause()
            crowd.leave()
            await Task.yield()
          }
        }
      }
    }
    #expect(crowd.largest == 1)
  }

  @Test("Tasks on a concurrent queue run side by side") func concurrent() async {
    let queue = DispatchQueue(label: "many", attributes: .concurrent)
    let inside = Count()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask(executorPreference: queue) {
          inside.add()
          awaitState("the other task") { inside.value == 2 }
        }
      }
    }
  }

  @Test("A barrier keeps tasks of its queue out") func barrier() async {
    let (queue, crowd) = (DispatchQueue(label: "barred", attributes: .concurrent), Crowd())
    let overlaps = Count()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask(executorPreference: queue) {
          crowd.enter()
          spinPause()
          crowd.leave()
        }
        queue.async(flags: .barrier) { if crowd.isOccupied { overlaps.add() } }
      }
    }
    queue.sync(flags: .barrier) {}
    #expect(overlaps.value == 0)
  }

  @Test("A suspended or inactive queue keeps the tasks that prefer it") func stopped() async {
    for isInactive in [true, false] {
      let queue = DispatchQueue(label: "stopped", attributes: isInactive ? .initiallyInactive : [])
      if !isInactive { queue.suspend() }
      let ran = Count()
      let task = Task(executorPreference: queue) { _ = ran.add() }
      waitForWhatMustNotCome()
      #expect(ran.value == 0)
      if isInactive { queue.activate() } else { queue.resume() }
      await task.value
      #expect(ran.value == 1)
    }
  }

  @Test("On a global queue a job runs in the more urgent class of the queue's and its own") func urgency() async {
    let expected: [(DispatchQoS.QoSClass, TaskPriority, String)] = [
      (.utility, .high, "com.apple.root.user-initiated-qos"), (.utility, .background, "com.apple.root.utility-qos"),
      (.utility, .medium, "com.apple.root.utility-qos"),
      (.utility, .low, "com.apple.root.utility-qos"), (.userInteractive, .medium, "com.apple.root.user-interactive-qos"),
      (.background, .background, "com.apple.root.background-qos"),
    ]
    for (queue, priority, label) in expected {
      let queue = DispatchQueue.global(qos: queue)
      let task = Task(executorPreference: queue, priority: priority) {
        let first = DispatchQueue.currentLabel
        await Task.yield()
        return [first, DispatchQueue.currentLabel]
      }
      // No task waits for it, which would make it as urgent as this task: the answer comes by another way.
      #expect(await unhurried(task) == [label, label])
    }
  }

  @Test("The pool runs a job in the class of its priority") func pool() async {
    let expected: [(TaskPriority, String)] = [
      (.background, "background"), (.low, "utility"), (.medium, "default"), (.high, "user-initiated"),
    ]
    for (priority, name) in expected {
      let task = Task(executorPreference: PoolExecutor.shared, priority: priority) {
        let first = DispatchQueue.currentLabel
        await Task.yield()
        return [first, DispatchQueue.currentLabel]
      }
      #expect(await unhurried(task) == Array(repeating: "com.apple.root.\(name)-qos", count: 2))
    }
  }

  /// What a task returns, without raising its priority by waiting for it while it runs.
  private func unhurried<Value: Sendable>(_ task: Task<Value, Never>) async -> Value {
    let ended = Count()
    Task.detached(priority: .background) {
      _ = await task.value
      ended.value = 1
    }
    #expect(await eventuallyYielding { ended.value == 1 })
    return await task.value
  }

  @Test("A task keeps the queue that it prefers") func lifetimes() async {
    weak var queue: DispatchQueue?
    let task: Task<String?, Never>
    do {
      let made = DispatchQueue(label: "kept", attributes: .initiallyInactive)
      task = Task(executorPreference: made) {
        await Task.yield()
        return DispatchQueue.currentLabel
      }
      queue = made
      made.activate()
    }
    #expect(await task.value == "kept")
    _ = consume task
    #expect(await eventuallyYielding { queue == nil })
  }

  @Test("Thousands of tasks prefer many queues, and none is lost") func stress() async {
    let queues = (0..<8).map { DispatchQueue(label: "\($0)", attributes: $0 % 2 == 0 ? .concurrent : []) } + [.global()]
    let ran = Count()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<3_000 {
        group.addTask(executorPreference: queues[number % queues.count]) {
          await Task.yield()
          await withTaskExecutorPreference(queues[(number + 1) % queues.count]) { _ = ran.add() }
        }
      }
    }
    #expect(ran.value == 3_000)
  }
}

extension Crowd {
  var isOccupied: Bool { inside.value != 0 }
}
