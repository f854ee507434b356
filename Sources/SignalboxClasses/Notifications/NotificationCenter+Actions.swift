// NotificationCenter+Actions.swift: notifications that call a method of an object, which the centre does not keep. Closures on
// queues are NotificationCenter+Queues.swift.
public import Foundation

extension NotificationCenter {
  /// Calls `action` of `observer` on the posting thread for every matching notification, as long as `observer` lives:
  /// `center.addObserver(player, action: Player.itemEnded, name: .itemEnded)`.
  ///
  /// The centre does not retain the observer. It need not be removed before it is deallocated: no method of an object being
  /// deallocated is called. An observer added twice is called twice.
  ///
  /// - Parameters:
  ///   - name: the name to match; nil matches every name.
  ///   - object: the sender to match; nil matches every sender.
  /// - Complexity: constant on average.
  /// - Note: Thread safety: any thread; the method must be safe to call on the posting threads.
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

  /// Like `addObserver(_:action:name:object:)`, for a method without an argument.
  public func addObserver<Observer: AnyObject>(
    _ observer: Observer, action: @escaping (Observer) -> () -> Void, name: NSNotification.Name?, object: Any? = nil
  ) {
    addObserver(observer, action: { observer in { _ in action(observer)() } }, name: name, object: object)
  }

  /// Removes everything added for `observer`: its methods, or the block whose token it is.
  ///
  /// A call in progress on another thread may continue; none begins after this has returned. If there is nothing to remove,
  /// nothing happens.
  ///
  /// - Complexity: linear in the number of entries added for this observer.
  /// - Note: Thread safety: any thread, including from the observer's own method and its deinitializer.
  public func removeObserver<Observer: AnyObject>(_ observer: Observer) {
    ActionTable.shared.remove(ObjectIdentifier(observer)) { $0.isOf(self) }
    removeObserver(observer as Any)
  }

  /// Removes those methods of the observer that were added for `name` and `object`; nil matches all.
  public func removeObserver<Observer: AnyObject>(_ observer: Observer, name: NSNotification.Name?, object: Any?) {
    let sender = object.map { ObjectIdentifier($0 as AnyObject) }
    ActionTable.shared.remove(ObjectIdentifier(observer)) { registration in
      registration.isOf(self) && (name == nil || registration.name == name)
        && (sender == nil || registration.object == sender)
    }
    removeObserver(observer as Any, name: name, object: object)
  }
}
