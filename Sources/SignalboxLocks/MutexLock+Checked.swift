// MutexLock+Checked.swift: the error-checking mutex's refusals, and the forms that throw them.
import SignalboxSystem

/// Why an error-checking mutex refused.
@frozen
public enum MutexError: Error, Hashable, Sendable {
  /// The calling thread holds the lock already: it would wait for itself. POSIX's `EDEADLK`.
  case deadlock
  /// The calling thread does not hold the lock. POSIX's `EPERM`.
  case notOwner

  /// The system's number for it.
  public var code: Int32 {
    switch self {
    case .deadlock: ErrorNumber.deadlock
    case .notOwner: ErrorNumber.notPermitted
    }
  }
}

extension MutexLock {
  /// Takes the lock, waiting as long as it takes.
  ///
  /// - Throws: `.deadlock` if the lock is error-checking and the calling thread holds it; the lock stays as it was. A normal
  ///   lock stops the program then, a recursive one is taken again.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLock(_:)")
  public func lockChecked() throws(MutexError) {
    if let error = inner.core.lockAtOnce() ? nil : lockSlow() { throw error }
  }

  /// As `lockChecked()`, waiting at most until `deadline`.
  ///
  /// - Returns: whether the lock was taken.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLock(_:)")
  public func lockChecked(until deadline: LockDeadline) throws(MutexError) -> Bool {
    if kind == .errorCheck, inner.isMine { throw .deadlock }
    return lock(until: deadline)
  }

  /// Gives the lock back.
  ///
  /// - Throws: `.notOwner` if the lock is error-checking and the calling thread does not hold it; the lock stays as it was. The
  ///   other kinds stop the program then.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLock(_:)")
  public func unlockChecked() throws(MutexError) {
    if !inner.unlock(waitKind) { throw refusal() }
  }
}
