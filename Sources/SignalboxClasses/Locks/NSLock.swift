// NSLock.swift: Foundation's plain lock, which knows its holder. The recursive one is NSRecursiveLock.swift.
public import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

/// A mutex.
///
/// No system call and no allocation while threads do not compete. Locking it twice on one thread stops the program with a
/// message. Unlocking it on a thread that does not hold it works, and is reported once; from then on, deadlocks through this
/// lock are not reported.
///
/// Thread safety: any thread. Memory: writes of the previous holder are visible to the next.
///
/// ```swift
/// let lock = NSLock()
/// lock.name = "balance"  // for reports
/// nonisolated(unsafe) var balance = 0  // guarded by `lock`
/// DispatchQueue.concurrentPerform(iterations: 100) { _ in lock.withLock { balance += 1 } }
/// print(balance)  // 100
/// ```
// SAFETY of @unchecked: the state is atomic words; what else an object has of a subclass is the subclass's business.
open class NSLock: NSObject, NSLocking, @unchecked Sendable {
  final let core = LockCore()
  private final let traits = LockTraits()
  final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Creates a free lock without a name.
  public override init() {
    super.init()
    core.isMade(.nsLock)
  }
  deinit { traits.isGone(core) }

  /// Class, address, name and current holder. Thread safety: any thread. Meant for people: the wording may change.
  ///
  /// ```swift
  /// let lock = NSLock()
  /// lock.name = "accounts"
  /// print(lock)  // <NSLock: 0x…>{name = "accounts", free}
  /// ```
  open override var description: String { core.text(.nsLock, object: address) }

  /// The name shown in reports; nil at first. Thread safety: any thread.
  open var name: String? {
    get { traits.name(of: core.address) }
    set { traits.setName(newValue, of: core.address, object: address) }
  }

  /// Acquires the lock; blocks until it is free.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func lock() { if !core.lockFast() { _ = lockSlow(until: .never) } }

  /// Acquires the lock if no thread holds it.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func `try`() -> Bool { core.tryLock(.nsLock, object: address) }

  /// Acquires the lock; waits at most until `limit` on the wall clock. Returns false if the time ran out; a date that has
  /// passed tries once.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func lock(before limit: Date) -> Bool { core.lockFast() || lockSlow(until: LockDeadline(limit)) }

  /// Releases the lock.
  @available(*, noasync, message: "a task may resume on another thread: use withLock")
  open func unlock() { if !core.unlockFast() { unlockSlow() } }

  @inline(never)
  final func lockSlow(until deadline: LockDeadline) -> Bool {
    let trust = traits.trust
    if deadline == .never, trust == .certain, core.isMine { LockClassMisuse.relock(.nsLock, address, word: core.address) }
    return core.lock(.nsLock, object: address, until: deadline, trust)
  }

  @inline(never)
  final func unlockSlow() {
    if core.unlock(.nsLock, object: address) { return }
    LockClassMisuse.unlockedByStranger(.nsLock, address, traits)
    _ = core.unlockForAnybody(.nsLock)
  }
}
