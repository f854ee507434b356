// NotificationCenter+Named.swift: `queue: .current`, `queue: flag ? .main : nil`: optional queues whose type nobody names. Queues
// given as values are NotificationCenter+Queues.swift.
//
// Such a call fits Foundation's function as well as one that takes our queue or none, and neither is better. But a function that
// takes a subclass of Foundation's queue is: what is good for a subclass is good for its superclass, and not the reverse. So here is
// one, whose `main` and `current` stand for ours.
public import Foundation

extension NotificationCenter {
  /// As the form that takes a queue of Signalbox's, for calls that write `.current`, or a conditional `.main`, without a type.
  /// Nil means the posting thread.
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
