// NotificationCenter+Queues.swift: notifications that run as operations of our queues. Methods of objects are
// NotificationCenter+Actions.swift.
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

  // Disfavoured, because it is for values only: what names no type is NotificationCenter+Named.swift's.
  /// Like the form above; nil means that the block is called on the posting thread.
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
// SAFETY of @unchecked: constant; the poster, who might change the object behind the notification, waits until it is delivered.
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
