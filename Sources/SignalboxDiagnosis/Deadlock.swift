// Deadlock.swift: what happens when a wait closes a cycle: report once, then stop, go on, or leave it alone.
import SignalboxSystem

/// Deadlocks found by Signalbox.
public enum Deadlock {
  static func check() {
    let owner = ThreadSlot.current.pointee.owner
    guard let cycle = WaitGraph.cycle(from: owner) else { return }
    Misuse.stop("deadlock of \(cycle.count) threads")
  }
}
