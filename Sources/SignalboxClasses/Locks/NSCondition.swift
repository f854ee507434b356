// NSCondition.swift: Foundation's lock whose holder can wait for a signal. One that waits for a number is NSConditionLock.swift.
public import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

/// A mutex together with a condition variable: the holder can wait until another thread signals that something has changed.
///
/// Never allocates, and makes no system call while threads neither compete nor wait. `wait()` returns only after a signal to
/// this thread or at its deadline, but another thread may acquire the lock first: check the state again, in a loop.
///
/// Thread safety: any thread. Memory: writes of the previous holder are visible to the next.
///
/// ```swift
/// let condition = NSCondition()
/// nonisolated(unsafe) var isReady = false  // guarded by `condition`
/// Thread.detachNewThread {
///   condition.withLock { isReady = true; condition.signal() }
/// }
/// condition.withLock { while !isReady { condition.wait() } }
/// print("ready")
/// ```
// SAFETY of @unchecked: the state is atomic words; what else an object has of a subclass is the subclass's business.
open class NSCondition: NSObject, NSLocking, @unchecked Sendable {
  final let core = LockCore()
  private final let waiters = ConditionCore()
  private final let traits = LockTraits()
  final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Creates the condition with a free lock and without a name.
  public override init() {
    super.init()
    core.isMade(.nsCondition)
    if _slowPath(!Instruments.areOff) { waiters.isMade() }
  }
  deinit { traits.isGone(core) }

  /// Class, address, name and current holder. Thread safety: any thread. Meant for people: the wording may change.
  ///
  /// ```swift
  /// let condition = NSCondition()
  /// condition.name = "mail"
  /// print(condition)  // <NSCondition: 0x…>{name = "mail", free}
  /// ```
  open override var description: String { core.text(.nsCondition, object: address) }

  /// The name shown in reports; nil at first. Thread safety: any thread.
  open var name: String? {
    get { traits.name(of: core.address) }
    set { traits.setName(newValue, of: core.address, object: address) }
  }

  /// Acquires the lock; blocks until it is free. A thread that already holds it is stopped, and the program with it.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func lock() { if !core.lockFast() { lockSlow() } }

  /// Releases the lock.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func unlock() { if !waiters.unlock(core, .nsCondition, object: address) { unlockForOwner() } }

  /// Releases the lock, waits for a signal, and acquires the lock again.
  ///
  /// - Precondition: the calling thread holds the lock; otherwise the program is stopped.
  @available(*, noasync, message: "a task must not block its thread")
  open func wait() { _ = wait(.never) }

  /// Like `wait()`, but waits at most until `limit` on the wall clock.
  ///
  /// - Returns: whether a signal arrived in time. The lock is held in either case. A date that has passed returns at once.
  @available(*, noasync, message: "a task must not block its thread")
  open func wait(until limit: Date) -> Bool { wait(LockDeadline(limit)) }

  /// Wakes the thread that has waited longest, if there is one. The caller may hold the lock.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func signal() { waiters.signal(core) }

  /// Wakes all threads that wait now; they continue one after another as the lock becomes free. The caller may hold the lock.
  open func broadcast() { waiters.broadcast(core) }

  private final func wait(_ deadline: LockDeadline) -> Bool {
    guard core.isMine else { LockClassMisuse.waitWithoutLock(address) }
    return waiters.wait(core, .nsCondition, object: address, until: deadline, traits.trust)
  }

  @inline(never)
  final func lockSlow() {
    let trust = traits.trust
    if trust == .certain, core.isMine { LockClassMisuse.relock(.nsCondition, address, word: core.address) }
    _ = core.lock(.nsCondition, object: address, until: .never, trust)
  }

  @inline(never)
  private final func unlockForOwner() {
    LockClassMisuse.unlockedByStranger(.nsCondition, address, traits)
    waiters.unlockForAnybody(core, .nsCondition)
  }
}
