// QueueExecutors.swift: queues and the pool as executors: serial queues and the main queue for actors, any queue and
// the pool for tasks.
import SignalboxSystem
import SignalboxWaits

extension DispatchQueue: SerialExecutor {
  /// The queue as the executor of an actor, whose jobs then run in the queue's turns: one at a time with its items and with `sync`.
  ///
  /// The main queue's is that of `MainActor`. An actor is to keep its queue: the result keeps nothing alive.
  ///
  /// ```swift file
  /// actor Bank {
  ///   let queue = DispatchQueue(label: "bank")
  ///   nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  /// }
  /// ```
  ///
  /// - Precondition: the queue runs one item at a time: a serial queue, a workloop, or the main queue. For a concurrent or global
  ///   queue the program is stopped, since two jobs of the actor could run at the same time.
  /// - Complexity: O(1); allocates nothing. Thread safety: any thread.
  public final func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    if isMain { return MainActor.sharedUnownedExecutor }
    checkMayIsolate()
    return UnownedSerialExecutor(ordinary: self)
  }

  /// Submits a job of Swift's tasks: as the executor of its actor on a queue that runs one item at a time, on others as what its
  /// task prefers. The runtime calls this; programs seldom do.
  ///
  /// - Complexity: O(1); allocates nothing in the steady state. Thread safety: any thread.
  public final func enqueue(_ job: consuming ExecutorJob) {
    if runsBeside { submitPreferring(job) } else { submit(QueueJob(job, isolatedTo: self)) }
  }

  /// What the runtime calls for jobs of an actor whose executor this queue is.
  @_disfavoredOverload  // to callers the name `enqueue` means the method of that name
  @_implements(SerialExecutor,enqueue(_:))
  public final func _enqueueIsolated(_ job: consuming ExecutorJob) {
    checkMayIsolate()
    submit(QueueJob(job, isolatedTo: self))
  }

  /// The same of a job in its older form.
  @_disfavoredOverload  // to callers the name `enqueue` means the method of that name
  @_implements(SerialExecutor,enqueue(_:))
  public final func _enqueueIsolated(_ job: UnownedJob) { _enqueueIsolated(ExecutorJob(job)) }

  // MARK: isolation

  /// Stops the program unless the calling code runs alone on this queue, so that nothing else that is isolated to it runs
  /// meanwhile: in an item or job of it, in `sync`, or in one of a queue that targets it. The runtime calls this for
  /// `assumeIsolated` and `preconditionIsolated`.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store")
  /// store.sync { store.checkIsolated() }  // elsewhere it stops the program
  /// ```
  ///
  /// - Complexity: O(depth of nested queues on this thread). Thread safety: any thread.
  public final func checkIsolated() {
    if isIsolated { return }
    Misuse.stop(
      "code that is isolated to an actor on \(title) runs elsewhere\n  running inside: \(ThreadFrames.description())\n"
        + "  fix: await a method of the actor, or call it in queue.sync or queue.async", about: .init(.sync, address))
  }

  /// True if the calling code runs alone on this queue, as `checkIsolated()` has it; otherwise nil, so that the runtime asks that
  /// method, which says more.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store")
  /// let isInside = store.sync { store.isIsolatingCurrentContext() }
  /// print(isInside ?? false, store.isIsolatingCurrentContext() ?? false)  // true false
  /// ```
  ///
  /// - Complexity: O(depth of nested queues on this thread). Thread safety: any thread.
  public final func isIsolatingCurrentContext() -> Bool? { isIsolated ? true : nil }

  private final var isIsolated: Bool { !runsBeside && isCurrentAlone }

  // MARK: which queues may

  @inline(__always) private final func checkMayIsolate() { if _slowPath(runsBeside) { stopForWantOfOrder() } }

  @inline(never) private final func stopForWantOfOrder() -> Never {
    Misuse.stop(
      "\(title) is the executor of an actor, but runs several jobs at the same time, so the actor's state would not be protected: "
        + "give the actor a serial queue (which may target this one); tasks may prefer this queue, by Task(executorPreference:)",
      about: .init(.sync, address))
  }
}

// MARK: a queue that tasks prefer

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

// MARK: the pool, in the class of each job's priority

/// The pool of threads that runs all queues, for tasks that are to run on it:
/// `Task(executorPreference: PoolExecutor.shared) { … }`.
///
/// Each job runs as an item of the global queue for its priority. To run all tasks of a program there, call
/// `Signalbox.adoptConcurrency()`.
///
/// Thread safety: any thread.
///
/// ```swift
/// let square = await Task(executorPreference: PoolExecutor.shared) { 7 * 7 }.value
/// print(square)  // 49, calculated on a thread of the pool
/// ```
public final class PoolExecutor: TaskExecutor {
  /// The one there is.
  ///
  /// ```swift
  /// await withTaskExecutorPreference(PoolExecutor.shared) {
  ///   print(DispatchQueue.currentLabel ?? "no queue")  // the global queue for the task's priority
  /// }
  /// ```
  public static let shared = PoolExecutor()
  private init() {}

  /// Submits a job; the runtime calls this.
  ///
  /// ```swift
  /// let executor = PoolExecutor.shared
  /// await Task(executorPreference: executor) { print("the runtime has called enqueue(_:)") }.value
  /// ```
  ///
  /// - Complexity: O(1); allocates nothing in the steady state.
  public func enqueue(_ job: consuming ExecutorJob) { QueueJob(job, .ofPool).submitByClass() }
}

extension QueueJob {
  /// Submits it to the global queue for its priority.
  @inline(__always) func submitByClass() { GlobalQueues.queue(for: qosClass).submit(self) }
}
