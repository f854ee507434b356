// JudgementTests.swift: from what was seen to a verdict, for every way to end.
import SignalboxLab
import SignalboxSystem
import Testing

@Suite("Verdicts on scenarios") struct JudgementTests {
  private func judge(_ wantedEnd: WantedEnd, _ end: End, message: String = "", measured: String? = nil) -> ScenarioResult {
    let scenario = Scenario("demo", "", .survey, "B2", article: "", documents: "", expect: wantedEnd) { _ in "" }
    var seen = Observation(end: end)
    seen.message = message
    seen.measured = measured
    seen.events = [Event(thread: "worker 1", threadID: 9, queue: "q", text: "the last thing")]
    return ScenarioResult(scenario, seen, seconds: 0)
  }

  @Test("A scenario that is to return must return and must have measured something")
  func whatReturnsMustReturnAndHaveMeasured() {
    #expect(judge(.returns, .exited(0), measured: "42").hasPassed)
    #expect(judge(.returns, .exited(0), measured: "42").measured == "42")
    for end in [
      End.exited(0), .exited(1), .signalled(Signals.abort), .still(threads: 1), .deadline(seconds: 20), .notStarted("no"),
    ] {
      let result = judge(.returns, end)
      #expect(!result.hasPassed, "\(end)")
      #expect(result.failures[0].expected == "it comes to its end")
      #expect(result.failures[0].happened.contains("the last thing that happened: \"the last thing\" on worker 1"))
    }
  }

  @Test("A problem that was noted fails the scenario")
  func aProblemFails() {
    let scenario = Scenario("demo", "", .survey, "B2", article: "", documents: "") { _ in "" }
    var seen = Observation(end: .exited(0))
    seen.measured = "42"
    seen.problems = [Problem(expected: "a", happened: "b")]
    #expect(ScenarioResult(scenario, seen, seconds: 0).failures == seen.problems)
  }

  @Test("A scenario that is to be stopped must say for which misuse")
  func whatIsStoppedMustSayWhatItIs() {
    let stops = WantedEnd.stops(["queue \"a\"", "itself"])
    let result = judge(stops, .signalled(Signals.abort), message: "queue \"a\" waits for itself")
    #expect(result.hasPassed)
    #expect(result.measured == "stops (SIGABRT): queue \"a\" waits for itself")
    #expect(
      judge(stops, .signalled(Signals.abort), message: "queue \"a\"").failures.map(\.expected) == [
        "the message says \"itself\""
      ])
    for end in [End.exited(0), .still(threads: 2), .deadline(seconds: 20), .signalled(Signals.kill)] {
      #expect(!judge(stops, end, message: "queue \"a\" waits for itself", measured: "x").hasPassed, "\(end)")
    }
  }

  @Test("A scenario that is to be reported must be, and must go on")
  func whatIsReportedMustBeSaidAndGoesOn() {
    let reports = WantedEnd.reports(["no thread runs", "a timer"])
    #expect(judge(reports, .exited(0), message: "a timer on a loop which no thread runs", measured: "x").hasPassed)
    #expect(
      judge(reports, .exited(0), message: "a timer", measured: "x").failures.map(\.expected) == [
        "the message says \"no thread runs\""
      ])
    for end in [End.exited(0), .exited(1), .signalled(Signals.abort), .deadline(seconds: 20)] {
      #expect(!judge(reports, end, message: "a timer on a loop which no thread runs").hasPassed, "\(end)")
    }
  }

  @Test("A deadlock must hang or be reported")
  func aDeadlockHangsOrIsReported() {
    #expect(judge(.deadlocks, .still(threads: 2)).hasPassed)
    #expect(
      judge(.deadlocks, .still(threads: 2)).measured
        == "hangs, unreported: 2 threads sleep, main among them, nothing happened for 300 ms")
    #expect(judge(.deadlocks, .signalled(Signals.abort), message: "a cycle").hasPassed)
    #expect(!judge(.deadlocks, .signalled(Signals.abort)).hasPassed)
    #expect(!judge(.deadlocks, .exited(0), measured: "x").hasPassed)
    #expect(!judge(.deadlocks, .deadline(seconds: 20)).hasPassed)
  }
}
