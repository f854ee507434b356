// LockNames.swift: what people call locks, groups and semaphores. The table of names is LockRegistry.swift
// (SignalboxDiagnosis).
import SignalboxSystem
import SignalboxWords

/// Names of locks: locks of one name and level are one class. An empty name is shown, and makes no class.
///
/// Thread safety: any thread. In the child of a fork there are no names: the table may have been in another thread's
/// hands.
package enum LockNames {
  /// Names the lock whose word is at `address`.
  ///
  /// - Parameters:
  ///   - level: of two locks of one name the lower level is taken first.
  ///   - object: where reports find the lock, if that is not its word; 0 if it is.
  /// - Note: Not while the lock is being destroyed. Costs an entry in a table, tracked or not.
  package static func name(_ address: UInt, _ name: String, level: Int? = nil, object: UInt = 0) {
    if Instruments.isForkedChild { return }
    Diagnosis.above?.name(address, name, level: level, object: object)
  }

  /// The lock has no name any more, and lives on.
  package static func unname(_ address: UInt) {
    if Instruments.isForkedChild { return }
    Diagnosis.above?.unname(address)
  }

  /// A named lock is no more: to be called by the code that named it, tracked or not.
  package static func forget(_ address: UInt) {
    if Instruments.isForkedChild { return }
    Diagnosis.above?.isGone(address)
  }

  /// The name of the lock at `address`, its word's or its object's; nil if it has none, or there is none.
  package static func name(of address: UInt) -> String? {
    if Instruments.isForkedChild { return nil }
    return Diagnosis.above?.name(of: address)
  }

  /// How a report calls the thing of `kind` at `address`: its kind, its address, and its name if it has one.
  package static func describe(_ kind: WaitKind, _ address: UInt) -> String {
    let place = "\(kind.noun) 0x\(String(address, radix: 16))"
    return name(of: address).map { "\(place) \"\($0)\"" } ?? place
  }
}
