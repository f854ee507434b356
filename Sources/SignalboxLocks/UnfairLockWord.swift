// UnfairLockWord.swift: `os_unfair_lock`: a plain word of the caller's, used as a lock by its address.
import SignalboxWaits
public import SignalboxWords

/// The storage of an unfair lock. All bits zero mean a free lock.
///
/// Use it only through its address: the address must stay the same, and the memory alive, while any thread uses the lock. A
/// copy is another lock. In Swift this requires memory from `UnsafeMutablePointer.allocate`; `OSAllocatedUnfairLock` manages it
/// for you.
///
/// Signalbox does not know when such a lock is created or destroyed. If lock-order validation is on, call
/// `LockOrder.forgetLock(at:)` before the memory is freed, so that a new lock at the same address does not inherit its orders.
/// `LockOrder.nameLock(at:_:level:)` gives the lock a name.
///
/// ```swift
/// let lock = os_unfair_lock_t.allocate(capacity: 1)  // one place in memory, as in C
/// lock.initialize(to: os_unfair_lock())
/// func enter() { os_unfair_lock_lock(lock); print("no other thread is here"); os_unfair_lock_unlock(lock) }
/// enter()
/// lock.deallocate()
/// ```
@frozen
public struct os_unfair_lock_s: Sendable {
  /// The lock's state. Do not read or write it.
  public var _os_unfair_lock_opaque: UInt32
  /// Creates a free lock.
  @inlinable public init() { _os_unfair_lock_opaque = 0 }
}

/// The storage of an unfair lock.
public typealias os_unfair_lock = os_unfair_lock_s
/// The address of an unfair lock.
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

extension UnsafeMutablePointer where Pointee == os_unfair_lock_s {
  // SAFETY: SmallLockCore is one atomic word, laid out as this one; the caller keeps the memory, and while it is a lock it is
  // touched as an atomic only.
  @inlinable @inline(__always) var core: UnsafePointer<SmallLockCore> {
    UnsafeRawPointer(self).assumingMemoryBound(to: SmallLockCore.self)
  }
}

/// Acquires the lock at `lock`. A waiting thread spins for about ten microseconds and then sleeps.
///
/// - Precondition: the calling thread does not hold it; otherwise the program is stopped.
/// - Note: Thread safety: any thread. No allocation; no system call while threads do not compete.
@available(*, noasync, message: "a task may resume on another thread: use OSAllocatedUnfairLock.withLock(_:)")
@inlinable
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {
  if !lock.core.pointee.lockAtOnce() { unfairLockSlow(lock) }
}

/// Acquires the lock at `lock` if it is free; returns false if any thread holds it, including the calling one.
@available(*, noasync, message: "a task may resume on another thread: use OSAllocatedUnfairLock.withLockIfAvailable(_:)")
@inlinable
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool { lock.core.pointee.tryLock(.unfairLock) }

/// Releases the lock at `lock`.
///
/// - Precondition: the calling thread holds it; otherwise the program is stopped.
@available(*, noasync, message: "a task may resume on another thread: use OSAllocatedUnfairLock.withLock(_:)")
@inlinable
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {
  if !lock.core.pointee.unlock(.unfairLock) { unfairUnlockRefused(lock) }
}

/// Stops the program unless the calling thread holds the lock at `lock`.
public func os_unfair_lock_assert_owner(_ lock: os_unfair_lock_t) {
  if !lock.core.pointee.isMine { LockMisuse.assertion(.unfairLock, lock.core.pointee.address, expectsOwner: true) }
}

/// Stops the program if the calling thread holds the lock at `lock`.
public func os_unfair_lock_assert_not_owner(_ lock: os_unfair_lock_t) {
  if lock.core.pointee.isMine { LockMisuse.assertion(.unfairLock, lock.core.pointee.address, expectsOwner: false) }
}

@inline(never) @usableFromInline
func unfairLockSlow(_ lock: os_unfair_lock_t) {
  if lock.core.pointee.isMine { LockMisuse.relock(.unfairLock, lock.core.pointee.address) }
  lock.core.pointee.lockSlow(.unfairLock)
}

@inline(never) @usableFromInline
func unfairUnlockRefused(_ lock: os_unfair_lock_t) -> Never {
  LockMisuse.unlock(.unfairLock, lock.core.pointee.address, isHeld: lock.core.pointee.isHeld)
}
