// LimitedWorker.swift: jobs of which a limited number run at once. Jobs strictly one after another are AsyncSerialWorker.swift.
import SignalboxSystem

/// Runs up to `limit` jobs at the same time; jobs start in the order in which they were added.
///
///     let worker = LimitedWorker(limit: 3)
///     for page in pages { worker.enqueueWork { fetch(page) } }
///
/// No thread is blocked while a job waits for its place. A job that blocks keeps its place until it returns. The worker may be
/// released while jobs wait; they still run.
///
/// Thread safety: any thread. Memory: `enqueueWork` happens before the job; jobs are not ordered among themselves.
public final class LimitedWorker: Sendable {
  /// The largest number of jobs that run at the same time.
  public let limit: Int
  private let queue: DispatchQueue

  /// Creates a worker without jobs.
  ///
  /// ```swift
  /// let downloads = LimitedWorker(limit: 4, label: "downloads", qos: .utility)
  /// print(downloads.limit)  // 4
  /// ```
  ///
  /// - Parameters:
  ///   - limit: the largest number of jobs that run at the same time.
  ///   - label: the name in messages and of threads.
  ///   - qos: the quality of service of its jobs.
  ///   - target: the queue in whose turns jobs run; nil means the global queue of that quality of service.
  /// - Precondition: `limit` is at least 1; otherwise the program is stopped.
  public init(
    limit: Int, label: String = "signalbox.limited-worker", qos: DispatchQoS = .unspecified, target: DispatchQueue? = nil
  ) {
    guard limit >= 1 else {
      Misuse.stop("limited worker \"\(label)\" is made with the limit \(limit), so no job could ever run: give at least 1")
    }
    self.limit = limit
    queue = DispatchQueue(label: label, qos: qos, attributes: .concurrent, target: target)
    queue.setWidth(limit)
  }

  /// The label given at creation.
  public var label: String { queue.label }

  /// Adds a job to the end of the line and returns at once.
  ///
  /// ```swift
  /// let (downloads, all) = (LimitedWorker(limit: 2, label: "downloads"), DispatchGroup())
  /// for number in 1...6 { downloads.enqueueWork(group: all) { print("download", number) } }
  /// all.notify(queue: .global()) { print("all six are there") }
  /// ```
  ///
  /// - Parameters:
  ///   - group: entered now, and left when the job has run.
  ///   - work: runs once, as soon as a place is free and no earlier job waits for one, and is then released.
  public func enqueueWork(group: DispatchGroup? = nil, _ work: @escaping @Sendable () -> Void) {
    queue.async(group: group, execute: work)
  }
}
