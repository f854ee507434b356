// LockTraits.swift: what a lock object says of itself in reports: its name, and whether its holder is who it seems to be.
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits

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

  // relaxed: the table has a lock of its own; who sets a name on one thread and asks on another orders the two himself.
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
