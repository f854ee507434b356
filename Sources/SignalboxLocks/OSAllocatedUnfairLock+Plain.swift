// OSAllocatedUnfairLock+Plain.swift: the unfair lock that guards no value of its own: lock and unlock by hand, bodies without one.
import SignalboxWaits
public import SignalboxWords

extension OSAllocatedUnfairLock where State == () {
  /// Creates a free lock.
  public init() { self.init(uncheckedState: ()) }

  /// Acquires the lock; blocks until it is free.
  ///
  /// - Precondition: the calling thread does not hold it; otherwise the program is stopped.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  @inlinable public func lock() { storage.lock() }

  /// Like `lock()`; `flags` is only a hint.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  @inlinable public func lock(flags: OSAllocatedUnfairLockFlags) { storage.lock() }

  /// Takes the lock if no thread holds it.
  ///
  /// - Returns: whether it was taken; false if the calling thread holds it already.
  @available(
    *, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLockIfAvailable(_:)"
  )
  @inlinable public func lockIfAvailable() -> Bool { storage.core.tryLock(.unfairLock) }

  /// Releases the lock.
  ///
  /// - Precondition: the calling thread holds it; otherwise the program is stopped.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  @inlinable public func unlock() { storage.unlock() }

  /// Runs `body` while holding the lock, and releases the lock also if `body` throws.
  @inlinable
  public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R { try withLockUnchecked(body) }

  /// Like `withLock(_:)`; `flags` is only a hint.
  @inlinable
  public func withLock<R: Sendable>(
    flags: OSAllocatedUnfairLockFlags, _ body: @Sendable () throws -> R
  ) rethrows -> R { try withLockUnchecked(body) }

  /// Runs `body` while holding the lock, without requiring that `body` and its result are `Sendable`.
  @inlinable
  public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
    storage.lock()
    defer { storage.unlock() }
    return try body()
  }

  /// Like `withLockUnchecked(_:)`; `flags` is only a hint.
  @inlinable
  public func withLockUnchecked<R>(flags: OSAllocatedUnfairLockFlags, _ body: () throws -> R) rethrows -> R {
    try withLockUnchecked(body)
  }

  /// Like `withLock(_:)` if no thread holds the lock; otherwise returns nil without running `body`.
  @inlinable
  public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
    try withLockIfAvailableUnchecked(body)
  }

  /// Like `withLockIfAvailable(_:)`, without requiring that `body` and its result are `Sendable`.
  @inlinable
  public func withLockIfAvailableUnchecked<R>(_ body: () throws -> R) rethrows -> R? {
    guard storage.core.tryLock(.unfairLock) else { return nil }
    defer { storage.unlock() }
    return try body()
  }
}
