// LockNames.swift: what people call locks: one table for reports of deadlocks, for the order of locks and for statistics. Which
// locks are one class by their names is LockRegistry.swift.
import SignalboxSystem
import SignalboxWords

extension LockOrder {
  /// Sets the name shown in reports, lock-order validation and statistics for a lock that is a plain word at `address`, such as
  /// an `os_unfair_lock`. Lock objects have a name of their own.
  ///
  /// - Parameter level: of two locks with the same name, the one with the lower level must be acquired first.
  /// - Note: Thread safety: any thread. A name occupies an entry in a table until `forgetLock(at:)`.
  public static func nameLock(at address: UnsafeRawPointer, _ name: String, level: Int? = nil) {
    LockNames.name(UInt(bitPattern: address), name, level: level)
  }

  /// Forgets the name and the orders of a lock that is a plain word at `address`.
  ///
  /// Call this before the memory is freed if the lock has a name or lock-order validation is on. Otherwise the next lock at the
  /// same address would be taken for this one. Thread safety: any thread, when nobody uses the lock any more.
  public static func forgetLock(at address: UnsafeRawPointer) { LockNames.forget(UInt(bitPattern: address)) }
}

/// Names of locks: locks of one name and level are one class. An empty name is shown, and makes no class.
///
/// Thread safety: any thread. In the child of a fork there are no names: the table may have been in another thread's hands.
package enum LockNames {
  /// Names the lock whose word is at `address`.
  ///
  /// - Parameters:
  ///   - level: of two locks of one name the lower level is taken first.
  ///   - object: where reports find the lock, if that is not its word; 0 if it is.
  /// - Note: Not while the lock is being destroyed. Costs an entry in a table, tracked or not.
  package static func name(_ address: UInt, _ name: String, level: Int? = nil, object: UInt = 0) {
    if Instruments.isForkedChild { return }
    LockWorld.lock.withLock { LockRegistry.nameAssumingLocked(address, name, level: level, object: object) }
  }

  /// The lock has no name any more, and lives on.
  package static func unname(_ address: UInt) {
    if Instruments.isForkedChild { return }
    LockWorld.lock.withLock { LockRegistry.unnameAssumingLocked(address) }
  }

  /// A named lock is no more: to be called by whoever named it, tracked or not.
  package static func forget(_ address: UInt) {
    if Instruments.isForkedChild { return }
    LockWorld.lock.withLock { LockRegistry.destroyedAssumingLocked(address) }
  }

  /// The name of the lock at `address`, its word's or its object's; nil if it has none, or there is none.
  package static func name(of address: UInt) -> String? {
    if Instruments.isForkedChild { return nil }
    return LockWorld.lock.withLock { LockRegistry.nameAssumingLocked(of: address) }
  }

  /// How a report calls the thing of `kind` at `address`: its kind, its address, and its name if it has one.
  package static func describe(_ kind: WaitKind, _ address: UInt) -> String {
    let place = "\(kind.noun) 0x\(String(address, radix: 16))"
    return name(of: address).map { "\(place) \"\($0)\"" } ?? place
  }
}
