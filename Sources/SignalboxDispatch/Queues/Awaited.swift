// Awaited.swift: which waits that inherit are for the turn of a queue, or for a lock of readers and writers: that may come to another thread of
// a lower band while they sleep, and this one is to be helped as the first was. What a wait raises is Raising.swift.
//
//   waiter  A1 lists its wait   A2 reads the owner in the queue's word, and helps it
//   holder  B1 becomes the owner, by a swap of that word   B2 reads how many waits are listed: some? it searches for its queue's
// A1 and B2 are sequentially consistent, and so are A2 and B1 or both are swaps of the one word: A2 sees the owner of B1, or B2 sees the wait.
// Should that be missed, by an acquiring swap, the holder is helped when the waiter reads next, and nothing else depends on it.
//
// B2 is only for threads of lower bands that have waited for the queue themselves. A thread that takes the queue by the inlined swap does
// without: it can only do so in the moment in which a sleeper at the gate is woken, and that one says whose the queue is before it sleeps again.
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem

enum Awaited {
  private struct Wait {
    /// The queue's address: a name.
    let object: UInt
    let raising: Raising
  }
  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var waits: [Wait] = []
  private static let count = Atomic32(0)

  /// `raising` is for `object`, until it is over.
  static func add(_ object: UInt, _ raising: Raising) {
    lock.withLock { waits.append(Wait(object: object, raising: raising)) }
    _ = count.addSeqCst(1)  // seq_cst: A1
  }

  static func remove(_ raising: Raising) {
    // relaxed: what was listed for this wait was so before, by this thread or by one that has had the wait's lock since
    if count.loadRelaxed() == 0 { return }
    let removed = lock.withLock { () -> Int in
      let before = waits.count
      waits.removeAll { $0.raising === raising }
      return before - waits.count
    }
    _ = count.addRelaxed(0 &- UInt32(removed))  // relaxed: too high a count costs a search
  }

  /// The thread that `owner` names has `object`: those that wait for it help that thread, if it is of a lower band than they are.
  @inline(__always) static func isHeld(_ object: UInt, by owner: UInt64) {
    if _slowPath(LoweredThreads.contains(owner)) { help(owner, with: object) }
  }

  @inline(never) private static func help(_ owner: UInt64, with object: UInt) {
    if count.loadSeqCst() == 0 { return }  // seq_cst: B2
    let found = lock.withLock { waits.compactMap { $0.object == object ? $0.raising : nil } }
    for raising in found { raising.add(threadOf: owner) }
  }
}
