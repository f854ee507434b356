// NotificationCenter+Queues.swift: notifications that run as operations of Signalbox's queues, given as values or by a
// name without a type. Methods of objects are NotificationCenter+Actions.swift.
public import Foundation

extension NotificationCenter {
  /// Calls `block` as an operation of `queue` for every matching notification, until the token is passed to `removeObserver`.
  ///
  /// The posting thread waits for that one operation and for nothing else. Inside an operation of `queue`, and for the main
  /// queue on the main thread, the block is called directly. A post waits as long as the queue is suspended or busy. If the
  /// operation is cancelled before its turn, the notification is not delivered.
  ///
  /// A delivery in progress when the observer is removed may still complete; none begins for notifications posted later.
  ///
  /// ```swift
  /// let queue = OperationQueue(), saved = Notification.Name("saved"), center = NotificationCenter.default
  /// let token = center.addObserver(forName: saved, object: nil, queue: queue) { _ in print("saved") }
  /// center.post(name: saved, object: nil)  // returns when the operation has run
  /// center.removeObserver(token)
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name to match; nil matches every name.
  ///   - obj: the sender to match; nil matches every sender.
  ///   - queue: a queue of Signalbox's. To pass nil, for the posting thread, use the forms that take an optional queue.
  /// - Note: Thread safety: any thread.
  public func addObserver(
    forName name: NSNotification.Name?, object obj: Any?, queue: OperationQueue,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol {
    addObserver(forName: name, object: obj, queue: nil as Foundation.OperationQueue?) { notification in
      Delivery(notification, block).run(on: queue)
    }
  }

  // Disfavoured, because it is for values only: what names no type is for `NamedQueue` below.
  /// Like the form above; nil means that the block is called on the posting thread.
  ///
  /// ```swift
  /// let queue: OperationQueue? = nil, saved = Notification.Name("saved"), center = NotificationCenter.default
  /// let token = center.addObserver(forName: saved, object: nil, queue: queue) { _ in print("saved") }
  /// center.post(name: saved, object: nil)  // calls the block on this thread
  /// center.removeObserver(token)
  /// ```
  @_disfavoredOverload
  public func addObserver(
    forName name: NSNotification.Name?, object obj: Any?, queue: OperationQueue?,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol {
    if let queue { return addObserver(forName: name, object: obj, queue: queue, using: block) }
    return addObserver(forName: name, object: obj, queue: nil as Foundation.OperationQueue?, using: block)
  }
}

/// One notification on its way to one observer.
// SAFETY of @unchecked: constant; the poster, which might change the object behind the notification, waits until it is
// delivered.
private struct Delivery: @unchecked Sendable {
  private let notification: Notification
  private let block: @Sendable (Notification) -> Void

  init(_ notification: Notification, _ block: @escaping @Sendable (Notification) -> Void) {
    (self.notification, self.block) = (notification, block)
  }

  func run(on queue: OperationQueue) {
    if OperationQueue.current === queue { return block(notification) }
    let operation = BlockOperation(block: { block(notification) })
    operation.name = "deliver \(notification.name.rawValue)"
    queue.addOperation(operation)
    operation.waitUntilFinished()
  }
}

// MARK: `queue: .current`, `queue: flag ? .main : nil`

// Optional queues without the name of a type. Such a call is ambiguous between Foundation's function and one that takes
// an optional queue of Signalbox's. A function that takes a subclass of Foundation's queue is preferred to both,
// because a subclass is more specific. This one takes such a subclass, whose `main` and `current` stand for
// Signalbox's.
extension NotificationCenter {
  /// Adds an observer like the form that takes one of Signalbox's queues. This form serves calls that write `.current`, or a conditional
  /// `.main`, without a type. If `queue` is nil, the block runs on the posting thread.
  ///
  /// ```swift
  /// let saved = Notification.Name("saved"), center = NotificationCenter.default
  /// let token = center.addObserver(
  ///   forName: saved, object: nil, queue: Thread.isMainThread ? .main : nil) { _ in print("saved") }
  /// center.post(name: saved, object: nil)
  /// center.removeObserver(token)
  /// ```
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
  ///
  /// ```swift
  /// let saved = Notification.Name("saved"), center = NotificationCenter.default
  /// let token = center.addObserver(forName: saved, object: nil, queue: .current) { _ in print("saved") }
  /// center.post(name: saved, object: nil)  // on the queue of the operation that has added the observer
  /// center.removeObserver(token)
  /// ```
  ///
  /// - Note: Thread safety: any thread. The queues that it names are those of the thread that evaluates it.
  public final class NamedQueue: Foundation.OperationQueue, @unchecked Sendable {
    let ours: OperationQueue

    private init(_ queue: OperationQueue) {
      ours = queue
      super.init()
    }

    /// Signalbox's main queue.
    ///
    /// ```swift
    /// let saved = Notification.Name("saved"), center = NotificationCenter.default
    /// let token = center.addObserver(
    ///   forName: saved, object: nil, queue: Thread.isMainThread ? .main : nil) { _ in print("saved") }
    /// center.removeObserver(token)
    /// ```
    public override class var main: NamedQueue { NamedQueue(OperationQueue.main) }
    /// Signalbox's queue that runs the caller's operation; nil if there is none.
    ///
    /// ```swift
    /// let saved = Notification.Name("saved"), center = NotificationCenter.default
    /// let token = center.addObserver(forName: saved, object: nil, queue: .current) { _ in print("saved") }
    /// center.removeObserver(token)
    /// ```
    public override class var current: NamedQueue? { OperationQueue.current.map(NamedQueue.init) }
  }
}
