// FiguresForkTests.swift: reports and figures in the child of a fork, which has none of the threads that hand reports over.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Reports and figures in the child of a fork") struct FiguresForkTests {
  @Test("A deadlock in the child is written and stops it, calls no handler of all reports, and waits for none")
  func reports() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      alarm(500)
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      _ = ReportHandler { _ in StandardError.write("handed over\n") }
      let lock = MutexLock(name: "the child's")
      // While it begins it holds locks of the runtime's, which no thread would give back in the child.
      awaitState("the thread that calls handlers sleeps") {
        KernelThread.all().contains {
          KernelThread.name($0) == "signalbox.calls" && KernelThread.sample(UInt64($0))?.isWaiting == true
        }
      }
      let ending = forked { lock.withLock { lock.withLock {} } }
      #expect(ending == .killed(SIGABRT))
    }
    let text = errorText(result)
    #expect(text.contains("deadlock: a thread waits for itself") && !text.contains("handed over"), "\(text)")
  }

  @Test("The child has no figures, and reading them waits for nobody")
  func figures() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      EngineFigures.start()
      let queue = DispatchQueue(label: "the parent's"), group = DispatchGroup()
      queue.async(group: group) {}
      group.wait()
      // All that the child is to ask, once: what Swift's runtime makes at the first use, it makes under locks, which another thread may hold at
      // the fork.
      #expect(!EngineFigures.queues().isEmpty && !EngineFigures.pools().isEmpty && EngineFigures.isOn)
      let ending = forked {
        if !EngineFigures.queues().isEmpty || !EngineFigures.pools().isEmpty || EngineFigures.isOn { _exit(3) }
        EngineFigures.stop()
        if Instruments.byte != 0xFF { _exit(4) }  // by which a fork is noticed
      }
      #expect(ending == .exited(0))
      #expect(EngineFigures.isOn)
    }
  }
}
