// OSAllocatedUnfairLock+Plain.swift: the unfair lock that guards no value of its own: lock and unlock by hand, bodies without one.
public import SignalboxDiagnosis

extension OSAllocatedUnfairLock where State == () {
  /// Creates the lock, free.
  public init() { self.init(uncheckedState: ()) }

  /// Takes the lock, waiting as long as it takes.
  ///
  /// - Precondition: the calling thread does not hold it; the program is stopped otherwise.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLock(_:)")
  @inlinable public func lock() { storage.lock() }

  /// As `lock()`; `flags` are hints.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLock(_:)")
  @inlinable public func lock(flags: OSAllocatedUnfairLockFlags) { storage.lock() }

  /// Takes the lock if nobody holds it.
  ///
  /// - Returns: whether it was taken; false if the calling thread holds it already.
  @available(
    *, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLockIfAvailable(_:)"
  )
  @inlinable public func lockIfAvailable() -> Bool { storage.core.tryLock(.unfairLock) }

  /// Gives the lock back.
  ///
  /// - Precondition: the calling thread holds it; the program is stopped otherwise.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLock(_:)")
  @inlinable public func unlock() { storage.unlock() }

  /// Runs `body` while holding the lock, and gives the lock back however it ends.
  @inlinable
  public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R { try withLockUnchecked(body) }

  /// As `withLock(_:)`; `flags` are hints.
  @inlinable
  public func withLock<R: Sendable>(
    flags: OSAllocatedUnfairLockFlags, _ body: @Sendable () throws -> R
  ) rethrows -> R { try withLockUnchecked(body) }

  /// Runs `body` while holding the lock; what goes in and out of it is not checked.
  @inlinable
  public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
    storage.lock()
    defer { storage.unlock() }
    return try body()
  }

  /// As `withLockUnchecked(_:)`; `flags` are hints.
  @inlinable
  public func withLockUnchecked<R>(flags: OSAllocatedUnfairLockFlags, _ body: () throws -> R) rethrows -> R {
    try withLockUnchecked(body)
  }

  /// Runs `body` as `withLock(_:)` does if nobody holds the lock; nil, and it has not run, if somebody does.
  @inlinable
  public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
    try withLockIfAvailableUnchecked(body)
  }

  /// As `withLockIfAvailable(_:)`; what goes in and out of `body` is not checked.
  @inlinable
  public func withLockIfAvailableUnchecked<R>(_ body: () throws -> R) rethrows -> R? {
    guard storage.core.tryLock(.unfairLock) else { return nil }
    defer { storage.unlock() }
    return try body()
  }
}
