// ConditionVariable.swift: a lock and a condition in one value. The classes of Foundation's names are in SignalboxClasses.
import SignalboxWaits
import SignalboxSystem
public import SignalboxWords

/// A mutex together with a condition variable: the holder can wait until another thread signals that something has changed.
///
/// Never allocates, and makes no system call while threads neither compete nor wait. `wait()` returns only after a signal or at
/// its deadline, but another thread may have run first: check the state again, in a loop as below.
///
/// A value has no address before it is stored, so lock-order validation treats each variable as a class of its own, known by its
/// address.
///
/// Thread safety: any thread.
///
/// ```swift file
/// final class Mailbox: Sendable {
///   private let changed = ConditionVariable()
///   nonisolated(unsafe) private var letters: [String] = []  // guarded by `changed`
///   func put(_ letter: String) { changed.withLock { letters.append(letter) }; changed.signal() }
///   func take() -> String {
///     changed.withLock { () -> String in while letters.isEmpty { changed.wait() }; return letters.removeFirst() }
///   }
/// }
/// ```
public struct ConditionVariable: ~Copyable, Sendable {
  @usableFromInline let lock = LockCore()
  @usableFromInline let waiters = ConditionCore()
  /// Creates a free lock that no thread waits for.
  ///
  /// ```swift
  /// let filled = ConditionVariable()
  /// filled.withLock { print("no other thread is here") }
  /// ```
  @inlinable public init() {}

  /// Runs `body` while holding the lock. A nested call by the same thread stops the program.
  ///
  /// ```swift file
  /// final class Counter: Sendable {
  ///   private let changed = ConditionVariable()
  ///   nonisolated(unsafe) private var value = 0  // guarded by `changed`
  ///   func increment() -> Int {
  ///     changed.withLock { () -> Int in value += 1; return value }
  ///   }
  /// }
  /// ```
  ///
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws; the lock is released.
  @inlinable
  public borrowing func withLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    if !lock.lockFast() { lockSlow() }
    defer { unlock() }
    return try body()
  }

  /// Releases the lock, waits for a signal, and acquires the lock again.
  ///
  /// ```swift file
  /// final class Latch: Sendable {
  ///   private let changed = ConditionVariable()
  ///   nonisolated(unsafe) private var isOpen = false  // guarded by `changed`
  ///   func open() { changed.withLock { isOpen = true }; changed.broadcast() }
  ///   func wait() { changed.withLock { while !isOpen { changed.wait() } } }
  /// }
  /// ```
  ///
  /// - Precondition: the calling thread is inside `withLock`; otherwise the program is stopped.
  /// - Note: Memory: writes made under the lock before the signal are visible when this returns.
  public borrowing func wait() { _ = wait(until: .never) }

  /// Waits like `wait()`, but no longer than until `deadline`.
  ///
  /// ```swift
  /// let answered = ConditionVariable()
  /// let isAnswered = answered.withLock { answered.wait(until: .after(.milliseconds(10))) }
  /// print(isAnswered)  // false: no thread signals
  /// ```
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
  ///
  /// ```swift
  /// let filled = ConditionVariable()
  /// var letters: [String] = []  // guarded by `filled`
  /// filled.withLock { letters.append("hello") }
  /// filled.signal()  // one waiting thread takes it
  /// print(letters.count)
  /// ```
  @inlinable public borrowing func signal() { waiters.signal(lock) }

  /// Wakes all threads that wait now; they continue one after another as the lock becomes free.
  ///
  /// ```swift
  /// let changed = ConditionVariable()
  /// var isStopping = false  // guarded by `changed`
  /// changed.withLock { isStopping = true }
  /// changed.broadcast()  // each waiting thread checks the flag again
  /// print(isStopping)
  /// ```
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
