// Executors.swift: tasks on executors of the program's own, distributed actors, task-local values, and tasks that begin
// at once, each named after what it is: for TaskProbe's word `executors`. The other kinds are TaskProbe.swift.
import Dispatch
import Synchronization

#if canImport(Distributed)
import Distributed
#endif

@TaskLocal private var local = 0

/// A serial executor over a queue.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "executor")
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// An executor that tasks prefer, over the global queue.
final class PreferredExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// An actor on an executor of its own.
actor Own {
  private let executor = QueueExecutor()
  private var count = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func wait() async -> Int { await outer() }
  func hold(_ isHeld: Held) { isHeld.forGood() }
  func add() -> Int {
    count += 1
    return count
  }
}

#if canImport(Distributed)
/// An actor that other processes could call as well; here it is in this one.
distributed actor Vault {
  typealias ActorSystem = LocalTestingDistributedActorSystem
  private var count = 0

  distributed func wait() async -> Int { await outer() }
  distributed func add() -> Int {
    count += 1
    return count
  }
  func hold(_ isHeld: Held) { isHeld.forGood() }
}
#endif

/// Says that an actor is held, and keeps the thread that holds it until the process ends.
final class Held: Sendable {
  private let isSo = Atomic(false)

  func forGood() {
    isSo.store(true, ordering: .releasing)
    let end = DispatchSemaphore(value: 0)
    end.wait()
  }
  func wait() async { while !isSo.load(ordering: .acquiring) { await Task.yield() } }
}

/// Begins a task on a thread that is none of those on which tasks run: what it does may keep that thread.
private func onOwnThread(_ name: String, _ body: @escaping @Sendable () async -> Void) {
  DispatchQueue(label: name).async { _ = Task.immediate(name: name) { await body() } }
}

extension TaskProbe {
  /// Tasks of each of these kinds, once all have been made.
  static func executors() async {
    let preferred = PreferredExecutor(), own = Own(), occupied = Own(), held = Held()
    Task(name: "local") { await $local.withValue(2) { await outer() } }
    Task(name: "local group") {
      await $local.withValue(3) {
        await withTaskGroup(of: Int.self) { group in
          group.addTask(name: "local child") { await $local.withValue(4) { await outer() } }
          return await group.reduce(0, +)
        }
      }
    }
    Task(name: "own") { await own.wait() }
    Task(name: "own holder") { await occupied.hold(held) }
    await held.wait()
    Task(name: "queued own") { await occupied.add() }
    Task(name: "preferring", executorPreference: preferred) {
      await withTaskGroup(of: Int.self) { group in
        group.addTask(name: "preferring child") { await outer() }
        return await group.reduce(0, +)
      }
    }
    Task.detached(name: "detached preferring", executorPreference: preferred) { await outer() }
    Task.immediateDetached(name: "immediate detached") { await outer() }
    Task.immediate(name: "immediate group") {
      await withTaskGroup(of: Int.self) { group in
        group.addImmediateTask(name: "immediate child") { await outer() }
        return await group.reduce(0, +)
      }
    }
    Task(name: "main lets") { @MainActor in
      async let one = outer()
      return await one
    }
    Task(name: "throwing discarding") {
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask(name: "throwing child") { _ = await outer() }
      }
    }
    await distributed()
  }

  private static func distributed() async {
    #if canImport(Distributed)
    let system = LocalTestingDistributedActorSystem(), held = Held()
    let vault = Vault(actorSystem: system), occupied = Vault(actorSystem: system)
    Task(name: "distributed") { try await vault.wait() }
    onOwnThread("distributed holder") { await occupied.whenLocal { $0.hold(held) } }
    await held.wait()
    Task(name: "queued distributed") { try await occupied.add() }
    #endif
  }
}
