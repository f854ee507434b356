// NotificationCenter+Queues.swift: notifications that run as operations of our queues. Methods of objects are
// NotificationCenter+Actions.swift.
public import Foundation

extension NotificationCenter {
  /// Calls `block` as an operation of `queue` whenever a matching notification is posted, until the token is given to
  /// `removeObserver`.
  ///
  /// Who posts waits for that one operation, and for nothing else of the queue's. Inside of an operation of `queue`, and for the
  /// main queue on the main thread, the block is called at once. A post waits as long as the queue is suspended or busy; an
  /// operation that is cancelled before its turn is not delivered.
  ///
  /// A delivery under way when the observer is removed may still come; none begins for notifications posted after that.
  ///
  /// - Parameters:
  ///   - name: which notifications; nil: those of every name.
  ///   - obj: whose notifications; nil: everybody's.
  ///   - queue: of Signalbox's. For nil, on the poster's thread, see the functions for optional queues.
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
  /// As the function above; without a queue the block is called on the poster's thread.
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
