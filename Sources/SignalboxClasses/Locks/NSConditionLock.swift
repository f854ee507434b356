// NSConditionLock.swift: Foundation's lock that can be asked for under a number. The mechanism is ConditionLockCore's.
public import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

/// A lock with a number, its condition, set by whoever gives it back; threads can wait for the lock to be free with one number.
///
/// No allocation ever, no system call while nobody competes or waits. Unlocking wakes one thread that waits for the number left,
/// and no other. A thread that locks it again while holding it stops the program; one that unlocks it for another is told once,
/// and obeyed.
///
/// Thread safety: any thread. Memory: what the last holder wrote is visible to the next.
// SAFETY of @unchecked: the state is atomic words; what else an object has of a subclass is the subclass's business.
open class NSConditionLock: NSObject, NSLocking, @unchecked Sendable {
  private final let core: ConditionLockCore
  private final let traits = LockTraits()
  final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Creates the lock, free, with the condition 0.
  public override convenience init() { self.init(condition: 0) }

  /// Creates the lock, free, with `condition`.
  public init(condition: Int) {
    core = ConditionLockCore(condition: condition)
    super.init()
    core.lock.isMade(.nsConditionLock)
  }
  deinit { traits.isGone(core.lock) }

  /// The number left by the last unlock that gave one. Only the holder of the lock can rely on it. Thread safety: any thread.
  open var condition: Int { core.condition }

  /// Class, address, name, and who holds the lock at this moment. Thread safety: any thread. For people: the words may change.
  open override var description: String { core.lock.text(.nsConditionLock, object: address, more: "condition \(condition)") }

  /// What reports call the lock; nil at first. Thread safety: any thread.
  open var name: String? {
    get { traits.name(of: core.lock.address) }
    set { traits.setName(newValue, of: core.lock.address, object: address) }
  }

  /// Takes the lock whatever its condition, waiting as long as it takes.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func lock() { if !core.lock.lockFast() { _ = lockSlow(until: .never) } }

  /// Gives the lock back; its condition stays.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func unlock() { if !core.unlock(.nsConditionLock, object: address) { unlockForOwner(with: nil) } }

  /// Takes the lock once it is free with `condition`, waiting as long as it takes.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func lock(whenCondition condition: Int) { _ = lock(when: condition, until: .never) }

  /// Takes the lock if nobody holds it, whatever its condition.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func `try`() -> Bool { core.lock.tryLock(.nsConditionLock, object: address) }

  /// Takes the lock if nobody holds it and its condition is `condition`.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func tryLock(whenCondition condition: Int) -> Bool {
    core.tryLock(when: condition, .nsConditionLock, object: address)
  }

  /// Gives the lock back with `condition`.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func unlock(withCondition condition: Int) {
    if !core.unlock(with: condition, .nsConditionLock, object: address) { unlockForOwner(with: condition) }
  }

  /// Takes the lock whatever its condition, waiting at most until `limit` on the wall clock; false when that came first.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func lock(before limit: Date) -> Bool { core.lock.lockFast() || lockSlow(until: LockDeadline(limit)) }

  /// Takes the lock once it is free with `condition`, waiting at most until `limit` on the wall clock; false when that came first.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
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
