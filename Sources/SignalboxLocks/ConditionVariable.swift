// ConditionVariable.swift: a lock and a condition in one value. The classes of Foundation's names are in SignalboxClasses.
import SignalboxWaits
import SignalboxSystem
public import SignalboxWords

/// A mutex together with a condition variable: the holder can wait until another thread signals that something has changed.
///
///     condition.withLock {
///       while queue.isEmpty { condition.wait() }
///       return queue.removeFirst()
///     }
///
/// Never allocates, and makes no system call while threads neither compete nor wait. `wait()` returns only after a signal or at
/// its deadline, but another thread may have run first: check the state again, in a loop as above.
///
/// A value has no address before it is stored, so lock-order validation treats each variable as a class of its own, known by its
/// address.
///
/// Thread safety: any thread.
public struct ConditionVariable: ~Copyable, Sendable {
  @usableFromInline let lock = LockCore()
  @usableFromInline let waiters = ConditionCore()
  /// Creates a free lock that nobody waits for.
  @inlinable public init() {}

  /// Runs `body` while holding the lock. A nested call by the same thread stops the program.
  @inlinable
  public borrowing func withLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    if !lock.lockFast() { lockSlow() }
    defer { unlock() }
    return try body()
  }

  /// Releases the lock, waits for a signal, and acquires the lock again.
  ///
  /// - Precondition: the calling thread is inside `withLock`; otherwise the program is stopped.
  /// - Note: Memory: writes made under the lock before the signal are visible when this returns.
  public borrowing func wait() { _ = wait(until: .never) }

  /// Waits like `wait()`, but no longer than until `deadline`.
  ///
  /// - Returns: true if a signal arrived before the deadline. The lock is held in either case. If the deadline has passed, this returns at once.
  @discardableResult
  public borrowing func wait(until deadline: LockDeadline) -> Bool {
    guard lock.isMine else {
      Misuse.stop("a ConditionVariable was waited for by a thread that does not hold its lock: call wait inside withLock")
    }
    return waiters.wait(lock, .condition, object: lock.address, until: deadline)
  }

  /// Wakes the thread that has waited longest, if there is one. May be called inside or outside of `withLock`.
  @inlinable public borrowing func signal() { waiters.signal(lock) }

  /// Wakes all threads that wait now; they continue one after another as the lock becomes free.
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
