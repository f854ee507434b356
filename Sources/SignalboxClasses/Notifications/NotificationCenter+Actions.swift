// NotificationCenter+Actions.swift: notifications that call a method of an object, which the centre does not keep. Closures on
// queues are NotificationCenter+Queues.swift.
public import Foundation

extension NotificationCenter {
  /// Calls `action` of `observer` on the poster's thread whenever a matching notification is posted, as long as `observer` lives:
  /// `center.addObserver(player, action: Player.itemEnded, name: .itemEnded)`.
  ///
  /// The observer is not kept: it may go without being removed, and no method of an object whose end has begun is called. Added
  /// twice, it is called twice.
  ///
  /// - Parameters:
  ///   - name: which notifications; nil: those of every name.
  ///   - object: whose notifications; nil: everybody's.
  /// - Complexity: constant on average.
  /// - Note: Thread safety: any thread; the method has to bear the threads that post.
  public func addObserver<Observer: AnyObject>(
    _ observer: Observer, action: @escaping (Observer) -> (Notification) -> Void, name: NSNotification.Name?,
    object: Any? = nil
  ) {
    let registration = ActionRegistration(observer, action, name, object.map { ObjectIdentifier($0 as AnyObject) }, in: self)
    registration.token = addObserver(forName: name, object: object, queue: nil as Foundation.OperationQueue?) {
      registration.deliver($0)
    }
    ActionTable.shared.add(registration)
  }

  /// As `addObserver(_:action:name:object:)` with a method that takes the notification, for one without an argument.
  public func addObserver<Observer: AnyObject>(
    _ observer: Observer, action: @escaping (Observer) -> () -> Void, name: NSNotification.Name?, object: Any? = nil
  ) {
    addObserver(observer, action: { observer in { _ in action(observer)() } }, name: name, object: object)
  }

  /// Removes what was added for `observer`: its methods, or the block that it is the token of.
  ///
  /// A call that is under way on another thread may still go on; none begins after this has returned. Nothing happens if there is
  /// nothing to be removed.
  ///
  /// - Complexity: linear in what was added for this observer.
  /// - Note: Thread safety: any thread, also the observer's own method, and its deinitialiser.
  public func removeObserver<Observer: AnyObject>(_ observer: Observer) {
    ActionTable.shared.remove(ObjectIdentifier(observer)) { $0.isOf(self) }
    removeObserver(observer as Any)
  }

  /// Removes those of the observer's methods that were added for `name`, if that is given, and for `object`, if that is given.
  public func removeObserver<Observer: AnyObject>(_ observer: Observer, name: NSNotification.Name?, object: Any?) {
    let object = object.map { ObjectIdentifier($0 as AnyObject) }
    ActionTable.shared.remove(ObjectIdentifier(observer)) { registration in
      registration.isOf(self) && (name == nil || registration.name == name)
        && (object == nil || registration.object == object)
    }
    removeObserver(observer as Any, name: name, object: nil)
  }
}
