// LockCore+Fast.swift: the one-swap halves of a lock, for types that look at the holder themselves before they go on slowly.
public import SignalboxSystem

/// Whether a wait may name the holder that the lock's word names as the one who ends it.
@usableFromInline package enum HolderTrust: Sendable {
  /// Only the holder gives the lock back.
  case certain
  /// Another thread has done so before: no deadlock through this lock is certain.
  case doubtful
}

extension LockCore {
  /// Takes the lock if it is free and no instrument is on; false says nothing but that the slow way must be gone.
  // acquire L1: pairs with L2 of `unlock`.
  @inlinable @inline(__always)
  package func lockFast() -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    return _fastPath(Instruments.areOff && me != 0) && word.casAcquire(0, me).exchanged
  }

  /// Gives the lock back if it is the calling thread's, nobody waits and no instrument is on.
  // release L2: publishes the holder's writes to L1.
  @inlinable @inline(__always)
  package func unlockFast() -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    return _fastPath(Instruments.areOff && me != 0) && word.casRelease(me, 0).exchanged
  }

  /// Gives back what `lockFast` took, unseen by instruments as that was.
  @inlinable @inline(__always)
  package func releaseFast() { if !unlockFast() { releaseSlow() } }
  @inline(never) @usableFromInline func releaseSlow() { release() }
}
