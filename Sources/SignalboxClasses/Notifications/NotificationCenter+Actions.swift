// NotificationCenter+Actions.swift: notifications that call a method of an object, which the centre does not keep, and
// the table of such methods. Closures on queues are NotificationCenter+Queues.swift.
public import Foundation
import SignalboxLocks
import SignalboxSystem

extension NotificationCenter {
  /// Calls `action` of `observer` on the posting thread for every matching notification, as long as `observer` lives:
  /// `center.addObserver(player, action: Player.itemEnded, name: .itemEnded)`.
  ///
  /// The centre does not retain the observer. It need not be removed before it is deallocated: no method of an object being
  /// deallocated is called. An observer added twice is called twice.
  ///
  /// ```swift file
  /// final class Player: Sendable {
  ///   func itemEnded(_ notification: Notification) { print(notification.name.rawValue) }
  ///   func start() {
  ///     NotificationCenter.default.addObserver(self, action: Player.itemEnded, name: Notification.Name("itemEnded"))
  ///   }
  /// }
  /// ```
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
  ///
  /// ```swift file
  /// final class Cache: Sendable {
  ///   func empty() { print("emptied") }
  ///   func start() {
  ///     NotificationCenter.default.addObserver(self, action: Cache.empty, name: Notification.Name("memoryIsScarce"))
  ///   }
  /// }
  /// ```
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
  /// ```swift file
  /// final class Cache: Sendable {
  ///   func empty() { print("emptied") }
  ///   func start() { NotificationCenter.default.addObserver(self, action: Cache.empty, name: nil) }
  ///   func stop() { NotificationCenter.default.removeObserver(self) }
  /// }
  /// ```
  ///
  /// - Complexity: linear in the number of entries added for this observer.
  /// - Note: Thread safety: any thread, including from the observer's own method and its deinitializer.
  public func removeObserver<Observer: AnyObject>(_ observer: Observer) {
    ActionTable.shared.remove(ObjectIdentifier(observer)) { $0.isOf(self) }
    removeObserver(observer as Any)
  }

  /// Removes those methods of the observer that were added for `name` and `object`; nil matches all.
  ///
  /// ```swift file
  /// final class Cache: Sendable {
  ///   static let isScarce = Notification.Name("memoryIsScarce")
  ///   func empty() { print("emptied") }
  ///   func start() { NotificationCenter.default.addObserver(self, action: Cache.empty, name: Cache.isScarce) }
  ///   func stop() { NotificationCenter.default.removeObserver(self, name: Cache.isScarce, object: nil) }
  /// }
  /// ```
  public func removeObserver<Observer: AnyObject>(_ observer: Observer, name: NSNotification.Name?, object: Any?) {
    let sender = object.map { ObjectIdentifier($0 as AnyObject) }
    ActionTable.shared.remove(ObjectIdentifier(observer)) { registration in
      registration.isOf(self) && (name == nil || registration.name == name)
        && (sender == nil || registration.object == sender)
    }
    removeObserver(observer as Any, name: name, object: object)
  }
}

// MARK: which methods of which objects: what `removeObserver` has to find by the object

/// A method of an object that is called for notifications: kept by the table, and by the centre until `end`.
// SAFETY of @unchecked: `token` is written before the registration is in the table, and after that by the thread that ends it, one
// thread; `isGone` is atomic; the rest is constant, and weak references may be read by any thread.
final class ActionRegistration: @unchecked Sendable {
  let name: NSNotification.Name?
  let object: ObjectIdentifier?
  let observerID: ObjectIdentifier
  var token: (any NSObjectProtocol)?
  private let call: (AnyObject, Notification) -> Void
  private weak var observer: AnyObject?
  private weak var center: NotificationCenter?
  private let isGone = Atomic32(0)
  /// How many were made.
  private static let made = Atomic64(0)

  init<Observer: AnyObject>(
    _ observer: Observer, _ action: @escaping (Observer) -> (Notification) -> Void, _ name: NSNotification.Name?,
    _ object: ObjectIdentifier?, in center: NotificationCenter
  ) {
    (self.name, self.object, self.observer, self.center) = (name, object, observer, center)
    observerID = ObjectIdentifier(observer)
    call = { object, notification in action(unsafeDowncast(object, to: Observer.self))(notification) }
    // release N2: pairs with N3. The centre's own lock publishes the registration as well, but the thread sanitizer does not
    // see it.
    _ = Self.made.addAcqRel(1)
  }

  /// Whether no target can be called any more.
  var isDead: Bool { observer == nil || center == nil }

  /// Whether it was made for this centre; those of dead observers count as every centre's.
  func isOf(_ center: NotificationCenter) -> Bool { isDead || self.center === center }

  /// On the poster's thread.
  func deliver(_ notification: Notification) {
    _ = Self.made.loadAcquire()  // acquire N3: see N2
    // acquire N1: pairs with the release in `end`; a removal that is over is seen.
    guard isGone.loadAcquire() == 0, let observer else { return }
    call(observer, notification)
  }

  /// No call begins any more. Only the first call has an effect.
  func end() {
    // release N1: see `deliver`.
    guard isGone.exchangeAcqRel(1) == 0, let token else { return }
    self.token = nil  // it may lead back here
    center?.removeObserver(token as Any)
  }
}

/// All registrations of methods in this process, by observer.
///
/// Objects that go without being removed leave their registrations behind. Those are swept out when the table has doubled since
/// the last time, so that adding costs a constant time on average and the table is at most twice as large as it must be.
final class ActionTable: Sendable {
  static let shared = ActionTable()

  private let lock = UnfairLock()
  // SAFETY: all guarded by `lock`.
  private nonisolated(unsafe) var registrations: [ObjectIdentifier: [ActionRegistration]] = [:]
  private nonisolated(unsafe) var count = 0
  private nonisolated(unsafe) var sweepAt = 64

  func add(_ registration: ActionRegistration) {
    let all = lock.withLock { () -> [ActionRegistration] in
      registrations[registration.observerID, default: []].append(registration)
      count += 1
      guard count >= sweepAt else { return [] }
      sweepAt = .max  // one sweeps
      return registrations.values.flatMap { $0 }
    }
    if all.isEmpty { return }
    takeOut(all.filter(\.isDead))
    lock.withLock { sweepAt = max(64, 2 * count) }
  }

  /// Takes out those of the observer's registrations that the condition holds for.
  func remove(_ observer: ObjectIdentifier, where condition: (ActionRegistration) -> Bool) {
    takeOut(lock.withLock { registrations[observer] ?? [] }.filter(condition))
  }

  /// Whether they are dead was asked outside of the lock: reading a weak reference may give the last strong one back, and so run
  /// a deinitialiser that comes here.
  private func takeOut(_ found: [ActionRegistration]) {
    for registration in found {
      lock.withLock { () -> Void in
        var list = registrations[registration.observerID] ?? []
        guard let index = list.firstIndex(where: { $0 === registration }) else { return }
        list.remove(at: index)
        registrations[registration.observerID] = list.isEmpty ? nil : list
        count -= 1
      }
      registration.end()
    }
  }

  /// How many there are.
  var testsOnly_count: Int { lock.withLock { count } }
}
