// DispatchQueue+TaskExecutor.swift: any queue as what tasks prefer to run on. Queues as executors of actors are
// DispatchQueue+SerialExecutor.swift; the whole pool is PoolExecutor.swift.
import SignalboxSystem

/// A queue may be preferred by tasks: `Task(executorPreference: queue) { … }`, `withTaskExecutorPreference(queue) { … }`,
/// `group.addTask(executorPreference: queue) { … }`.
///
/// What such a task runs outside of actors, and in actors without an executor of their own, it runs as items of the queue: on a
/// concurrent or global queue beside others, on a serial queue one at a time, on the main queue on the main thread. A suspended or
/// inactive queue keeps them. The task keeps the queue alive.
///
/// *Priorities.* On a global queue a job runs in the queue's class, or in that of its priority if this is more urgent, and more than
/// `.medium`, which tasks have that ask for nothing. A workloop takes the most urgent job next. Other queues keep their order.
extension DispatchQueue: TaskExecutor {
  /// What the runtime calls for jobs of tasks that prefer this queue.
  @_disfavoredOverload  // to callers the name `enqueue` means the method of that name
  @_implements(TaskExecutor,enqueue(_:))
  public final func _enqueuePreferring(_ job: consuming ExecutorJob) { submitPreferring(job) }

  /// The same of a job in its older form.
  @_disfavoredOverload  // to callers the name `enqueue` means the method of that name
  @_implements(TaskExecutor,enqueue(_:))
  public final func _enqueuePreferring(_ job: UnownedJob) { submitPreferring(ExecutorJob(job)) }

  @inline(__always) final func submitPreferring(_ job: consuming ExecutorJob) {
    if isRoot { return submitToRoot(job) }
    submit(QueueJob(job, .preferring))
  }

  /// The job says on which root's behalf it runs: it may run on a more urgent one.
  private final func submitToRoot(_ job: consuming ExecutorJob) {
    let job = QueueJob(job, .preferring, behalf: serviceClass.rawValue + 1)
    if job.asksForMore(than: self) { return GlobalQueues.queue(for: job.qosClass).submit(job) }
    submit(job)
  }
}
