// Endings.swift: one suite for each way in which a test may end, each with a test behind it that is to run all the same.
import Foundation
import Testing

private func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

@Suite("Some that pass") struct PassingTests {
  @Test("One passes and writes to standard error") func noise() { say("noise of a test that passes") }
  @Test("Three cases pass: \"a\\b\" (a+b)?", arguments: 1...3) func cases(number: Int) { #expect(number > 0) }
  @Test("One is left out", .disabled("on purpose")) func disabled() {}
  @Test func withoutName() {}
  @Suite("Some inside others") struct InnerTests {
    @Test("One passes in there") func inner() {}
  }
}

@Suite("Some that fail") struct FailingTests {
  private struct Failure: Error {}
  @Test("One fails, and its lines are printed") func fails() {
    say("written before the failure")
    #expect(1 + 1 == 3, "arithmetic")
  }
  @Test("One throws an error") func throwing() throws { throw Failure() }
  @Test("One of two cases fails", arguments: [1, 2]) func cases(number: Int) { #expect(number == 1) }
  @Test("One has a known issue, and passes") func known() { withKnownIssue { Issue.record("known") } }
  @Test("One passes behind the failures") func after() {}
}

@Suite("Some that trap") struct TrappingTests {
  @Test("One passes before the trap") func before() {}
  @Test("One [traps] (in a function + another)") func traps() {
    say("written before the trap")
    outOfBounds([])
  }
  @Test("One passes behind the trap") func after() {}

  @inline(never) private func outOfBounds(_ empty: [Int]) { print(empty[1]) }
}

@Suite("Some that exit") struct ExitingTests {
  @Test("One exits with status 3") func three() { exit(3) }
  @Test("One exits with status 0") func zero() { exit(0) }
  @Test("One passes behind the exits") func after() {}
}

@Suite("Some that hang") struct HangingTests {
  @Test("One hangs") func hangs() { while true { pause() } }
  @Test("One passes behind the one that hangs") func after() {}
}

@Test("One is in no suite") func outside() {}
