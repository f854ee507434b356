// NotificationCenter+Named.swift: `queue: .current`, `queue: flag ? .main : nil`: optional queues whose type nobody names. Queues
// given as values are NotificationCenter+Queues.swift.
//
// Such a call is ambiguous between Foundation's function and one that takes an optional queue of ours. A function that takes a subclass of
// Foundation's queue is preferred to both, because a subclass is more specific. This one takes such a subclass, whose `main` and `current`
// stand for ours.
public import Foundation

extension NotificationCenter {
  /// Adds an observer like the form that takes one of Signalbox's queues. This form serves calls that write `.current`, or a conditional
  /// `.main`, without a type. If `queue` is nil, the block runs on the posting thread.
  ///
  /// - Note: Thread safety: any thread. `.current` is evaluated by this call.
  public func addObserver(
    forName name: NSNotification.Name?, object obj: Any?, queue: NamedQueue?,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol {
    addObserver(forName: name, object: obj, queue: queue?.ours, using: block)
  }

  // SAFETY of @unchecked: constant.
  /// The type that gives `.main` and `.current` their meaning where an observer's queue is expected. It names a queue of
  /// Signalbox's; do not add operations to it.
  /// - Note: Thread safety: any thread. The queues that it names are those of the thread that evaluates it.
  public final class NamedQueue: Foundation.OperationQueue, @unchecked Sendable {
    let ours: OperationQueue

    private init(_ queue: OperationQueue) {
      ours = queue
      super.init()
    }

    /// Signalbox's main queue.
    public override class var main: NamedQueue { NamedQueue(OperationQueue.main) }
    /// Signalbox's queue that runs the caller's operation; nil if there is none.
    public override class var current: NamedQueue? { OperationQueue.current.map(NamedQueue.init) }
  }
}
