// NobodyElse.swift: whether anything but the calling thread could still act: for a wait without an owner that the caller itself is seen
// to keep from ending. The reduction is the stall detector's (Reduction.swift), and needs no switch here.
import SignalboxSystem
import SignalboxWaits

/// Asked by a thread that is in a wait without limit and would do nothing else.
///
/// Thread safety: any thread. One thread at a time scans; for the others something moves, and they ask again.
package enum NobodyElse {
  /// Reads the process twice, as a scan of the stall detector does. Allocates; some file reads for each thread. Without memory that
  /// is not known.
  package static func verdict() -> Standstill {
    MemoryReserve.lend { StallDetector.asScanner { verdict($0) } ?? .moving } ?? .moving
  }

  private static func verdict(_ bystanders: Set<Int32>) -> Standstill {
    var taker = SnapshotTaker(patience: 0)
    taker.bystanders = bystanders
    let sleptBefore = taker.allSleep()
    let earlier = taker.take()
    var snapshot = taker.take().standing(since: earlier)
    // A scan leaves its own thread out; here it is the one that waits.
    let caller = WaitNode.Key.thread(ThreadSlot.kernelID())
    snapshot.add(WaitNode(caller, .needs(.anyone)))
    let isStuck = Reduction.stuck(snapshot, .mayWake).contains(caller)
    // What the end of the scan frees may act.
    guard Layers.endScan() else { return .moving }
    return isStuck ? .nobody : sleptBefore && taker.allSleep() ? .quiet : .moving
  }
}
