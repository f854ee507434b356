// ReportedName.swift: names of groups and semaphores, which have no label: for reports and for `print`. They lie in the table of the
// locks' names, so that an object without one has a bit more to carry and nothing else.
import SignalboxWaits
import SignalboxSystem

/// Whether an object has a name in the table. To be asked when the object goes.
struct ReportedName: ~Copyable, Sendable {
  private let isNamed = Atomic32(0)

  /// The name of the object at `address`, which this belongs to.
  // relaxed: the table has a lock of its own; who names on one thread and asks on another orders the two himself.
  func text(of address: UInt) -> String? { isNamed.loadRelaxed() == 0 ? nil : LockNames.name(of: address) }

  func set(_ name: String?, of address: UInt) {
    isNamed.storeRelaxed(1)  // relaxed: as in text(of:)
    if let name { LockNames.name(address, name) } else { LockNames.unname(address) }
  }

  /// The object goes: the next one at its address has no name. For the last to have a reference.
  // relaxed: the last reference is gone, and with it whoever named the object came before
  @inline(__always) func isGone(_ address: UInt) { if _slowPath(isNamed.loadRelaxed() != 0) { LockNames.forget(address) } }
}

extension DispatchGroup {
  /// The name shown for the group in reports and by `print`, next to its address; nil at first. It affects nothing else.
  ///
  /// - Note: Thread safety: any thread. A name occupies an entry in a table until the group is deallocated.
  public final var name: String? {
    get { reportedName.text(of: address) }
    set { reportedName.set(newValue, of: address) }
  }
}
