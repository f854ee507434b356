// NSConditionLock.swift: Foundation's lock that can be asked for under a number. The mechanism is ConditionLockCore's.
public import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// A mutex with a number, its condition, which is set when it is unlocked. A thread can wait until the lock is free with a
/// certain condition.
///
/// Never allocates, and makes no system call while threads neither compete nor wait. Unlocking wakes at most one thread: one
/// that waits for the condition left. Locking it twice on one thread stops the program. Unlocking it on a thread that does not
/// hold it works, and is reported once.
///
/// Thread safety: any thread. Memory: writes of the previous holder are visible to the next.
///
/// ```swift
/// let stage = NSConditionLock(condition: 0)
/// Thread.detachNewThread {
///   stage.lock(whenCondition: 0)
///   stage.unlock(withCondition: 1)
/// }
/// func finish() { stage.lock(whenCondition: 1); print("after the other thread"); stage.unlock() }
/// finish()
/// ```
// SAFETY of @unchecked: the state is atomic words; what else an object has of a subclass is the subclass's business.
open class NSConditionLock: NSObject, NSLocking, @unchecked Sendable {
  private final let core: ConditionLockCore
  private final let traits = LockTraits()
  final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Creates a free lock with the condition 0.
  public override convenience init() { self.init(condition: 0) }

  /// Creates a free lock with the condition `condition`.
  public init(condition: Int) {
    core = ConditionLockCore(condition: condition)
    super.init()
    core.lock.isMade(.nsConditionLock)
    Events.emit(.untoldUsed, 0)  // a thread that tries reads its number and passes no point
  }
  deinit { traits.isGone(core.lock) }

  /// The condition that the last `unlock(withCondition:)` set. It is reliable only while the caller holds the lock. Thread
  /// safety: any thread.
  open var condition: Int { core.condition }

  /// Class, address, name and current holder. Thread safety: any thread. Meant for people: the wording may change.
  ///
  /// ```swift
  /// let stage = NSConditionLock(condition: 1)
  /// stage.name = "stage"
  /// print(stage)  // <NSConditionLock: 0x…>{name = "stage", condition 1, free}
  /// ```
  open override var description: String { core.lock.text(.nsConditionLock, object: address, more: "condition \(condition)") }

  /// The name shown in reports; nil at first. Thread safety: any thread.
  open var name: String? {
    get { traits.name(of: core.lock.address) }
    set { traits.setName(newValue, of: core.lock.address, object: address) }
  }

  /// Acquires the lock whatever its condition is; blocks until it is free.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func lock() { if !core.lock.lockFast() { _ = lockSlow(until: .never) } }

  /// Releases the lock; its condition stays the same.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func unlock() { if !core.unlock(.nsConditionLock, object: address) { unlockForOwner(with: nil) } }

  /// Acquires the lock when it is free with the condition `condition`; blocks until then.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func lock(whenCondition condition: Int) { _ = lock(when: condition, until: .never) }

  /// Acquires the lock if no thread holds it, whatever its condition is.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func `try`() -> Bool { core.lock.tryLock(.nsConditionLock, object: address) }

  /// Acquires the lock if no thread holds it and its condition is `condition`.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func tryLock(whenCondition condition: Int) -> Bool {
    core.tryLock(when: condition, .nsConditionLock, object: address)
  }

  /// Releases the lock and sets its condition.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func unlock(withCondition condition: Int) {
    if !core.unlock(with: condition, .nsConditionLock, object: address) { unlockForOwner(with: condition) }
  }

  /// Acquires the lock whatever its condition is; waits at most until `limit` on the wall clock. Returns false if the time ran
  /// out.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func lock(before limit: Date) -> Bool { core.lock.lockFast() || lockSlow(until: LockDeadline(limit)) }

  /// Acquires the lock when it is free with the condition `condition`; waits at most until `limit` on the wall clock. Returns
  /// false if the time ran out.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func lock(whenCondition condition: Int, before limit: Date) -> Bool {
    lock(when: condition, until: LockDeadline(limit))
  }

  private final func lock(when condition: Int, until deadline: LockDeadline) -> Bool {
    let trust = traits.trust
    if deadline == .never { stopIfHeld(trust) }
    return core.lock(when: condition, .nsConditionLock, object: address, until: deadline, trust)
  }

  @inline(never)
  private final func lockSlow(until deadline: LockDeadline) -> Bool {
    let trust = traits.trust
    if deadline == .never { stopIfHeld(trust) }
    return core.lock.lock(.nsConditionLock, object: address, until: deadline, trust)
  }

  private final func stopIfHeld(_ trust: HolderTrust) {
    if trust == .certain, core.lock.isMine { LockClassMisuse.relock(.nsConditionLock, address, word: core.lock.address) }
  }

  @inline(never)
  private final func unlockForOwner(with condition: Int?) {
    LockClassMisuse.unlockedByStranger(.nsConditionLock, address, traits)
    core.unlockForAnybody(with: condition, .nsConditionLock)
  }
}
