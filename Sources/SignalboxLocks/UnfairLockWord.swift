// UnfairLockWord.swift: `os_unfair_lock`: a plain word of the caller's, used as a lock by its address.
public import SignalboxDiagnosis

/// The word of an unfair lock, free when it is made. All zero bits are a free lock.
///
/// It is used through its address only, which must stay the same, and the memory alive, while any thread uses the lock. A copy
/// is another lock. In Swift that takes memory of one's own (`UnsafeMutablePointer.allocate`); `OSAllocatedUnfairLock` has it.
///
/// Nobody tells when such a lock begins and ends. If locks are watched, `LockOrder.forgetLock(at:)` before its memory is freed
/// keeps its orders from the next lock in that place; `LockOrder.nameLock(at:_:level:)` gives it a name.
@frozen
public struct os_unfair_lock_s: Sendable {
  /// The lock's state; not to be looked at.
  public var _os_unfair_lock_opaque: UInt32
  /// A free lock.
  @inlinable public init() { _os_unfair_lock_opaque = 0 }
}

/// The word of an unfair lock.
public typealias os_unfair_lock = os_unfair_lock_s
/// Where an unfair lock is.
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

extension UnsafeMutablePointer where Pointee == os_unfair_lock_s {
  // SAFETY: SmallLockCore is one atomic word, laid out as this one; the caller keeps the memory, and while it is a lock it is
  // touched as an atomic only.
  @inlinable @inline(__always) var core: UnsafePointer<SmallLockCore> {
    UnsafeRawPointer(self).assumingMemoryBound(to: SmallLockCore.self)
  }
}

/// Takes the lock at `lock`, waiting as long as it takes: spinning some ten microseconds, then asleep.
///
/// - Precondition: the calling thread does not hold it; the program is stopped otherwise.
/// - Note: Thread safety: any thread. No allocation; no system call while nobody competes.
@available(*, noasync, message: "a task may go on on another thread: use OSAllocatedUnfairLock.withLock(_:)")
@inlinable
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {
  if !lock.core.pointee.lockAtOnce() { unfairLockSlow(lock) }
}

/// Takes the lock at `lock` if nobody holds it; false if somebody does, the calling thread included.
@available(*, noasync, message: "a task may go on on another thread: use OSAllocatedUnfairLock.withLockIfAvailable(_:)")
@inlinable
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool { lock.core.pointee.tryLock(.unfairLock) }

/// Gives back the lock at `lock`.
///
/// - Precondition: the calling thread holds it; the program is stopped otherwise.
@available(*, noasync, message: "a task may go on on another thread: use OSAllocatedUnfairLock.withLock(_:)")
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
