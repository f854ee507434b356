// LockCore.swift: the one word under every lock of this module: taking it and giving it back. Sleeping is LockCore+Wait.swift.
public import SignalboxDiagnosis
public import SignalboxSystem

/// A mutual-exclusion lock of four bytes that knows its holder; not recursive, never allocates, no syscall uncontended.
///
/// What a relock or a stranger's unlock means is decided by the lock types built on it. `kind` and `object` are what reports
/// call it: the same at every call for one lock.
@usableFromInline package struct LockCore: ~Copyable, Sendable {
  @usableFromInline let word = Atomic32(0)
  /// Free.
  @inlinable package init() {}

  /// To be called by the object that a lock is part of, when it is made. A struct cannot: it does not know yet where it will be.
  @inlinable package func isMade(_ kind: WaitKind) { if _slowPath(!Instruments.areOff) { LockHooks.created(kind, address) } }
  /// To be called by the object that a lock is part of, before it goes: the next lock in this place is another.
  @inlinable package func isGone() { if _slowPath(!Instruments.areOff) { LockHooks.destroyed(address) } }

  /// Where reports and instruments find the lock. SAFETY: an atomic does not move once another thread may reach it.
  @inlinable package var address: UInt { withUnsafePointer(to: word) { UInt(bitPattern: $0) } }

  /// Takes the lock, waiting as long as it takes. The caller must not hold it.
  // acquire L1: pairs with L2; what the last holder wrote is visible.
  @inlinable @inline(__always)
  package func lock(_ kind: WaitKind, object: UInt = 0) {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    if _fastPath(Instruments.areOff && me != 0 && word.casAcquire(0, me).exchanged) { return }
    lockSlow(kind, object)
  }

  /// Takes the lock if one swap does it. False leaves it to the out-of-line path of the lock's type, which knows what a relock
  /// means there.
  // acquire L1: as in lock().
  @inlinable @inline(__always)
  package func lockAtOnce() -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    return _fastPath(Instruments.areOff && me != 0 && word.casAcquire(0, me).exchanged)
  }

  /// Takes the lock if nobody holds it.
  @inlinable @inline(__always)
  package func tryLock(_ kind: WaitKind, object: UInt = 0) -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    if _fastPath(Instruments.areOff && me != 0) { return word.casAcquire(0, me).exchanged }
    return tryLockSlow(kind, object)
  }

  /// Gives the lock back. False, and nothing has happened, if the calling thread does not hold it.
  // release L2: publishes the holder's writes to L1.
  @inlinable @inline(__always)
  package func unlock(_ kind: WaitKind, object: UInt = 0) -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    if _fastPath(Instruments.areOff && me != 0 && word.casRelease(me, 0).exchanged) { return true }
    return unlockSlow(kind, object)
  }

  /// Whether the calling thread holds the lock.
  // relaxed: only the calling thread itself writes its own owner here, or takes it out.
  @inlinable package var isMine: Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    return me != 0 && word.loadRelaxed() & 0xFF_FFFF == me
  }

  /// Whether anybody holds the lock at this moment.
  // relaxed: an answer that is old when it arrives, whatever the order.
  @inlinable package var isHeld: Bool { word.loadRelaxed() & 0xFF_FFFF != 0 }
}
