// StoppedTests.swift: the process is stopped and goes on later: what was due meanwhile is reported then, once.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Faults {
  @Suite struct StoppedTests {
    @Test("After a stop of 400 ms timers fire once for what was due, bytes and signals are delivered, and waits have ended")
    func stopped() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let pipe = IOPipe()
        let (continued, bytes, once) = (Count(), Count(), Count())
        let (ticks, largest, calls) = (Count(), Count(), Count())
        let signals = DispatchSource.makeSignalSource(signal: SIGCONT)
        signals.setEventHandler { continued.add(UInt64(signals.data)) }
        signals.activate()
        let output = pipe.output
        let reading = DispatchSource.makeReadSource(fileDescriptor: output)
        reading.setEventHandler {
          var byte: UInt8 = 0
          if read(output, &byte, 1) == 1 { bytes.add() } else { reading.cancel() }
        }
        reading.activate()
        let start = Clock.uptime()
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now(), repeating: .milliseconds(10))
        timer.setEventHandler {
          ticks.add(UInt64(timer.data))
          calls.add()
          largest.value = max(largest.value, UInt64(timer.data))
        }
        timer.activate()
        // The helper stops this process after 100 ms, and lets it go on 400 ms later.
        let helper = startProgram(
          shellWords("sleep 0.1; kill -STOP \(getpid()); sleep 0.2; printf abc; sleep 0.2; kill -CONT \(getpid())"),
          output: pipe.input)
        pipe.closeInput()
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { once.add() }
        let waiting = DispatchSemaphore(value: 0)
        precondition(waiting.wait(timeout: .now() + 0.35) == .timedOut)
        precondition(eventually { continued.value == 1 }, "the process was not stopped")
        precondition(Ending.of(helper) == .exited(0))
        precondition(eventually { bytes.value == 3 && once.value == 1 && reading.isCancelled })
        // About 40 of them were due while the process was stopped: one call tells them.
        precondition(eventually { ticks.value >= 60 })
        let due = (Clock.uptime() - start) / 10_000_000 + 1
        precondition(ticks.value <= due, "\(ticks.value) of \(due)")
        precondition(largest.value >= 30 && calls.value <= ticks.value - 29, "\(largest.value) at once, \(calls.value) calls")
        precondition(once.value == 1 && continued.value == 1)
        timer.cancel()
        signals.cancel()
      }
    }
  }
}
