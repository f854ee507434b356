// NotificationSequence.swift: notifications as an asynchronous sequence, as on Apple's platforms.
public import Foundation

extension NotificationCenter {
  /// The notifications named `name`, from `object` or from any sender, as a sequence for `for await`.
  ///
  /// Each iterator receives what is posted after its creation, in order; notifications wait until they are asked for. It ends
  /// when its task is cancelled, and receives nothing after it is gone. A post never waits.
  ///
  /// ```swift
  /// let saved = Notification.Name("saved"), center = NotificationCenter.default
  /// var names = center.notifications(named: saved).map { $0.name }.makeAsyncIterator()
  /// center.post(name: saved, object: nil)
  /// print(await names.next() == saved)  // true
  /// ```
  ///
  /// - Note: Thread safety: any thread or task.
  public func notifications(named name: Notification.Name, object: (any AnyObject & Sendable)? = nil) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// The result of `notifications(named:object:)`. It retains the centre and the object.
  ///
  /// ```swift
  /// let saved = Notification.Name("saved")
  /// let reader = Task {
  ///   for await name in NotificationCenter.default.notifications(named: saved).map({ $0.name }) { print(name) }
  /// }
  /// reader.cancel()  // ends the sequence
  /// await reader.value
  /// ```
  ///
  /// - Note: Thread safety: any thread or task; an iterator belongs to one task at a time.
  public final class Notifications: AsyncSequence, Sendable {
    /// The element type: a notification.
    public typealias Element = Notification
    /// Iteration never fails.
    public typealias Failure = Never
    private let center: NotificationCenter
    private let name: Notification.Name
    private let object: (any AnyObject & Sendable)?

    init(center: NotificationCenter, name: Notification.Name, object: (any AnyObject & Sendable)?) {
      (self.center, self.name, self.object) = (center, name, object)
    }

    /// Creates an iterator that receives notifications from now on.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(of: Parcel.self)
      let token = center.addObserver(forName: name, object: object, queue: nil as Foundation.OperationQueue?) {
        continuation.yield(Parcel(notification: $0))
      }
      return Iterator(of: stream.makeAsyncIterator(), heardBy: Listener(token, at: center, continuation))
    }

    /// Receives notifications until it and all its copies are gone, or a task waiting in `next` is cancelled.
    ///
    /// ```swift
    /// let saved = Notification.Name("saved"), center = NotificationCenter.default
    /// var names = center.notifications(named: saved).map { $0.name }.makeAsyncIterator()  // receives from now on
    /// for _ in 1...2 { center.post(name: saved, object: nil) }
    /// for _ in 1...2 { print(await names.next()?.rawValue ?? "cancelled") }
    /// ```
    public struct Iterator: AsyncIteratorProtocol {
      /// The element type: a notification.
      public typealias Element = Notification
      /// Iteration never fails.
      public typealias Failure = Never
      private var stream: AsyncStream<Parcel>.Iterator
      private let listener: Listener

      init(of stream: AsyncStream<Parcel>.Iterator, heardBy listener: Listener) {
        (self.stream, self.listener) = (stream, listener)
      }

      /// Waits for the next notification and returns it; nil when the task is cancelled.
      public mutating func next() async -> Notification? { await next(isolation: #isolation) }

      /// Like `next()`, for callers on an actor.
      ///
      /// ```swift
      /// let saved = Notification.Name("saved"), center = NotificationCenter.default
      /// var notifications = center.notifications(named: saved).makeAsyncIterator()
      /// center.post(name: saved, object: nil)
      /// let notification = await notifications.next(isolation: #isolation)
      /// print(notification?.name == saved)  // true
      /// ```
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
        await stream.next(isolation: actor)?.notification
      }
    }

    /// A notification on its way from the thread that posts to the task that asks.
    // SAFETY of @unchecked: constant; what notifications carry is shared by all code that receives them, here as with
    // every observer.
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
