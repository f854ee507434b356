// LockCore+Fast.swift: the fast halves of a lock, for types that check the holder themselves before they go on slowly.
public import SignalboxSystem

/// Whether the thread named in the lock's word is certain to be the one that releases it.
@usableFromInline package enum HolderTrust: Sendable {
  /// Only the holder releases the lock.
  case certain
  /// Another thread has released the lock before: no deadlock through this lock is certain.
  case doubtful
}

extension LockCore {
  /// Takes the lock if it is free and no instrument is on. Returns false if the lock was not taken on this fast path.
  @inlinable @inline(__always)
  package func lockFast() -> Bool { lockAtOnce() }

  /// Releases the lock if the calling thread holds it and no instrument is on, and wakes a waiting thread. Returns false if it did not.
  // relaxed: the calling thread alone writes its own owner here, or takes it out.
  @inlinable @inline(__always)
  package func unlockFast() -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    guard _fastPath(Instruments.areOff && me != 0 && word.loadRelaxed() == me) else { return false }
    storeOut()
    return true
  }

  /// Gives back what `lockFast` took, unseen by instruments as that was.
  @inlinable @inline(__always)
  package func releaseFast() { storeOut() }
}
