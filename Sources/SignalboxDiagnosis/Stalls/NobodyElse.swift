// NobodyElse.swift: whether anything but the calling thread could still act: for a wait without an owner that the caller itself is seen
// to keep from ending. The reduction is the stall detector's (Reduction.swift), and needs no switch here.
import SignalboxSystem

/// Asked by a thread that is in a wait without limit and would do nothing else.
///
/// Thread safety: any thread. One thread at a time scans; for the others something moves, and they ask again.
package enum NobodyElse {
  /// What else there is in the process.
  package enum Verdict: Sendable {
    /// Every other thread sleeps without limit in a wait that is read, or until it is given work, and nothing is armed, monitored or
    /// handled: nobody will act.
    case nobody
    /// Every other thread sleeps, but something may come: a limit, a system call's end, a timer, a descriptor, a signal.
    case quiet
    /// A thread runs, or moved while the process was read.
    case moving
  }

  /// Reads the process twice, as a scan of the stall detector does. Allocates; some file reads for each thread. Without memory that
  /// is not known.
  package static func verdict() -> Verdict {
    MemoryReserve.lend { StallDetector.asScanner { verdict($0) } ?? .moving } ?? .moving
  }

  private static func verdict(_ bystanders: Set<Int32>) -> Verdict {
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
