// StallSupport.swift: scans of the threads that a test makes, all others left out.
import Glibc
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Collects what the stall detector reports about threads made from now on; the process goes on after each.
final class Findings: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `word`.
  private let word = Atomic32(0)
  private var list: [StallReport] = []

  init() {
    killOnHang()
    LockOrder.mode = .off
    Deadlock.policy = .report
    setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
    // The process's own, of which some lie asleep in the other library.
    StallDetector.testsOnly_leaveOut(Set(KernelThread.all()))
    StallDetector.onFinding { [self] report in locked { list.append(report) } }
  }
  var all: [StallReport] { locked { list } }

  private func locked<R>(_ body: () -> R) -> R {
    while !word.casAcquire(0, 1).exchanged { sched_yield() }
    defer { word.storeRelease(0) }
    return body()
  }

  /// Scans until something of that certainty is reported, and checks that it is reported once. What was merely suspected before is
  /// dropped: a thread was on its way to its wait.
  func one(_ certainty: DeadlockReport.Certainty = .certain) -> StallReport {
    var found: StallReport?
    until("\(certainty)") {
      found = StallDetector.scan().first { $0.certainty == certainty }
      return found != nil
    }
    for _ in 0..<20 { #expect(StallDetector.scan().isEmpty, "told once") }
    #expect(all.contains { $0.summary == found!.summary }, "the handler is called as well")
    return found!
  }

  /// Scans many times: what is reported must not be certain.
  func nothingCertain(_ what: String, looks: Int = 200) {
    for _ in 0..<looks {
      for report in StallDetector.scan() where report.certainty == .certain { Issue.record("\(what): \(report.text)") }
    }
  }

  /// Scans many times: nothing must be reported.
  func nothing(_ what: String, looks: Int = 200) {
    for _ in 0..<looks { for report in StallDetector.scan() { Issue.record("\(what): \(report.text)") } }
  }
}

/// Waits until this many threads have left a record of a wait, and sleep.
func untilWaiting(_ count: Int) { until("\(count) threads wait") { waitingThreads() == count } }
