// Judgement.swift: from what was seen to a verdict: pure. Judged against the documents, never against the article.
import SignalboxSystem

/// How the process of a scenario ended.
public enum End: Sendable, Equatable {
  /// By itself, with this status.
  case exited(Int32)
  /// By this signal, not sent by the lab.
  case signalled(Int32)
  /// Ended by the lab: this many threads slept, the main thread among them, and nothing happened any more.
  case still(threads: Int)
  /// Ended by the lab at the deadline, still busy or waiting for a time.
  case deadline(seconds: Int)
  /// It was never started.
  case notStarted(String)
}

/// What was seen of a scenario.
public struct Observation: Sendable, Equatable {
  /// How it ended.
  public var end: End
  /// What happened, in order.
  public var events: [Event] = []
  /// Demands of the scenario that were not met.
  public var problems: [Problem] = []
  /// What the scenario measured; nil if it did not get so far.
  public var measured: String?
  /// What the library said on standard error.
  public var message = ""

  /// An observation.
  public init(end: End) { self.end = end }
}

/// A scenario, what was seen, and what that means.
public struct ScenarioResult: Sendable {
  /// The scenario.
  public let scenario: Scenario
  /// What happened, in order.
  public let events: [Event]
  /// What was measured, for the third column.
  public let measured: String
  /// What the library said on standard error.
  public let message: String
  /// Why it failed; empty if it passed.
  public let failures: [Problem]
  /// How long it took.
  public let seconds: Double

  /// Whether it did what the documents say.
  public var hasPassed: Bool { failures.isEmpty }

  /// Judges an observation.
  public init(_ scenario: Scenario, _ seen: Observation, seconds: Double) {
    self.scenario = scenario
    self.seconds = seconds
    events = seen.events
    message = seen.message
    measured = Self.measured(scenario, seen)
    failures = seen.problems + Self.failures(scenario.wantedEnd, seen)
  }

  private static func measured(_ scenario: Scenario, _ seen: Observation) -> String {
    switch seen.end {
    case .exited: seen.measured ?? "it ended before anything was measured"
    case .signalled(Signals.abort): "stops (SIGABRT): " + (seen.message.isEmpty ? "without a message" : seen.message)
    case .signalled(let number): "killed by \(Signals.name(number))" + (seen.message.isEmpty ? "" : ": \(seen.message)")
    case .still(let threads):
      "hangs, unreported: \(Self.asleep(threads)), nothing happened for \(scenario.hangMilliseconds) ms"
        + (seen.message.isEmpty ? "" : "; the library said: \(seen.message)")
    case .deadline(let seconds): "no end after \(seconds) s"
    case .notStarted(let why): "not run: \(why)"
    }
  }

  private static func asleep(_ threads: Int) -> String {
    threads == 1 ? "the main thread sleeps" : "\(threads) threads sleep, main among them"
  }

  private static func failures(_ wantedEnd: WantedEnd, _ seen: Observation) -> [Problem] {
    let happened = describe(seen)
    switch (wantedEnd, seen.end) {
    case (.returns, .exited(0)) where seen.measured != nil: return []
    case (.reports(let parts), .exited(0)) where seen.measured != nil:
      return missing(parts, seen, happened)
    case (.returns, _), (.reports, _): return [Problem(expected: "it comes to its end", happened: happened)]
    case (.stops(let parts), .signalled(Signals.abort)): return missing(parts, seen, happened)
    case (.stops, _): return [Problem(expected: "the library stops the program with a message", happened: happened)]
    case (.deadlocks, .still): return []
    case (.deadlocks, .signalled(Signals.abort)) where !seen.message.isEmpty: return []
    case (.deadlocks, _): return [Problem(expected: "a deadlock: it hangs, or is stopped with a message", happened: happened)]
    }
  }

  private static func missing(_ parts: [String], _ seen: Observation, _ happened: String) -> [Problem] {
    parts.filter { !seen.message.contains($0) }
      .map { Problem(expected: "the message says \"\($0)\"", happened: happened) }
  }

  private static func describe(_ seen: Observation) -> String {
    let end =
      switch seen.end {
      case .exited(0): seen.measured == nil ? "the process ended too early" : "it came to its end"
      case .exited(let status): "the process ended with status \(status)"
      case .signalled(let number): "the process was ended by \(Signals.name(number))"
      case .still(let threads): "it hangs: \(asleep(threads))"
      case .deadline(let seconds): "it was still going on after \(seconds) s and was killed"
      case .notStarted(let why): "it could not be started: \(why)"
      }
    let last = seen.events.last.map { "; the last thing that happened: \"\($0.text)\" on \($0.thread)" } ?? ""
    return end + (seen.message.isEmpty ? "" : ", saying: \(seen.message)") + last
  }
}
