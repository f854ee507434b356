// LockTraits.swift: what a lock object says of itself in reports: its name, and whether its holder is who it seems to be.
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

/// The rarely used part of a lock object: two facts in one word, and the name in a table beside it.
///
/// Thread safety: any thread.
struct LockTraits: ~Copyable, Sendable {
  private static let doubtful: UInt32 = 1
  private static let named: UInt32 = 2
  private let bits = Atomic32(0)

  /// Whether the lock's word names the thread that will give the lock back.
  // relaxed: a fact by itself; a wait that begins beside the first stranger's unlock may still be told as it stood before.
  var trust: HolderTrust { bits.loadRelaxed() & Self.doubtful == 0 ? .certain : .doubtful }

  /// Notes that a stranger has given the lock back; whether that is news.
  func doubtHolder() -> Bool { set(Self.doubtful) }

  /// The name of the object at `address`, which these traits belong to.
  func name(of address: UInt) -> String? { isNamed ? LockNames.name(of: address) : nil }
  /// Names it.
  func setName(_ name: String?, of address: UInt) {
    _ = set(Self.named)
    LockNames.setName(name, of: address)
  }
  /// The object ends.
  func forget(_ address: UInt) { if isNamed { LockNames.setName(nil, of: address) } }

  // relaxed: the table has a lock of its own; who sets a name on one thread and asks on another orders the two himself.
  private var isNamed: Bool { bits.loadRelaxed() & Self.named != 0 }

  private func set(_ bit: UInt32) -> Bool {
    var old = bits.loadRelaxed()  // relaxed: the swap re-checks
    while old & bit == 0 {
      let swap = bits.casAcqRel(old, old | bit)
      if swap.exchanged { return true }
      old = swap.original
    }
    return false
  }
}

/// The names of lock objects that have one, by address: a report may ask for any address, the object may be gone.
package enum LockNames {
  private static let guardian = UnfairLock()
  // SAFETY: touched only under `guardian`.
  nonisolated(unsafe) private static var names: [UInt: String] = [:]

  /// The name of the lock object at `address`; nil if it has none, or is none. Thread safety: any thread.
  package static func name(of address: UInt) -> String? { guardian.withLock { names[address] } }

  static func setName(_ name: String?, of address: UInt) {
    _ = namesReports
    guardian.withLock { names[address] = name }
  }

  /// From the first name on reports ask here.
  private static let namesReports: Void = {
    let kinds: [WaitKind] = [.nsLock, .nsRecursiveLock, .nsCondition, .nsConditionLock]
    // The function has no state of its own, so each kind has one.
    let functions: [ObjectNaming.Function] = [
      { LockNames.write($0, .nsLock, $1) }, { LockNames.write($0, .nsRecursiveLock, $1) },
      { LockNames.write($0, .nsCondition, $1) }, { LockNames.write($0, .nsConditionLock, $1) },
    ]
    for (kind, function) in zip(kinds, functions) { ObjectNaming.install(function, for: [kind]) }
  }()
  private static func write(_ address: UInt, _ kind: WaitKind, _ result: UnsafeMutableRawPointer) {
    result.assumingMemoryBound(to: String.self).pointee = describe(address, kind)
  }

  /// How a report calls the thing of `kind` at `address`: its class, its address, and its name if it has one.
  package static func describe(_ address: UInt, _ kind: WaitKind) -> String {
    let place = "\(kind.noun) 0x\(String(address, radix: 16))"
    return name(of: address).map { "\(place) \"\($0)\"" } ?? place
  }
}
