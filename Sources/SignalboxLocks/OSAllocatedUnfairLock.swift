// OSAllocatedUnfairLock.swift: Apple's unfair lock that owns its memory and what it guards. As a plain word: os_unfair_lock.swift.
import SignalboxWaits
public import SignalboxWords

/// Hints about how to wait for an unfair lock.
///
/// ```swift
/// let log = OSAllocatedUnfairLock()
/// log.withLock(flags: .adaptiveSpin) { print("no other thread is here") }
/// ```
@frozen
public struct OSAllocatedUnfairLockFlags: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt32
  /// Creates the set from its bits.
  ///
  /// ```swift
  /// let flags = OSAllocatedUnfairLockFlags(rawValue: 1)
  /// print(flags == .adaptiveSpin, flags.rawValue)  // true 1
  /// ```
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Spin before sleeping while the holder is running. Every wait here spins first, so the flag changes nothing.
  ///
  /// ```swift
  /// let count = OSAllocatedUnfairLock(initialState: 0)
  /// count.withLock(flags: .adaptiveSpin) { $0 += 1 }
  /// ```
  public static let adaptiveSpin = OSAllocatedUnfairLockFlags(rawValue: 1)
}

/// The lock's one allocation.
// SAFETY of @unchecked: `state` is touched only by the thread that holds `core`; two bodies are never inside together.
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

/// A mutex that knows its holder and guards a value; copies refer to the same lock.
///
/// The lock is not recursive. Locking it twice on one thread, or unlocking it on a thread that does not hold it, stops the
/// program with a message. Creating it takes one allocation; using it takes none, and no system call while threads do not
/// compete. A waiting thread spins for about ten microseconds and then sleeps. The order of service is not fair, but no thread
/// waits much longer than ten milliseconds for its turn.
///
/// ```swift
/// let count = OSAllocatedUnfairLock(initialState: 0)
/// await withTaskGroup(of: Void.self) { group in
///   for _ in 1...100 { group.addTask { count.withLock { $0 += 1 } } }
/// }
/// print(count.withLock { $0 })  // 100
/// ```
///
/// - Note: Thread safety: any thread. The lock is held by a thread, not by a task: a body must not suspend.
@frozen
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  // SAFETY of @unchecked: see UnfairLockStorage; `init(uncheckedState:)` leaves what the state refers to to the caller.
  @usableFromInline let storage: UnfairLockStorage<State>

  /// A condition for `precondition(_:)`: whether the calling thread holds the lock.
  ///
  /// ```swift
  /// let count = OSAllocatedUnfairLock(initialState: 0)
  /// count.withLock {
  ///   count.precondition(.owner)  // stops the program unless this thread holds the lock
  ///   $0 += 1
  /// }
  /// count.precondition(.notOwner)
  /// ```
  public enum Ownership: Hashable, Sendable {
    /// The calling thread holds the lock.
    case owner
    /// The calling thread does not hold the lock.
    case notOwner
  }

  /// Creates a free lock around a value of any type.
  ///
  /// - Parameter initialState: the guarded value. If it is not `Sendable`, the caller makes sure that no part of it is used
  ///   outside of the lock.
  public init(uncheckedState initialState: State) { storage = UnfairLockStorage(initialState) }

  /// Creates a free lock around a value.
  public init(initialState: State) where State: Sendable { storage = UnfairLockStorage(initialState) }

  /// Runs `body` with the guarded value while holding the lock, and releases the lock also if `body` throws.
  @inlinable
  public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
    try withLockUnchecked(body)
  }

  /// Like `withLock(_:)`; `flags` is only a hint.
  @inlinable
  public func withLock<R: Sendable>(
    flags: OSAllocatedUnfairLockFlags, _ body: @Sendable (inout State) throws -> R
  ) rethrows -> R { try withLockUnchecked(body) }

  /// Runs `body` with the guarded value while holding the lock, without requiring that `body` and its result are `Sendable`.
  @inlinable
  public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
    storage.lock()
    defer { storage.unlock() }
    return try body(&storage.state)
  }

  /// Like `withLockUnchecked(_:)`; `flags` is only a hint.
  @inlinable
  public func withLockUnchecked<R>(
    flags: OSAllocatedUnfairLockFlags, _ body: (inout State) throws -> R
  ) rethrows -> R { try withLockUnchecked(body) }

  /// Like `withLock(_:)`, if no thread holds the lock.
  ///
  /// - Returns: the result of `body`; nil, without running `body`, if any thread holds the lock, including the calling one.
  @inlinable
  public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
    try withLockIfAvailableUnchecked(body)
  }

  /// Like `withLockIfAvailable(_:)`, without requiring that `body` and its result are `Sendable`.
  @inlinable
  public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
    guard storage.core.tryLock(.unfairLock) else { return nil }
    defer { storage.unlock() }
    return try body(&storage.state)
  }

  /// Stops the program, in every build configuration, unless the calling thread holds the lock (`.owner`) or does not hold it
  /// (`.notOwner`).
  @inlinable
  public func precondition(_ condition: Ownership) {
    let expectsOwner = condition == .owner
    if storage.core.isMine != expectsOwner { storage.refuseAssertion(expectsOwner: expectsOwner) }
  }
}
