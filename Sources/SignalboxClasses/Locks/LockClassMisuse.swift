// LockClassMisuse.swift: what happens when a lock object is used by the wrong thread: the words, and whether the program goes on.
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum LockClassMisuse {
  /// The holder asks again, and waits for itself forever. Returns only if the deadlock policy lets it.
  static func relock(_ kind: WaitKind, _ address: UInt, word: UInt) {
    Deadlock.tell(
      SelfWait(
        kind, .ownLock, object: address, word: word,
        hint: "unlock it before locking it again, or use an NSRecursiveLock"))
  }

  /// A thread that does not hold the lock has given it back. Said once for each lock: programs that did so got along until now.
  static func unlockedByStranger(_ kind: WaitKind, _ address: UInt, _ traits: borrowing LockTraits) {
    guard traits.doubtHolder() else { return }
    Misuse.report(
      """
      \(LockNames.describe(kind, address)) was unlocked by a thread that does not hold it. It is unlocked now, and deadlocks \
      through it are reported no more: unlock it where it was locked, or use a DispatchSemaphore
      """)
  }

  /// The same for a recursive lock, which only its holder can give back.
  static func recursiveUnlockedByStranger(_ address: UInt, _ traits: borrowing LockTraits) {
    guard traits.doubtHolder() else { return }
    Misuse.report(
      """
      \(LockNames.describe(.nsRecursiveLock, address)) was unlocked by a thread that does not hold it, which changes nothing: \
      unlock it where it was locked
      """)
  }

  /// A thread that does not hold the lock waits for the condition.
  static func waitWithoutLock(_ address: UInt) -> Never {
    Misuse.stop(
      """
      \(LockNames.describe(.nsCondition, address)) was waited for by a thread that does not hold it: call lock() first
      """)
  }
}
