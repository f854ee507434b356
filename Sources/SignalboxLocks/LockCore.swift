// LockCore.swift: the two words under most locks of this module: taking it and giving it back. Sleeping is
// LockCore+Wait.swift.
public import SignalboxSystem
public import SignalboxWaits
import SignalboxWords

/// A mutual-exclusion lock of eight bytes that knows its holder; not recursive, never allocates, no syscall uncontended.
///
/// Taking a free lock is one locked instruction, giving it back none. The thread that gives it back checks the lock once more
/// afterwards, so its memory must outlast that call: a reference to the object that the lock is part of does.
///
/// What a relock or a stranger's unlock means is decided by the lock types built on it. `kind` and `object` are what reports
/// call it: the same at every call for one lock.
@usableFromInline package struct LockCore: ~Copyable, Sendable {
  /// The holder's slot and generation; 0 while the lock is free.
  @usableFromInline let word = Atomic32(0)
  /// The sleepers.
  @usableFromInline let crowd = AtomicState32(CrowdState.empty)
  /// Free.
  @inlinable package init() {}

  /// To be called by the object that a lock is part of, when it is made. A struct cannot: it does not know yet where it will be.
  @inlinable package func isMade(_ kind: WaitKind) { if _slowPath(!Instruments.areOff) { LockEvent.made(kind, address) } }
  /// To be called by the object that a lock is part of, before it goes: the next lock in this place is another.
  @inlinable package func isGone() { if _slowPath(!Instruments.areOff) { LockEvent.destroyed(address) } }

  /// Where reports and instruments find the lock.
  @inlinable package var address: UInt { word.address }

  /// Takes the lock, waiting as long as it takes. The caller must not hold it.
  @inlinable @inline(__always)
  package func lock(_ kind: WaitKind, object: UInt = 0) { if !lockAtOnce() { lockSlow(kind, object) } }

  /// Takes the lock if one swap does it. False leaves it to the out-of-line path of the lock's type, which knows what a relock
  /// means there.
  @inlinable @inline(__always)
  package func lockAtOnce() -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    return _fastPath(Instruments.areOff && me != 0 && swapIn(me))
  }

  /// Takes the lock if no thread holds it.
  @inlinable @inline(__always)
  package func tryLock(_ kind: WaitKind, object: UInt = 0) -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    if _fastPath(Instruments.areOff && me != 0) { return swapIn(me) }
    return tryLockSlow(kind, object)
  }

  /// Gives the lock back. False, and nothing has happened, if the calling thread does not hold it.
  @inlinable @inline(__always)
  package func unlock(_ kind: WaitKind, object: UInt = 0) -> Bool { unlockFast() || unlockSlow(kind, object) }

  /// Whether the calling thread holds the lock.
  // relaxed: only the calling thread itself writes its own owner here, or takes it out.
  @inlinable package var isMine: Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    return me != 0 && word.loadRelaxed() == me
  }

  /// Whether any thread holds the lock at this moment.
  // relaxed: an answer that is old when it arrives, whatever the order.
  @inlinable package var isHeld: Bool { word.loadRelaxed() != 0 }

  // MARK: the two steps

  /// Takes the lock for `me` if it is free and not kept for a starving sleeper.
  // relaxed: a hand-off seen late lets one more thread in before the sleeper, as if it had come earlier.
  // acquire L1: pairs with L2; what the last holder wrote is visible.
  @inlinable @inline(__always)
  func swapIn(_ me: UInt32) -> Bool {
    crowd.word.loadRelaxed() & CrowdState.handOff == 0 && word.casAcquire(0, me).exchanged
  }

  /// Frees the lock, which the calling thread holds, and wakes the sleepers that this concerns.
  // release L2: publishes the holder's writes to L1. relaxed: the processor may make the store visible only after the load below,
  // which then misses a sleeper; the sleeper's barrier makes up for that (README.md, "LockCore"). The order of the two instructions
  // is all that is needed here, and the compiler keeps it.
  @inlinable @inline(__always)
  func storeOut() {
    word.storeRelease(0)
    Barrier.keepOrder()
    let isAwaited = crowd.word.loadRelaxed() & CrowdState.parked != 0  // relaxed, as said above: B1 makes up for it
    if _slowPath(isAwaited) { wakeSleeper() }
  }
}

// MARK: the fast halves, for types that check the holder themselves before they go on slowly

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
