// LockOrder+Names.swift: the program's names for locks that are plain words. Those of objects are LockNames.swift (SignalboxWaits).
import SignalboxWaits

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
