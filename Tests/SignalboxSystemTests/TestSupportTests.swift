// TestSupportTests.swift: the helpers of all tests can fail: a message that lacks a part, a state that does not come.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@Suite("The helpers of the tests can fail") struct TestSupportTests {
  @Test("A message that lacks a part, or has it inside a word only, is an issue")
  func messages() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      StandardError.write("misuse: mutex 0x1f is unlocked 12 times\n")
      abort()
    }
    expectStop(result, saying: "misuse: mutex 0x", "unlocked 12 times", "12 times\n")
    for part in ["locked 12", "2 times", "unlocked 1", "mut", "relocked"] {
      withKnownIssue {
        expectStop(result, saying: part)
      } matching: { issue in
        issue.comments.contains { $0.rawValue.contains("is unlocked 12 times") }
      }
    }
  }

  @Test("A program that continues where it should stop is an issue, and so is the reverse")
  func ends() async {
    let stopped = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      StandardError.write("said\n")
      abort()
    }
    expectStop(stopped, saying: "said")
    withKnownIssue { expectReport(stopped, saying: "said") }
    let left = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
      StandardError.write("said\n")
      exit(3)
    }
    expectReport(left, saying: "said")
    withKnownIssue { expectStop(left, saying: "said") }
  }

  @Test("A wait for a state ends when the state is reached, and fails after its deadline")
  func states() {
    var readings = 0
    let comes = eventually {
      readings += 1
      return readings == 3
    }
    #expect(comes && readings == 3)
    #expect(!eventually(within: 0) { false })
  }

  @Test("Work side by side gives its results in order, and errors in their places")
  func results() {
    struct Odd: Error {}
    let results = sideBySide(Array(0..<20), width: 3) { (number: Int) throws(any Error) -> Int in
      if number % 2 == 1 { throw Odd() }
      return number * 10
    }
    #expect(results.map { try? $0.get() } == (0..<20).map { $0 % 2 == 1 ? nil : $0 * 10 })
  }
}
