// ExploreFailure.swift: what an exploration throws, and what it returns.
public import SignalboxExplorer

/// A schedule under which a body fails.
///
/// Escaping from a test it is the test's failure; its description tells what happened, the switches that matter with file and line,
/// and the token that replays the schedule.
///
/// ```swift
/// do {
///   try explore { throw CancellationError() }
/// } catch let failure as ExploreFailure {
///   print(failure.kind, "in schedule", failure.schedule ?? 0, "of", failure.schedules, failure.message)
///   for line in failure.switches { print(line) }
///   print("SIGNALBOX_EXPLORE_REPLAY=" + failure.token, failure.description)
/// }
/// ```
public struct ExploreFailure: Error, CustomStringConvertible, Sendable {
  /// How the body failed.
  public let kind: FailureKind
  /// What happened, in a few lines: the error that the body threw, the cycle of a deadlock, or what was left behind.
  public let message: String
  /// The threads' switches that make it fail, in their order: a line for who stops where, and one for who goes on.
  public let switches: [String]
  /// Replays the schedule: `SIGNALBOX_EXPLORE_REPLAY=<token>` in the environment of the test.
  public let token: String
  /// The number of the schedule in which the failure was met, from 1; nil if a token was replayed.
  public let schedule: UInt64?
  /// How many schedules had been run.
  public let schedules: UInt64
  /// All of it, as printed.
  public let description: String
}

/// What was explored without a failure.
///
/// ```swift
/// let result = try await explore(schedules: 50) { _ = await Task { 7 }.value }
/// print(result.isExhaustive ? result.distinct : result.schedules, "schedules,", result.steps, "steps")
/// print(result.switches, "switches:", result.description)
/// ```
public struct ExploreResult: Sendable, CustomStringConvertible {
  /// How many schedules were run.
  public let schedules: UInt64
  /// Whether all that there are were among these.
  public let isExhaustive: Bool
  /// How many there are that differ; 0 if that is not known.
  public let distinct: UInt64
  /// Points passed in all of them, and changes from one thread to another.
  public let steps: UInt64
  /// Changes from one thread to another.
  public let switches: UInt64
  /// About how many schedules there are, by what a search that did not come to its end has seen of their tree; nil: nobody knows.
  var estimate: Double?

  /// One line.
  public var description: String {
    let all = isExhaustive ? distinct : schedules, besides = schedules - all
    return "explored \(isExhaustive ? "all " : "")\(all) schedule\(all == 1 ? "" : "s")"
      + (besides == 0 ? "" : ", and \(besides) more that were drawn") + ": none fails"
  }
}

/// Why nothing was explored.
///
/// ```swift
/// do {
///   try explore(schedules: 10) {}
/// } catch let trouble as ExploreTrouble {
///   print("nothing was explored:", trouble.description)
/// }
/// ```
public struct ExploreTrouble: Error, CustomStringConvertible, Sendable {
  /// What is wrong, and what to do about it.
  public let description: String
  init(_ text: String) { description = text }
}
