// SmallLockCore.swift: the lock of four bytes, for words that callers own: taking it and giving it back. LockCore is the faster one.
import SignalboxWaits
public import SignalboxSystem
import SignalboxWords

/// A mutual-exclusion lock of four bytes that knows its holder; not recursive, never allocates, no syscall uncontended.
///
/// Both halves of a pair are a locked instruction, as one word says everything. In return the unlocking thread does not touch it
/// afterwards: the thread that gets the lock may free its memory. Misuse and names are as with `LockCore`.
@usableFromInline struct SmallLockCore: ~Copyable, Sendable {
  @usableFromInline let state = AtomicState32(SmallLockState.free)
  /// Free.
  @inlinable init() {}

  /// Where reports and instruments find the lock.
  @inlinable var address: UInt { state.word.address }

  /// Takes the lock if one swap does it. False leaves it to the out-of-line path of the lock's type, which knows what a relock
  /// means there.
  // acquire L1: pairs with L2; what the last holder wrote is visible.
  @inlinable @inline(__always)
  func lockAtOnce() -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    return _fastPath(Instruments.areOff && me != 0 && state.word.casAcquire(0, me).exchanged)
  }

  /// Takes the lock if no thread holds it.
  // acquire L1: pairs with L2.
  @inlinable @inline(__always)
  func tryLock(_ kind: WaitKind) -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    if _fastPath(Instruments.areOff && me != 0) { return state.word.casAcquire(0, me).exchanged }
    return tryLockSlow(kind)
  }

  /// Gives the lock back. False, and nothing has happened, if the calling thread does not hold it.
  // release L2: publishes the holder's writes to L1.
  @inlinable @inline(__always)
  func unlock(_ kind: WaitKind) -> Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    if _fastPath(Instruments.areOff && me != 0 && state.word.casRelease(me, 0).exchanged) { return true }
    return unlockSlow(kind)
  }

  /// Whether the calling thread holds the lock.
  // relaxed: only the calling thread itself writes its own owner here, or takes it out.
  @inlinable var isMine: Bool {
    let me = UInt32(truncatingIfNeeded: ThreadSlot.current.pointee.owner)
    return me != 0 && SmallLockState(rawValue: state.word.loadRelaxed()).owner == me
  }

  /// Whether any thread holds the lock at this moment.
  // relaxed: an answer that is old when it arrives, whatever the order.
  @inlinable var isHeld: Bool { SmallLockState(rawValue: state.word.loadRelaxed()).owner != 0 }
}
