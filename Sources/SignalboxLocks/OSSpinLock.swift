// OSSpinLock.swift: the spin lock that Apple has withdrawn, for sources that still name it. Use an unfair lock in its place.
import SignalboxWaits

/// The word of a spin lock, used by its address; `OS_SPINLOCK_INIT` is a free one. What `os_unfair_lock_s` says of validation and
/// names holds here.
///
/// ```swift
/// let count = OSAllocatedUnfairLock(initialState: 0)  // in place of a spin lock and the value that it guards
/// count.withLock { $0 += 1 }
/// ```
@available(
  *, deprecated, renamed: "os_unfair_lock",
  message:
    "threads that spin can keep the holder, of lower priority, off the processors (priority inversion); use an unfair lock"
)
public typealias OSSpinLock = Int32

/// A free spin lock.
@available(
  *, deprecated,
  message:
    "threads that spin can keep the holder, of lower priority, off the processors (priority inversion); use an unfair lock"
)
public let OS_SPINLOCK_INIT: Int32 = 0

/// Takes the spin lock at `lock`, waiting as long as it takes.
///
/// Apple's spins for as long as it takes. This one spins some ten microseconds and then sleeps, so that a holder that has lost
/// its processor gets it back; the lock therefore costs no more than an unfair lock, and no less. The holder taking it again,
/// which would spin forever, stops the program.
///
/// - Note: Thread safety: any thread. No allocation; no system call while threads do not compete.
@available(
  *, deprecated, renamed: "os_unfair_lock_lock",
  message:
    "threads that spin can keep the holder, of lower priority, off the processors (priority inversion); use an unfair lock"
)
public func OSSpinLockLock(_ lock: UnsafeMutablePointer<OSSpinLock>) {
  if lock.spinCore.pointee.lockAtOnce() { return }
  if lock.spinCore.pointee.isMine { LockMisuse.relock(.spinLock, lock.spinCore.pointee.address) }
  lock.spinCore.pointee.lockSlow(.spinLock)
}

/// Takes the spin lock at `lock` if no thread holds it.
@available(
  *, deprecated, renamed: "os_unfair_lock_trylock",
  message:
    "threads that spin can keep the holder, of lower priority, off the processors (priority inversion); use an unfair lock"
)
public func OSSpinLockTry(_ lock: UnsafeMutablePointer<OSSpinLock>) -> Bool { lock.spinCore.pointee.tryLock(.spinLock) }

/// Makes the spin lock at `lock` free, whichever thread holds it; nothing happens if none does. As on Apple's
/// platforms.
@available(
  *, deprecated, renamed: "os_unfair_lock_unlock",
  message:
    "threads that spin can keep the holder, of lower priority, off the processors (priority inversion); use an unfair lock"
)
public func OSSpinLockUnlock(_ lock: UnsafeMutablePointer<OSSpinLock>) {
  if !lock.spinCore.pointee.unlock(.spinLock) { _ = lock.spinCore.pointee.unlockForAnybody(.spinLock) }
}

extension UnsafeMutablePointer where Pointee == Int32 {
  // SAFETY: SmallLockCore is one atomic word of the size and alignment of this one; the caller keeps the memory, and while it is a
  // lock it is touched as an atomic only.
  fileprivate var spinCore: UnsafePointer<SmallLockCore> { UnsafeRawPointer(self).assumingMemoryBound(to: SmallLockCore.self) }
}
