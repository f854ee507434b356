// NSCondition.swift: Foundation's lock whose holder can wait for a signal. One that waits for a number is NSConditionLock.swift.
public import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

/// A lock and a condition: the holder can give the lock back until another thread says that something has changed.
///
/// No allocation ever, no system call while nobody competes or waits. A wait returns only because a signal reached this thread or
/// its time has come; but another thread may have been faster to the lock: look at the state again.
///
/// Thread safety: any thread. Memory: what the last holder wrote is visible to the next.
// SAFETY of @unchecked: the state is atomic words; what else an object has of a subclass is the subclass's business.
open class NSCondition: NSObject, NSLocking, @unchecked Sendable {
  final let core = LockCore()
  private final let waiters = ConditionCore()
  private final let traits = LockTraits()
  final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Creates the condition, its lock free, without a name.
  public override init() {
    super.init()
    core.isMade(.nsCondition)
  }
  deinit { traits.isGone(core) }

  /// Class, address, name, and who holds the lock at this moment. Thread safety: any thread. For people: the words may change.
  open override var description: String { core.text(.nsCondition, object: address) }

  /// What reports call the condition; nil at first. Thread safety: any thread.
  open var name: String? {
    get { traits.name(of: core.address) }
    set { traits.setName(newValue, of: core.address, object: address) }
  }

  /// Takes the lock, waiting as long as it takes. A thread that holds it already stops the program.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func lock() { if !core.lockFast() { lockSlow() } }

  /// Gives the lock back.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func unlock() { if !waiters.unlock(core, .nsCondition, object: address) { unlockForOwner() } }

  /// Gives the lock back, waits for a signal, and takes the lock again.
  ///
  /// - Precondition: the calling thread holds the lock; otherwise the program is stopped.
  @available(*, noasync, message: "a task must not block its thread")
  open func wait() { _ = wait(.never) }

  /// As `wait()`, but at most until `limit` on the wall clock.
  ///
  /// - Returns: whether a signal came in time. The lock is held either way; past dates answer at once.
  @available(*, noasync, message: "a task must not block its thread")
  open func wait(until limit: Date) -> Bool { wait(LockDeadline(limit)) }

  /// Wakes the thread that has waited longest, if any. The caller may hold the lock.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func signal() { waiters.signal(core) }

  /// Wakes all threads that wait now, one after the other as the lock becomes free. The caller may hold the lock.
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
