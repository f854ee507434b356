// PoolExecutor.swift: Signalbox's pool as what tasks prefer to run on, in the class of each job's priority. One queue of it is
// DispatchQueue+TaskExecutor.swift.
import SignalboxSystem

/// The pool of threads that runs all queues, for tasks that are to run on it:
/// `Task(executorPreference: PoolExecutor.shared) { … }`.
///
/// Each job runs as an item of the global queue for its priority. To run all tasks of a program there, call
/// `Signalbox.adoptConcurrency()`.
///
/// Thread safety: any thread.
public final class PoolExecutor: TaskExecutor {
  /// The one there is.
  public static let shared = PoolExecutor()
  private init() {}

  /// Submits a job; the runtime calls this.
  ///
  /// - Complexity: O(1); allocates nothing in the steady state.
  public func enqueue(_ job: consuming ExecutorJob) { QueueJob(job, .ofPool).submitByClass() }
}

extension QueueJob {
  /// Submits it to the global queue for its priority.
  @inline(__always) func submitByClass() { GlobalQueues.queue(for: qosClass).submit(self) }
}
