// OperationQueue+TaskExecutor.swift: an operation queue as what tasks prefer to run on. Dispatch queues as such are
// SignalboxDispatch's QueueExecutors.swift.
import Foundation
import SignalboxSystem

/// An operation queue may be preferred by tasks: `Task(executorPreference: queue) { … }`.
///
/// Each stretch that such a task runs between two waits, outside of actors with executors of their own, is an operation of the queue:
/// it counts against `maxConcurrentOperationCount`, waits while the queue is suspended, and stands behind barriers. A task's priority
/// becomes the operation's `queuePriority` and `qualityOfService`. The task keeps the queue alive.
///
/// `cancelAllOperations()` does not touch these operations, since a task that is cancelled still has to end: cancel the task.
extension OperationQueue: TaskExecutor {
  /// Adds an operation that runs a job of Swift's tasks; the runtime calls this.
  ///
  /// Thread safety: any thread. Complexity: as `addOperation(_:)`.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// queue.maxConcurrentOperationCount = 2
  /// await Task(executorPreference: queue) { print("runs as an operation of the queue") }.value
  /// ```
  public final func enqueue(_ job: consuming ExecutorJob) { addOperation(JobOperation(job, of: self)) }
}

/// Runs one job.
// SAFETY of @unchecked: both are constant, and the job is run once, by the thread that runs the operation.
private final class JobOperation: Operation, @unchecked Sendable {
  private let job: UnownedJob
  private let queue: OperationQueue

  init(_ job: consuming ExecutorJob, of queue: OperationQueue) {
    let priority = job.priority
    self.job = UnownedJob(job)
    self.queue = queue
    super.init()
    if priority.rawValue == TaskPriority.medium.rawValue { return }
    queuePriority = Self.queuePriority(priority)
    qualityOfService = Self.service(priority)
  }

  override func main() { job.runSynchronously(on: queue.asUnownedTaskExecutor()) }

  /// A job that is not run is a task that never ends.
  override func cancel() {}

  private static func queuePriority(_ priority: JobPriority) -> QueuePriority {
    switch priority.rawValue {
    case (TaskPriority.high.rawValue + 1)...: .veryHigh
    case (TaskPriority.medium.rawValue + 1)...: .high
    case TaskPriority.medium.rawValue, 0: .normal
    case (TaskPriority.background.rawValue + 1)...: .low
    default: .veryLow
    }
  }

  private static func service(_ priority: JobPriority) -> QualityOfService {
    switch queuePriority(priority) {
    case .veryHigh: .userInteractive
    case .high: .userInitiated
    case .low: .utility
    case .veryLow: .background
    default: .default
    }
  }
}
