// MutexLock+Checked.swift: the error-checking mutex's refusals, and the forms that throw them.
import SignalboxSystem

/// The error of an error-checking mutex.
@frozen
public enum MutexError: Error, Hashable, Sendable {
  /// The calling thread already holds the lock and would wait for itself. POSIX's `EDEADLK`.
  case deadlock
  /// The calling thread does not hold the lock. POSIX's `EPERM`.
  case notOwner

  /// The matching `errno` value.
  public var code: Int32 {
    switch self {
    case .deadlock: ErrorNumber.deadlock
    case .notOwner: ErrorNumber.notPermitted
    }
  }
}

extension MutexLock {
  /// Acquires the lock; blocks until it is free.
  ///
  /// - Throws: `.deadlock` if the lock is error-checking and the calling thread holds it; the lock is unchanged. In the same
  ///   case a normal lock stops the program, and a recursive one is acquired again.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  public func lockChecked() throws(MutexError) {
    if let error = inner.core.lockAtOnce() ? nil : lockSlow() { throw error }
  }

  /// Acquires the lock like `lockChecked()`, but waits no longer than until `deadline`.
  ///
  /// - Returns: true if the lock was acquired before the deadline.
  /// - Throws: `.deadlock` if the lock is error-checking and the calling thread holds it.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  public func lockChecked(until deadline: LockDeadline) throws(MutexError) -> Bool {
    if kind == .errorCheck, inner.isMine { throw .deadlock }
    return lock(until: deadline)
  }

  /// Releases the lock.
  ///
  /// - Throws: `.notOwner` if the lock is error-checking and the calling thread does not hold it; the lock is unchanged. In the
  ///   same case the other kinds stop the program.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  public func unlockChecked() throws(MutexError) {
    if !inner.unlock(waitKind) { throw refusal() }
  }
}
