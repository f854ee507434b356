// DispatchQueue+SerialExecutor.swift: a serial queue, or the main queue, as the executor of actors. Queues that tasks prefer are
// DispatchQueue+TaskExecutor.swift.
import SignalboxWaits
import SignalboxSystem

extension DispatchQueue: SerialExecutor {
  /// The queue as the executor of an actor, whose jobs then run in the queue's turns: one at a time with its items and with `sync`.
  ///
  /// ```
  /// actor Bank {
  ///   let queue = DispatchQueue(label: "bank")
  ///   nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  /// }
  /// ```
  /// The main queue's is that of `MainActor`. An actor is to keep its queue: the result keeps nothing alive.
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
