// OSAllocatedUnfairLock.swift: Apple's unfair lock that owns its memory and what it guards. As a plain word: os_unfair_lock.swift.
public import SignalboxDiagnosis

/// Hints of how to wait for an unfair lock.
@frozen
public struct OSAllocatedUnfairLockFlags: OptionSet, Sendable {
  /// The hints as bits.
  public let rawValue: UInt32
  /// Creates a set from its bits.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Spins for as long as the holder runs before sleeping. Every wait here begins by spinning, so this changes nothing.
  public static let adaptiveSpin = OSAllocatedUnfairLockFlags(rawValue: 1)
}

/// The lock's one allocation.
// SAFETY of @unchecked: `state` is touched only by whoever holds `core`; two bodies are never inside together.
@usableFromInline final class UnfairLockStorage<State>: @unchecked Sendable {
  @usableFromInline let core = LockCore()
  // SAFETY of unchecked exclusivity: the lock is not recursive, so accesses cannot overlap.
  @exclusivity(unchecked) @usableFromInline var state: State
  @usableFromInline init(_ state: State) {
    self.state = state
    core.isMade(.unfairLock)
  }
  deinit { core.isGone() }

  @inlinable @inline(__always) func lock() { if !core.lockAtOnce() { lockSlow() } }
  @inlinable @inline(__always) func unlock() { if !core.unlock(.unfairLock) { refuseUnlock() } }

  @inline(never) @usableFromInline func lockSlow() {
    if core.isMine { LockMisuse.relock(.unfairLock, core.address) }
    core.lockSlow(.unfairLock, 0)
  }
  @inline(never) @usableFromInline func refuseUnlock() -> Never {
    LockMisuse.unlock(.unfairLock, core.address, isHeld: core.isHeld)
  }
  @inline(never) @usableFromInline func refuseAssertion(expectsOwner: Bool) -> Never {
    LockMisuse.assertion(.unfairLock, core.address, expectsOwner: expectsOwner)
  }
}

/// A mutual-exclusion lock that knows its holder and guards a value; copies are the same lock.
///
/// Not recursive: a thread that takes it twice is stopped with a message, and so is one that gives back what it does not hold.
/// One allocation when it is made, none later; no system call while nobody competes. Waiting spins some ten microseconds, then
/// sleeps. Order of service: none, but nobody is passed by for much longer than ten milliseconds.
///
/// - Note: Thread safety: any thread. A body must not suspend: the thread holds the lock, not the task.
@frozen
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  // SAFETY of @unchecked: see UnfairLockStorage; `init(uncheckedState:)` leaves what the state refers to to the caller.
  @usableFromInline let storage: UnfairLockStorage<State>

  /// Whether the calling thread holds the lock, for `precondition(_:)`.
  public enum Ownership: Hashable, Sendable {
    /// It does.
    case owner
    /// It does not.
    case notOwner
  }

  /// Creates the lock, free, around a value of any kind.
  ///
  /// - Parameter initialState: what the lock guards. If it is not `Sendable` the caller sees to it that nothing of it is used
  ///   outside the lock.
  public init(uncheckedState initialState: State) { storage = UnfairLockStorage(initialState) }

  /// Creates the lock, free, around a value.
  public init(initialState: State) where State: Sendable { storage = UnfairLockStorage(initialState) }

  /// Runs `body` with the guarded value while holding the lock, and gives the lock back however it ends.
  @inlinable
  public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
    try withLockUnchecked(body)
  }

  /// As `withLock(_:)`; `flags` are hints.
  @inlinable
  public func withLock<R: Sendable>(
    flags: OSAllocatedUnfairLockFlags, _ body: @Sendable (inout State) throws -> R
  ) rethrows -> R { try withLockUnchecked(body) }

  /// Runs `body` with the guarded value while holding the lock; what goes in and out of it is not checked.
  @inlinable
  public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
    storage.lock()
    defer { storage.unlock() }
    return try body(&storage.state)
  }

  /// As `withLockUnchecked(_:)`; `flags` are hints.
  @inlinable
  public func withLockUnchecked<R>(
    flags: OSAllocatedUnfairLockFlags, _ body: (inout State) throws -> R
  ) rethrows -> R { try withLockUnchecked(body) }

  /// Runs `body` as `withLock(_:)` does if nobody holds the lock.
  ///
  /// - Returns: what `body` returns; nil, and it has not run, if the lock is held, by the calling thread too.
  @inlinable
  public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
    try withLockIfAvailableUnchecked(body)
  }

  /// As `withLockIfAvailable(_:)`; what goes in and out of `body` is not checked.
  @inlinable
  public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
    guard storage.core.tryLock(.unfairLock) else { return nil }
    defer { storage.unlock() }
    return try body(&storage.state)
  }

  /// Stops the program unless the calling thread holds the lock (`.owner`) or does not (`.notOwner`), in every build.
  @inlinable
  public func precondition(_ condition: Ownership) {
    let expectsOwner = condition == .owner
    if storage.core.isMine != expectsOwner { storage.refuseAssertion(expectsOwner: expectsOwner) }
  }
}
