// Actors.swift: the actors and executors of the programs, idle ones and such that are held for good.
import Dispatch
import Synchronization

/// An actor that no task holds while it waits.
actor Idle {
  func wait(_ stage: Stage) async -> Int { await stage.wait() }
  func areOccupied(_ stage: Stage) -> Bool {
    stage.busy.isOccupied.load(ordering: .acquiring) && stage.occupied.isOccupied.load(ordering: .acquiring)
  }
}

/// An actor that one task holds, and its thread with it, until the program ends.
actor Busy {
  nonisolated let isOccupied = Atomic(false)
  private var count = 0

  func occupy(_ stage: Stage) -> Int { hold(isOccupied, stage) }
  func add() -> Int {
    count += 1
    return count
  }
}

/// An actor on an executor of its own.
actor Own {
  nonisolated let isOccupied = Atomic(false)
  private let executor: QueueExecutor
  private var count = 0
  init(executor: QueueExecutor) { self.executor = executor }
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func wait(_ stage: Stage) async -> Int { await stage.wait() }
  func occupy(_ stage: Stage) -> Int { hold(isOccupied, stage) }
  func add() -> Int {
    count += 1
    return count
  }
}

/// Keeps the thread until the program ends.
private func hold(_ isHeld: borrowing Atomic<Bool>, _ stage: Stage) -> Int {
  let end = DispatchSemaphore(value: 0)
  stage.atEnd { end.signal() }
  isHeld.store(true, ordering: .releasing)
  end.wait()
  return 1
}

/// A serial executor over a queue.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "task.programs")
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// An executor that tasks prefer, over the global queue.
final class PoolExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
