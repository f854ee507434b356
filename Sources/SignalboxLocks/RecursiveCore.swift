// RecursiveCore.swift: a LockCore that its holder may take again: the words, and how often it has. Waiting is LockCore+Wait.swift.
import SignalboxWaits
public import SignalboxSystem
import SignalboxWords

/// A mutual-exclusion lock of twelve bytes that its holder may take again; as free of allocations and syscalls as LockCore.
@usableFromInline package struct RecursiveCore: ~Copyable, Sendable {
  @usableFromInline let core = LockCore()
  // How often the holder has taken the lock again. relaxed throughout: only the holder changes it, and other threads,
  // which may see any value, check the word before they act on it.
  @usableFromInline let depth = Relaxed32(0)
  /// Free.
  @inlinable package init() {}

  /// Where reports and instruments find the lock.
  @inlinable package var address: UInt { core.address }
  /// Whether the calling thread holds the lock.
  @inlinable package var isMine: Bool { core.isMine }
  /// Whether any thread holds the lock at this moment.
  @inlinable package var isHeld: Bool { core.isHeld }

  /// Whether the calling thread, which holds the lock, has taken it more than once.
  var isTakenAgain: Bool { depth.load() > 0 }

  /// Takes the lock, again if the calling thread holds it already, waiting as long as it takes.
  @inlinable @inline(__always)
  package func lock(_ kind: WaitKind, object: UInt = 0) { if !core.lockAtOnce() { lockSlow(kind, object) } }

  /// Takes the lock unless another thread holds it.
  @inlinable @inline(__always)
  package func tryLock(_ kind: WaitKind, object: UInt = 0) -> Bool { core.lockAtOnce() || tryLockSlow(kind, object) }

  /// Undoes one `lock`. False, and nothing has happened, if the calling thread does not hold the lock.
  @inlinable @inline(__always)
  package func unlock(_ kind: WaitKind, object: UInt = 0) -> Bool {
    if _fastPath(depth.load() == 0) { return core.unlock(kind, object: object) }
    return unlockSlow(kind, object)
  }

  /// Like `lock`, waiting at most until `deadline`; false when that came first.
  package func lock(_ kind: WaitKind, object: UInt = 0, until deadline: LockDeadline) -> Bool {
    takeAgain(kind) || core.lock(kind, object: object, until: deadline)
  }

  @inline(never) @usableFromInline func lockSlow(_ kind: WaitKind, _ object: UInt) {
    if !takeAgain(kind) { core.lockSlow(kind, object) }
  }

  @inline(never) @usableFromInline func tryLockSlow(_ kind: WaitKind, _ object: UInt) -> Bool {
    takeAgain(kind) || core.tryLock(kind, object: object)
  }

  @inline(never) @usableFromInline func unlockSlow(_ kind: WaitKind, _ object: UInt) -> Bool {
    guard isMine else { return false }
    let seen = depth.load()
    guard seen > 0 else { return core.unlock(kind, object: object) }
    depth.store(seen - 1)
    return true
  }

  /// Takes the lock once more if the calling thread holds it. Instruments hear of the first time only: it is held since then.
  private func takeAgain(_ kind: WaitKind) -> Bool {
    guard isMine else { return false }
    let (next, overflow) = depth.load().addingReportingOverflow(1)
    if overflow { LockMisuse.tooDeep(kind, address) }
    depth.store(next)
    return true
  }
}
