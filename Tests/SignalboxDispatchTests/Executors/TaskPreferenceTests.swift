// TaskPreferenceTests.swift: tasks that prefer something, inside actors on queues: their calls go on in place, also once the guess of what
// they prefer was wrong.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// An actor on a queue, which tells whether calls of a second one on it go on in place.
private actor Caller {
  private let queue: DispatchQueue
  private let other: Counter
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(on queue: DispatchQueue) { (self.queue, other) = (queue, Counter(on: queue)) }

  /// For each of three calls: whether an item that was submitted before has not run yet when the call is over. It cannot, while the turn goes on.
  func callsInPlace() async -> [Bool] {
    var answers: [Bool] = []
    for _ in 0..<3 {
      let items = Count()
      queue.async { items.add() }
      await other.add()
      answers.append(items.value == 0)
    }
    return answers
  }

  func count() async -> Int { await other.count }
}

@Suite("What tasks prefer, inside actors on queues", .timeLimit(.minutes(10))) struct TaskPreferenceTests {
  private let caller = Caller(on: DispatchQueue(label: "actor"))

  @Test("Calls of a task go on in place, whether it prefers nothing, the pool, or a global queue") func inPlace() async {
    let classes: [DispatchQoS.QoSClass] = [.userInteractive, .userInitiated, .default, .utility, .background]
    let preferences: [(any TaskExecutor)?] = [nil, PoolExecutor.shared] + classes.map { DispatchQueue.global(qos: $0) }
    for preference in preferences {
      for _ in 0..<10 {
        let calls = await Task(executorPreference: preference) { await caller.callsInPlace() }.value
        #expect(calls == [true, true, true], "\(String(describing: preference))")
      }
    }
    #expect(await caller.count() == 30 * preferences.count)
  }

  @Test("A task that prefers a private queue is called right, in turns of its own") func privateQueue() async {
    let preferred = DispatchQueue(label: "preferred")
    for _ in 0..<10 { _ = await Task(executorPreference: preferred) { await caller.callsInPlace() }.value }
    #expect(await caller.count() == 30)
  }

  @Test("A wrong guess costs one job, and no second", arguments: [true, false]) func wrong(prefersPool: Bool) async {
    for _ in 0..<10 {
      let calls = await Task(executorPreference: prefersPool ? PoolExecutor.shared : nil) {
        take(prefersPool ? .nothing : .pool)
        return await caller.callsInPlace()
      }.value
      #expect(calls == [false, true, true])
    }
  }

  /// Makes what the calling thread submits next be taken for a job of a task that prefers this. Of a thread of the
  /// runtime's that is true until the next time, and costs the code that runs there a job at most.
  private func take(_ guess: TaskPreference) { ThreadSlot.current.pointee.job = guess.bits }

  @Test("What runs after a job on the same thread is no job") func leftBehind() async {
    let queue = DispatchQueue(label: "after")
    for preference in [PoolExecutor.shared as any TaskExecutor, queue] {
      await Task(executorPreference: preference) { _ = await caller.callsInPlace() }.value
    }
    for queue in [queue, .global()] {
      let left = await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: ThreadSlot.current.pointee.job) }
      }
      #expect(left == 0)
    }
  }
}
