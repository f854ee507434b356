// ReportingTests.swift: the seam's way of speaking: messages on standard error, whatever its state, and the ends of programs.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

@Suite("Messages on standard error") struct ReportingTests {
  @Test("A report is one line and the program goes on; errno is as it was")
  func report() async {
    let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
      errno = 55
      Misuse.report("something is odd")
      exit(errno == 55 ? 3 : 4)
    }
    expectReport(result, saying: "signalbox: something is odd\n")
  }

  @Test("Misuse ends the program by SIGABRT after its message")
  func stop() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      Misuse.stopHere("something is wrong")
    }
    expectStop(result, saying: "signalbox: misuse: something is wrong\n")
  }

  @Test("A closed standard error changes nothing")
  func closedDescriptor() async {
    await #expect(processExitsWith: .exitCode(5)) {
      close(2)
      errno = 55
      Misuse.report("nobody reads this")
      exit(errno == 55 ? 5 : 6)
    }
  }

  @Test("A standard error that nobody reads any more changes nothing")
  func brokenPipe() async {
    await #expect(processExitsWith: .exitCode(5)) {
      var mask = sigset_t()
      sigaddset(&mask, SIGPIPE)
      pthread_sigmask(SIG_UNBLOCK, &mask, nil)
      signal(SIGPIPE, SIG_DFL)
      var ends: (Int32, Int32) = (-1, -1)
      withUnsafeMutablePointer(to: &ends) { _ = $0.withMemoryRebound(to: Int32.self, capacity: 2) { pipe($0) } }
      dup2(ends.1, 2)
      close(ends.0)
      Misuse.report("nobody reads this")
      exit(5)
    }
  }

  @Test("A long message arrives whole through a pipe that is read slowly")
  func longMessage() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Misuse.report(String(repeating: "x", count: 200_000))
    }
    #expect(errorText(result).contains(String(repeating: "x", count: 200_000) + "\n"), "\(errorText(result))")
  }

  @Test("The environment is read by name, unset is nil")
  func environment() async {
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_TEST_VALUE", "12", 1)
      #expect(Environment.value("SIGNALBOX_TEST_VALUE") == "12")
      unsetenv("SIGNALBOX_TEST_VALUE")
      #expect(Environment.value("SIGNALBOX_TEST_VALUE") == nil)
    }
  }

  @Test("Instruments' bits are set and cleared one by one")
  func instruments() async {
    await #expect(processExitsWith: .success) {
      #expect(Instruments.areOff && Instruments.byte == 0)
      Instruments.set(0x05)
      #expect(!Instruments.areOff && Instruments.byte == 0x05)
      Instruments.set(0x02, mask: 0x06)
      #expect(Instruments.byte == 0x03)
      Instruments.set(0xFF)
      #expect(Instruments.byte == 0xFF)
      Instruments.set(0)
      #expect(Instruments.areOff)
    }
  }
}
