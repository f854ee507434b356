// ConditionVariable.swift: a lock and a condition in one value. The classes of Foundation's names are in SignalboxClasses.
import SignalboxDiagnosis
import SignalboxSystem

/// A mutual-exclusion lock whose holder can wait until another thread says that something has changed.
///
///     condition.withLock {
///       while queue.isEmpty { condition.wait() }
///       return queue.removeFirst()
///     }
///
/// Never allocates; no system call while nobody competes or waits. A thread returns from a wait only because it was signalled
/// or its time has come, but another may have been faster: look at the state again.
///
/// A value has no place before it is stored, so to lock-order validation each one is a lock of its own, by its address.
///
/// Thread safety: any thread.
public struct ConditionVariable: ~Copyable, Sendable {
  @usableFromInline let lock = LockCore()
  @usableFromInline let waiters = ConditionCore()
  /// Creates the lock, free, with nobody waiting.
  @inlinable public init() {}

  /// Runs `body` while holding the lock. A second entry by the same thread stops the program.
  @inlinable
  public borrowing func withLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    if !lock.lockFast() { lockSlow() }
    defer { unlock() }
    return try body()
  }

  /// Gives the lock back, waits for a signal, and takes the lock again.
  ///
  /// - Precondition: the calling thread is inside `withLock`; otherwise the program is stopped.
  /// - Note: Memory: what was written under the lock before the signal is visible after this return.
  public borrowing func wait() { _ = wait(until: .never) }

  /// As `wait()`, but at most until `deadline`.
  ///
  /// - Returns: whether a signal came in time. The lock is held either way; past deadlines answer at once.
  @discardableResult
  public borrowing func wait(until deadline: LockDeadline) -> Bool {
    guard lock.isMine else {
      Misuse.stop("a ConditionVariable was waited for by a thread that does not hold its lock: call wait inside withLock")
    }
    return waiters.wait(lock, .condition, object: lock.address, until: deadline)
  }

  /// Wakes the thread that has waited longest, if any. Inside or outside of `withLock`.
  @inlinable public borrowing func signal() { waiters.signal(lock) }

  /// Wakes all threads that wait now, one after the other as the lock becomes free.
  @inlinable public borrowing func broadcast() { waiters.broadcast(lock) }

  @inline(never) @usableFromInline borrowing func lockSlow() {
    if lock.isMine {
      Misuse.stop(
        "deadlock of one thread: ConditionVariable.withLock inside withLock of the same one: leave the outer one first")
    }
    lock.lock(.condition)
  }

  @inlinable borrowing func unlock() { _ = waiters.unlock(lock, .condition, object: 0) }
}
