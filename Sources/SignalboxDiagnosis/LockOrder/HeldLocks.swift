// HeldLocks.swift: where another thread took what it holds: for reports about threads that sleep.
import SignalboxSystem

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
