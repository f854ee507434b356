// LimitedWorker.swift: jobs of which at most so many run at once. Jobs strictly one after another are AsyncSerialWorker.swift.
import SignalboxSystem

/// Runs jobs beside one another, at most `limit` at a time; jobs start in the order they were given.
///
///     let worker = LimitedWorker(limit: 3)
///     for page in pages { worker.enqueueWork { fetch(page) } }
///
/// A job that waits for its place keeps no thread. One that blocks keeps its place until it returns. The worker may be let go of
/// while jobs wait; they run nevertheless.
///
/// Thread safety: any thread. Memory: `enqueueWork` happens before the job; jobs are not ordered among themselves.
public final class LimitedWorker: Sendable {
  /// How many jobs may run at once.
  public let limit: Int
  private let queue: DispatchQueue

  /// Creates a worker without jobs.
  ///
  /// - Parameters:
  ///   - limit: how many jobs may run at once.
  ///   - label: what messages and thread names call it.
  ///   - qos: the quality of service of its jobs.
  ///   - target: the queue in whose turns jobs run; nil means a global queue of that quality of service.
  /// - Precondition: `limit` is at least 1; the program is stopped otherwise.
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

  /// Adds a job behind those that wait, and returns at once.
  ///
  /// - Parameters:
  ///   - group: entered now, left when the job has run.
  ///   - work: runs once, as soon as a place is free and no earlier job waits for one; destroyed right after.
  public func enqueueWork(group: DispatchGroup? = nil, _ work: @escaping @Sendable () -> Void) {
    queue.async(group: group, execute: work)
  }
}
