// LockTraits.swift: what the lock classes share: facts and words for reports about them, and when a wait with a date
// ends.
import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

// MARK: its name, and whether its holder is the thread that it seems to be

/// The rarely used part of a lock object: two facts in one word, and the name in a table beside it.
///
/// Thread safety: any thread.
struct LockTraits: ~Copyable, Sendable {
  private static let doubtful: UInt32 = 1
  private static let named: UInt32 = 2
  private let bits = Atomic32(0)

  /// Whether the lock's word names the thread that will give the lock back.
  // relaxed: a fact by itself; a wait that begins beside the first stranger's unlock may still be reported as it stood before.
  var trust: HolderTrust { bits.loadRelaxed() & Self.doubtful == 0 ? .certain : .doubtful }

  /// Notes that a stranger has given the lock back; whether that is news.
  func doubtHolder() -> Bool { set(Self.doubtful) }

  /// The name of the lock whose word is at `word`, which these traits belong to.
  func name(of word: UInt) -> String? { isNamed ? LockNames.name(of: word) : nil }
  /// Names it; `object` is where reports find it.
  func setName(_ name: String?, of word: UInt, object: UInt) {
    _ = set(Self.named)
    if let name { LockNames.name(word, name, object: object) } else { LockNames.unname(word) }
  }
  /// The lock ends.
  func isGone(_ core: borrowing LockCore) { if isNamed { LockNames.forget(core.address) } else { core.isGone() } }

  // relaxed: the table has a lock of its own; a caller that sets a name on one thread and asks on another orders the
  // two itself.
  private var isNamed: Bool { bits.loadRelaxed() & Self.named != 0 }

  private func set(_ bit: UInt32) -> Bool {
    var old = bits.loadRelaxed()  // relaxed: the swap re-checks
    while old & bit == 0 {
      // acquire-release: of two that note the same, exactly one finds the bit unset; what is noted lies elsewhere, under a lock.
      let swap = bits.casAcqRel(old, old | bit)
      if swap.exchanged { return true }
      old = swap.original
    }
    return false
  }
}

// MARK: use by the wrong thread: the words, and whether the program goes on

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

// MARK: when a wait with a date ends

// A date is a time of day: a wait follows the wall clock when it is set.

extension LockDeadline {
  /// The point `date` on the wall clock. Dates before 1970 and those that are no number have passed; those after 2500 never come.
  init(_ date: Date) {
    let seconds = date.timeIntervalSince1970
    guard seconds > 0 else {
      self = .wall(0)
      return
    }
    // Nanoseconds fill 64 bits in the year 2554. Rounded up: a wait never ends before its date.
    self = seconds < 16_725_225_600 ? .wall(UInt64((seconds * 1e9).rounded(.up))) : .never
  }
}
