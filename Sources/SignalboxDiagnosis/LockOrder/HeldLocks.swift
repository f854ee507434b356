// HeldLocks.swift: what threads hold, for reports about threads that sleep, and about those that end with locks in
// their hands. While locks are tracked HeldStack.swift knows it.
import SignalboxSystem
import SignalboxWaits

// MARK: where another thread took what it holds

/// What threads hold, as far as it was tracked.
package enum HeldLocks {
  /// How many locks the calling thread holds, as far as that was tracked; one that it holds several times is one.
  package static var count: Int {
    let snapshot = Instruments.snapshot
    guard UInt8(truncatingIfNeeded: snapshot) & Instruments.lockTracking != 0 else { return 0 }
    return HeldStack.current(epoch: snapshot >> 8)?.count ?? 0
  }

  /// The return addresses of the call that took `object`, innermost first, our own frames among them; nil if that was not tracked
  /// or the thread does not hold it.
  ///
  /// - Parameters:
  ///   - object: the address of a lock's word or of a once token; in its two low bits may be marks of a reading.
  ///   - owner: the holder: it sleeps, or is the calling thread. Otherwise the answer may mix two moments.
  /// - Note: Thread safety: any thread. Never faults, takes no lock.
  package static func acquisition(of object: UInt, by owner: UInt64) -> [UInt]? {
    let snapshot = Instruments.snapshot
    guard UInt8(truncatingIfNeeded: snapshot) & Instruments.lockTracking != 0, let stack = HeldStackPool.stack(of: owner),
      stack[.epoch] == snapshot >> 8
    else { return nil }
    let object = object & ~3
    guard let entry = stack.find(object).map({ stack.entry($0) }) else { return nil }
    let addresses = entry.stack
    return entry.address == object && stack[.owner] == owner ? addresses : nil
  }
}

// MARK: a thread that ends with locks in its hands, which no other can give back

// Where locks are not tracked, what others wait for shows it (HeldAtEnd+Untracked.swift).

/// Reports about threads that end. Told, not stopped: a thread that wants such a lock later waits forever, but perhaps
/// none does.
package enum HeldAtEnd {
  /// The calling thread ends while locks are tracked: everything it holds is known, and where it was taken.
  static func report(_ stack: HeldStack) {
    guard !Instruments.isForkedChild, stack.count > 0 else { return }
    let entries = (0..<stack.count).map { stack.entry($0) }.filter { !mayBeGivenBack($0) }
    guard !entries.isEmpty else { return }
    Telling.whileTelling {
      let symbols = ReportSymbols(entries.flatMap(\.stack))
      tell(entries.map { "\(LockNames.describe($0.kind, $0.address)), taken in \(symbols.place($0.stack))" })
    }
  }

  /// Whether the thread may hold a mutex of the C library no longer: another thread has given it back, or it is no more.
  private static func mayBeGivenBack(_ entry: HeldEntry) -> Bool {
    guard entry.kind == .foreignMutex else { return false }
    return LockRegistry.find(entry.address, epoch: Instruments.snapshot >> 8)?.lockClass.has(LockClass.isUnordered) ?? true
  }

  static func tell(_ locks: [String]) {
    let id = ThreadSlot.current.pointee.tid
    Misuse.report(
      """
      thread "\(KernelThread.name(id) ?? "ended")" (\(id)) ends and still holds \(locks.joined(separator: "; and ")): no other \
      thread can give that back. Unlock before the thread ends: exit() runs no defer
      """)
  }
}
