// MonitorWord.swift: whether the monitor that searches for cycles in the C library's mutexes sleeps: one word, which
// every wait without limit reads. The monitor is ForeignCycleDetector (SignalboxDiagnosis).
import SignalboxSystem

/// The monitor's sleep.
package enum MonitorWord {
  package static let asleep: UInt32 = 0, awake: UInt32 = 1, off: UInt32 = 2
  package static let word = Atomic32(asleep)

  /// An untimed wait or an item of the pool has begun: one load while the monitor is awake.
  // seq_cst W1: after the record or the pool's count was written; pairs with W2 of ForeignCycleDetector.swift, the monitor's
  // going to sleep: of the two one sees the other.
  @inline(__always) package static func noticed() {
    if word.loadSeqCst() == asleep { Diagnosis.above?.wakeMonitor() }  // seq_cst W1: ForeignCycleDetector.swift
  }
}
