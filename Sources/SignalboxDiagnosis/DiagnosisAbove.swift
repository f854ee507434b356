// DiagnosisAbove.swift: this module as the layers below know it: each call from there, and the part that answers it.
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

/// Registered while the image is loaded, so before any lock is taken or queue made.
struct DiagnosisAbove: Diagnosing {
  func waitBegins() -> Bool { Deadlock.check() }
  func isClosed(_ object: UInt) { Deadlock.check(inside: object) }
  func tell(_ wait: SelfWait) { Deadlock.tell(wait) }
  var reportsDeadlocks: Bool { Deadlock.policy != .ignore }
  func standstill() -> Standstill { NobodyElse.verdict() }
  func wakeMonitor() { ForeignCycleDetector.wake() }
  func stallDetectorIsNeeded() { StallDetector.noticed() }

  func name(_ lock: UInt, _ name: String, level: Int?, object: UInt) {
    LockWorld.lock.withLock { LockRegistry.nameAssumingLocked(lock, name, level: level, object: object) }
  }
  func unname(_ lock: UInt) { LockWorld.lock.withLock { LockRegistry.unnameAssumingLocked(lock) } }
  func isGone(_ lock: UInt) { LockWorld.lock.withLock { LockRegistry.destroyedAssumingLocked(lock) } }
  func name(of lock: UInt) -> String? { LockWorld.lock.withLock { LockRegistry.nameAssumingLocked(of: lock) } }

  func tell(misuse message: String, _ subject: Misuse.Subject?, stack: [UInt]) {
    MisuseReport.tell(message, subject, stack: stack)
  }
  func tell(longItem: RunningItem?, nanoseconds: UInt64, limit: UInt64, thread: Int32, stack: StackReading) {
    LongItemReport.tell(longItem, nanoseconds: nanoseconds, limit: limit, thread: thread, stack: stack)
  }
}

extension DiagnosisAbove {
  /// The calls from below, and the subscribers of events that know no queue.
  fileprivate static func register() {
    Diagnosis.above = DiagnosisAbove()
    Events.subscribe(.counts) { EventCounts.hears(Event($0, $1, $2, $3, $4)) }
    Events.subscribe([.lockOrder, .lockStatistics]) { LockEvents.hears(Event($0, $1, $2, $3, $4)) }
    Events.subscribe(.explorer) { ExplorerEvents.hears(Event($0, $1, $2, $3, $4)) }
    Events.subscribe(.recorder, unlessTaken: true) { RecordedWaits.hears(Event($0, $1, $2, $3, $4)) }
  }
}

// The loader calls what stands in this section.
@used @section(".init_array")
private let registration: @convention(c) @Sendable () -> Void = { DiagnosisAbove.register() }
