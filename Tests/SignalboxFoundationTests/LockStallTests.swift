// LockStallTests.swift: waits for Foundation's conditions that nothing is left to end, as the stall detector reports them. What it makes
// of locks is SignalboxDiagnosisTests/Stalls.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxFoundation

/// The first certain finding about the threads made from now on; the process goes on after it.
private final class FirstFinding {
  init() {
    alarm(500)
    LockOrder.mode = .off
    Deadlock.policy = .report
    setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
    StallDetector.testsOnly_leaveOut(Set(KernelThread.all()))
  }
  func certain() -> StallReport {
    var found: StallReport?
    precondition(
      eventually {
        found = StallDetector.scan().first { $0.certainty == .certain }
        return found != nil
      }, "a finding")
    return found!
  }
}

@Suite("Conditions that nothing is left to call") struct LockStallTests {
  @Test("An NSConditionLock whose condition is never set, waited for while it is free or held", arguments: [-3, 7])
  func conditionLock(number: Int) async {
    await #expect(processExitsWith: .success) { [number = number as Int] in
      let findings = FirstFinding(), lock = NSConditionLock(condition: 1)
      lock.name = "rounds"
      lock.withLock { Thread.detachNewThread { lock.lock(whenCondition: number) } }
      let report = findings.certain()
      #expect(report.cause == .allWait && report.objects.map(\.object.kind) == [.nsConditionLock], "\(report.text)")
      #expect(report.text.contains("\"rounds\": nothing is left to unlock it with condition \(number)\n"), "\(report.text)")
      exit(0)
    }
  }

  @Test("An NSCondition that nobody signals; and one that somebody waits for by its lock, whose holder waits for a signal")
  func condition() async {
    await #expect(processExitsWith: .success) {
      let findings = FirstFinding(), condition = NSCondition()
      Thread.detachNewThread {
        condition.lock()
        condition.wait()
      }
      let report = findings.certain()
      #expect(report.objects.map(\.object.kind) == [.nsCondition], "\(report.text)")
      #expect(report.text.contains("nothing is left to signal it"), "\(report.text)")
      exit(0)
    }
  }
}
