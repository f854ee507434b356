// NotificationSequence.swift: notifications as an asynchronous sequence, as on Apple's platforms.
public import Foundation

extension NotificationCenter {
  /// The notifications named `name`, of `object` or of everybody, for `for await`.
  ///
  /// Each iterator hears what is posted from its making on, in the order of posting; what has not been asked for yet waits. It
  /// ends when its task is cancelled, and hears nothing any more once it is gone. Who posts never waits.
  ///
  /// - Note: Thread safety: any thread or task.
  public func notifications(named name: Notification.Name, object: (any AnyObject & Sendable)? = nil) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// What `notifications(named:object:)` returns. It keeps the centre and the object.
  public final class Notifications: AsyncSequence, Sendable {
    /// Notifications.
    public typealias Element = Notification
    /// It never fails.
    public typealias Failure = Never
    private let center: NotificationCenter
    private let name: Notification.Name
    private let object: (any AnyObject & Sendable)?

    init(center: NotificationCenter, name: Notification.Name, object: (any AnyObject & Sendable)?) {
      (self.center, self.name, self.object) = (center, name, object)
    }

    /// Starts to listen.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(of: Parcel.self)
      let token = center.addObserver(forName: name, object: object, queue: nil as Foundation.OperationQueue?) {
        continuation.yield(Parcel(notification: $0))
      }
      return Iterator(of: stream.makeAsyncIterator(), heardBy: Listener(token, at: center, continuation))
    }

    /// Hears notifications until it, and each copy of it, is gone, or a task that waits in `next` is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
      /// Notifications.
      public typealias Element = Notification
      /// It never fails.
      public typealias Failure = Never
      private var stream: AsyncStream<Parcel>.Iterator
      private let listener: Listener

      init(of stream: AsyncStream<Parcel>.Iterator, heardBy listener: Listener) {
        (self.stream, self.listener) = (stream, listener)
      }

      /// The next notification, waiting for one; nil once the task is cancelled.
      public mutating func next() async -> Notification? { await next(isolation: #isolation) }

      /// As `next()`, from within an actor.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
        await stream.next(isolation: actor)?.notification
      }
    }

    /// A notification on its way from the thread that posts to the task that asks.
    // SAFETY of @unchecked: constant; what notifications carry is shared by all who hear them, here as with every observer.
    struct Parcel: @unchecked Sendable { let notification: Notification }

    /// Listens as long as it is there.
    // SAFETY of @unchecked: constant; the token is used by the centre alone.
    final class Listener: @unchecked Sendable {
      private let token: any NSObjectProtocol
      private let center: NotificationCenter
      private let continuation: AsyncStream<Parcel>.Continuation

      init(
        _ token: any NSObjectProtocol, at center: NotificationCenter, _ continuation: AsyncStream<Parcel>.Continuation
      ) {
        (self.token, self.center, self.continuation) = (token, center, continuation)
      }
      deinit {
        center.removeObserver(token as Any)
        continuation.finish()
      }
    }
  }
}
