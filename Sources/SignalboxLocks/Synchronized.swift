// Synchronized.swift: one lock for every object, as Objective-C's `@synchronized` has it. Where the locks are: SyncTable.swift.
import SignalboxSystem

/// The result of `objc_sync_enter` and `objc_sync_exit` on success.
public let OBJC_SYNC_SUCCESS: Int32 = 0
/// The result of `objc_sync_exit` if the calling thread does not hold the lock; nothing has changed then.
public let OBJC_SYNC_NOT_OWNING_THREAD_ERROR: Int32 = -1

/// Acquires the recursive lock that belongs to `object`; blocks until it is free.
///
/// The lock belongs to the object's identity and costs nothing while no thread holds it. The object is kept alive while it is
/// locked. A class itself is an object, too. Nil has no lock: nothing happens.
///
/// ```swift file
/// final class Journal {
///   private var lines: [String] = []
///   func append(_ line: String) {
///     objc_sync_enter(self)
///     defer { objc_sync_exit(self) }
///     lines.append(line)
///   }
/// }
/// ```
///
/// - Returns: `OBJC_SYNC_SUCCESS`.
/// - Precondition: `object` is a class instance, a class or nil. A value of any other type has no identity, so each call would
///   lock another object; the program is stopped instead.
/// - Complexity: two short critical sections and one atomic swap. It allocates when more objects are locked at one time than
///   ever before.
/// - Note: Thread safety: any thread. Threads that lock different objects do not wait for each other.
@available(*, noasync, message: "a task may resume on another thread, which is not inside: use synchronized(_:_:)")
@discardableResult
public func objc_sync_enter(_ object: Any?) -> Int32 {
  guard let object else { return OBJC_SYNC_SUCCESS }
  guard let identity = SyncIdentity(object) else { SyncIdentity.refuse(object, by: "objc_sync_enter(_:)") }
  SyncTable.enter(identity.key, identity.object)
  return OBJC_SYNC_SUCCESS
}

/// Releases the lock of `object` once.
///
/// ```swift file
/// func release(_ object: AnyObject) {
///   if objc_sync_exit(object) != OBJC_SYNC_SUCCESS { print("this thread does not hold the object's lock") }
/// }
/// ```
///
/// - Returns: `OBJC_SYNC_SUCCESS`, or `OBJC_SYNC_NOT_OWNING_THREAD_ERROR` if the calling thread does not hold the lock.
/// - Precondition: as for `objc_sync_enter(_:)`.
@available(*, noasync, message: "a task may resume on another thread, which is not inside: use synchronized(_:_:)")
@discardableResult
public func objc_sync_exit(_ object: Any?) -> Int32 {
  guard let object else { return OBJC_SYNC_SUCCESS }
  guard let identity = SyncIdentity(object) else { SyncIdentity.refuse(object, by: "objc_sync_exit(_:)") }
  return SyncTable.exit(identity.key) ? OBJC_SYNC_SUCCESS : OBJC_SYNC_NOT_OWNING_THREAD_ERROR
}

/// Runs `body` while holding the lock of `object`, and releases it also if `body` throws. Calls may be nested.
///
/// ```swift file
/// final class Account: Sendable {
///   nonisolated(unsafe) private var balance = 0  // guarded by the account's lock
///   func deposit(_ amount: Int) { synchronized(self) { balance += amount } }
///   var current: Int { synchronized(self) { balance } }
/// }
/// ```
///
/// - Precondition: `object` is not a value converted by `as AnyObject`: each conversion makes another object.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws.
@inlinable
public func synchronized<R: ~Copyable, E: Error>(_ object: AnyObject, _ body: () throws(E) -> R) throws(E) -> R {
  enterSynchronized(object)
  defer { leaveSynchronized(object) }
  return try body()
}

@usableFromInline func enterSynchronized(_ object: AnyObject) {
  if SyncIdentity.isBox(object) { SyncIdentity.refuse(object, by: "synchronized(_:_:)") }
  SyncTable.enter(UInt(bitPattern: ObjectIdentifier(object)), object)
}

@usableFromInline func leaveSynchronized(_ object: AnyObject) {
  // Always held here, unless the body has left by hand what it did not enter; then there is nothing left to leave.
  _ = SyncTable.exit(UInt(bitPattern: ObjectIdentifier(object)))
}

/// What makes an object the same object.
private struct SyncIdentity {
  let key: UInt
  /// What has to be kept alive for the key to mean it; classes need not be.
  let object: AnyObject?

  /// Nil for a value without identity.
  init?(_ value: Any) {
    if type(of: value) is AnyClass {
      // SAFETY: an `Any` that holds a class instance begins with the reference to it. `as AnyObject` says the same, but asks first
      // for a bridge to other classes, which takes twenty times as long.
      let reference = withUnsafeBytes(of: value) { $0.load(as: UnsafeRawPointer.self) }
      let instance = Unmanaged<AnyObject>.fromOpaque(reference).takeUnretainedValue()
      if Self.isBox(instance) { return nil }
      (key, object) = (UInt(bitPattern: reference), instance)
    } else if let aClass = value as? AnyClass {
      (key, object) = (UInt(bitPattern: ObjectIdentifier(aClass)), nil)
    } else {
      return nil
    }
  }

  private struct Plain {}
  // The class of the boxes that the runtime makes of values.
  private static let boxClass = ObjectIdentifier(type(of: Plain() as AnyObject))

  static func isBox(_ object: AnyObject) -> Bool { ObjectIdentifier(type(of: object)) == boxClass }

  static func refuse(_ value: Any, by function: String) -> Never {
    Misuse.stop(
      "\(function) was given a value of the type \(type(of: value)), which is no object: it has no identity, so every call would lock "
        + "something of its own, and nothing would be kept apart; give it a class instance that all threads share")
  }
}
