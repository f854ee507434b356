// HeldAtEnd.swift: what is reported of a thread that ends with locks in its hands, which nobody can give back any more. What it holds
// is HeldStack.swift while locks are tracked; else what others wait for shows it (HeldAtEnd+Untracked.swift).
import SignalboxSystem
import SignalboxWaits

/// Reports about threads that end. Told, not stopped: who wants such a lock later waits forever, but perhaps nobody does.
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
      thread "\(KernelThread.name(id) ?? "ended")" (\(id)) ends and still holds \(locks.joined(separator: "; and ")): nobody else \
      can give that back. Unlock before the thread ends: exit() runs no defer
      """)
  }
}
