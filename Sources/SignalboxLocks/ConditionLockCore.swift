// ConditionLockCore.swift: a lock with a number, the condition, that threads can wait for while they ask for the lock.
//
// The thread that gives the lock back calls one of those that wait for the number it leaves, and no other. A called
// thread that does not come to hold the lock with its number calls the next one. README.md, "Conditions", says why that
// is enough.
import SignalboxWaits
public import SignalboxSystem
import SignalboxWords

/// A lock with a condition; the word, the waiters and the number of `NSConditionLock`.
@usableFromInline package struct ConditionLockCore: ~Copyable, Sendable {
  /// The lock itself, for taking it under any condition.
  @usableFromInline package let lock = LockCore()
  @usableFromInline let waiters = ConditionCore()
  // relaxed: the holder of the lock wrote it himself or is ordered by the lock, which publishes it; for others it is old on arrival.
  @usableFromInline let number: Relaxed64

  /// Free, with `condition`.
  @inlinable package init(condition: Int) { number = Relaxed64(UInt64(bitPattern: Int64(condition))) }

  /// The condition at this moment; only the holder of the lock can rely on it.
  @inlinable package var condition: Int { Int(Int64(bitPattern: number.load())) }

  /// Takes the lock once it is free with `condition`, waiting at most until `deadline`; false when that came first.
  @inlinable
  package func lock(when condition: Int, _ kind: WaitKind, object: UInt, until deadline: LockDeadline, _ trust: HolderTrust)
    -> Bool
  {
    if lock.lockFast() {
      if self.condition == condition { return true }
      lock.releaseFast()
    }
    return lockSlow(when: condition, kind, object, until: deadline, trust)
  }

  /// Takes the lock if it is free with `condition`.
  @inlinable package func tryLock(when condition: Int, _ kind: WaitKind, object: UInt) -> Bool {
    guard self.condition == condition, lock.tryLock(kind, object: object) else { return false }
    if self.condition == condition { return true }
    _ = lock.unlock(kind, object: object)
    return false
  }

  /// Gives the lock back. False, and nothing has happened, if the calling thread does not hold it.
  @inlinable package func unlock(_ kind: WaitKind, object: UInt) -> Bool {
    if _fastPath(!waiters.isAwaited) { return lock.unlock(kind, object: object) }
    guard lock.isMine else { return false }
    unlockSlow(kind, object)
    return true
  }

  /// Gives the lock back with a new condition. False, and nothing has happened, if the calling thread does not hold it.
  @inlinable package func unlock(with condition: Int, _ kind: WaitKind, object: UInt) -> Bool {
    guard lock.isMine else { return false }
    setCondition(condition)
    return unlock(kind, object: object)
  }

  /// Gives the lock back, whichever thread holds it, if any does; with a new condition unless that is nil.
  package func unlockForAnybody(with condition: Int?, _ kind: WaitKind) {
    if let condition { setCondition(condition) }
    let sleeper = waiters.call(tag: self.condition)
    _ = lock.unlockForAnybody(kind)
    waiters.wake(sleeper)
  }

  @inlinable func setCondition(_ condition: Int) { number.store(UInt64(bitPattern: Int64(condition))) }

  @inline(never) @usableFromInline
  func unlockSlow(_ kind: WaitKind, _ object: UInt) {
    // Called while the lock is held, so that the condition is this one; woken when the lock is free.
    let sleeper = waiters.call(tag: condition)
    _ = lock.unlock(kind, object: object)
    waiters.wake(sleeper)
  }

  @inline(never) @usableFromInline
  func lockSlow(
    when condition: Int, _ kind: WaitKind, _ object: UInt, until deadline: LockDeadline, _ trust: HolderTrust
  ) -> Bool {
    var request = LockRequest(kind, lock.address, isPatient: deadline == .never)
    // Waiting for the number is no contention.
    if self.condition == condition { request.meetsHolder(lock.holder) }
    guard take(when: condition, kind, object, until: deadline, trust) else { return false }
    request.isGranted()
    return true
  }

  private func take(
    when condition: Int, _ kind: WaitKind, _ object: UInt, until deadline: LockDeadline, _ trust: HolderTrust
  ) -> Bool {
    guard lock.take(kind, object, until: deadline, trust) else { return false }
    while self.condition != condition {
      if deadline != .never, deadline.hasPassed {
        lock.release()
        return false
      }
      guard waitToBeCalled(for: condition, kind, object, until: deadline) else { return false }
      guard lock.take(kind, object, until: deadline, trust) else {
        waiters.wake(waiters.call(tag: condition))
        return false
      }
    }
    return true
  }

  /// Gives the lock back and sleeps until a thread leaves `condition`; false when the deadline came first.
  private func waitToBeCalled(
    for condition: Int, _ kind: WaitKind, _ object: UInt, until deadline: LockDeadline
  ) -> Bool {
    var place = ConditionPlace(tag: condition)
    return withUnsafeMutablePointer(to: &place) { place in
      waiters.enlist(place)
      lock.release()
      if deadline == .never { LockEvent.waits(for: kind) }
      return waiters.sleep(place, kind, object, until: deadline, .number(condition))
    }
  }
}
