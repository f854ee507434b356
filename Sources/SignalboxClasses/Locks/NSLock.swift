// NSLock.swift: Foundation's plain lock, which knows its holder. The recursive one is NSRecursiveLock.swift.
public import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

/// A mutual-exclusion lock.
///
/// No system call and no allocation while nobody competes. A thread that locks it again while holding it stops the program, with
/// a message. A thread that unlocks it for another is told once, and obeyed: from then on deadlocks through the lock are not
/// reported.
///
/// Thread safety: any thread. Memory: what the last holder wrote is visible to the next.
// SAFETY of @unchecked: the state is atomic words; what else an object has of a subclass is the subclass's business.
open class NSLock: NSObject, NSLocking, @unchecked Sendable {
  final let core = LockCore()
  private final let traits = LockTraits()
  final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Creates the lock, free and without a name.
  public override init() {
    super.init()
    core.isMade(.nsLock)
  }
  deinit { traits.isGone(core) }

  /// Class, address, name, and who holds the lock at this moment. Thread safety: any thread. For people: the words may change.
  open override var description: String { core.text(.nsLock, object: address) }

  /// What reports call the lock; nil at first. Thread safety: any thread.
  open var name: String? {
    get { traits.name(of: core.address) }
    set { traits.setName(newValue, of: core.address, object: address) }
  }

  /// Takes the lock, waiting as long as it takes.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func lock() { if !core.lockFast() { _ = lockSlow(until: .never) } }

  /// Takes the lock if nobody holds it.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func `try`() -> Bool { core.tryLock(.nsLock, object: address) }

  /// Takes the lock, waiting at most until `limit` on the wall clock; false when that came first. A past date only looks.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
  open func lock(before limit: Date) -> Bool { core.lockFast() || lockSlow(until: LockDeadline(limit)) }

  /// Gives the lock back.
  @available(*, noasync, message: "a task may go on on another thread: use withLock")
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
