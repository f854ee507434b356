// AsyncSerialWorker.swift: asynchronous jobs one after another: the next starts when the one before has said that it is done.
import SignalboxSystem

/// Runs asynchronous jobs one after another: the next job starts when the `done` callback of the one before has been called.
///
///     let worker = AsyncSerialWorker(label: "uploads")
///     for file in files {
///       worker.enqueueWork { done in upload(file) { _ in done() } }
///     }
///
/// No thread is blocked while a job waits for its `done`: the worker's queue is suspended. The worker may be released while
/// jobs wait; they still run.
///
/// Any thread may call `done`, even before the job returns. A second call has no effect and is reported on standard error. If
/// `done` is released without having been called, the worker would stop for good: this is reported, and the worker continues
/// with the next job.
///
/// Thread safety: any thread. Memory: everything before `done()` happens before the next job.
public final class AsyncSerialWorker: Sendable {
  /// The callback that marks a job as done.
  public typealias DoneBlock = @Sendable () -> Void
  /// A job: starts its work and makes sure that `done` is called when the work has ended.
  public typealias WorkBlock = @Sendable (_ done: @escaping DoneBlock) -> Void

  private let queue: DispatchQueue
  private let accepted = Atomic64(0)

  /// Creates a worker without jobs.
  ///
  /// ```swift
  /// let uploads = AsyncSerialWorker(label: "uploads", qos: .utility)
  /// print(uploads.label)  // uploads
  /// ```
  ///
  /// - Parameters:
  ///   - label: the name in messages and of threads.
  ///   - qos: the quality of service of its jobs.
  ///   - target: the queue in whose turns jobs start; nil means the global queue of that quality of service.
  public init(
    label: String = "signalbox.async-serial-worker", qos: DispatchQoS = .unspecified, target: DispatchQueue? = nil
  ) {
    queue = DispatchQueue(label: label, qos: qos, target: target)
  }

  /// The label given at creation.
  public var label: String { queue.label }

  /// Adds a job to the end of the line and returns at once.
  ///
  /// ```swift
  /// let uploads = AsyncSerialWorker(label: "uploads")
  /// uploads.enqueueWork { done in
  ///   DispatchQueue.global().async { done() }  // the next job begins now
  /// }
  /// ```
  ///
  /// - Parameter work: runs once, when all jobs before it are done, and is then released.
  public func enqueueWork(_ work: @escaping WorkBlock) {
    // relaxed: a number for messages.
    let number = accepted.addRelaxed(1) + 1
    queue.async { [queue] in
      // Before the job can call done(): what resumes must find something suspended.
      queue.suspend()
      let job = PendingCall(number, queue)
      work { job.done() }
    }
  }
}

/// One job on its way. Code that holds a copy of its `done` holds it.
private final class PendingCall: Sendable {
  private let number: UInt64
  private let queue: DispatchQueue
  private let isDone = Atomic32(0)

  init(_ number: UInt64, _ queue: DispatchQueue) {
    self.number = number
    self.queue = queue
  }

  func done() {
    // acquire and release: one call finds 0; what resume() orders is the queue's business.
    if isDone.exchangeAcqRel(1) == 0 { return queue.resume() }
    Misuse.report(
      "async serial worker \"\(queue.label)\": done of job \(number) is called again, which has no effect; "
        + "call it once, when the job has ended")
  }

  deinit {
    guard isDone.loadRelaxed() == 0 else { return }  // relaxed: no other reference is left
    Misuse.report(
      "async serial worker \"\(queue.label)\": done of job \(number) was released without having been called; "
        + "the next job starts as if it had been; call done on every way out of the job")
    queue.resume()
  }
}
