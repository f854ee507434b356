// Failure.swift: how a run can fail, and when two runs fail alike.
import CSignalboxExplore

/// The ways in which a run fails.
public enum FailureKind: String, Sendable, Equatable {
  /// Nobody can ever go on.
  case deadlock
  /// A signal ended it: a trap, an assertion, a bad access.
  case crash
  /// It ended with a status other than 0.
  case status
  /// It ended, and left work undone.
  case unfinished
  /// It went on and on.
  case noProgress = "no-progress"
  /// The thread sanitizer found a race.
  case race
  /// The same choices led elsewhere.
  case nondeterminism
  /// The body of a test threw an error.
  case error
  /// An atomic operation of the engine on memory that was given back before (trait Explore).
  case freedWord = "freed-word"

  init?(_ failure: UInt32) {
    switch sbx_failure(rawValue: failure) {
    case SBX_DEADLOCK: self = .deadlock
    case SBX_CRASH: self = .crash
    case SBX_STATUS: self = .status
    case SBX_UNFINISHED: self = .unfinished
    case SBX_NO_PROGRESS: self = .noProgress
    case SBX_RACE: self = .race
    case SBX_NONDETERMINISM: self = .nondeterminism
    case SBX_ERROR: self = .error
    case SBX_FREED: self = .freedWord
    default: return nil
    }
  }
}

/// What became of one run.
package struct RunResult {
  package var outcome: sbx_outcome
  /// The decisions in the order in which they were made.
  package var decisions: [Decision]
  /// After how many steps each was made.
  var decisionSteps: [StepNumber]
  /// How many steps it had.
  var steps: StepNumber { StepNumber(seen: outcome.steps) }
  /// The beginning of what the program wrote.
  package var output: String
  /// What was seen until some steps.
  var checks: [UInt8]

  /// What the run that is over has left in the shared memory.
  package init(_ shared: OpaquePointer, output: String) {
    let outcome = sbx_outcome_of(shared).pointee, made = sbx_decisions_of(shared)
    self.outcome = outcome
    let kept = 0..<min(Int(outcome.decisions), Int(SBX_MAX_DECISIONS))
    decisions = kept.map { index in
      let decision = made[index]
      return Decision(
        thread: decision.thread, point: decision.point, next: decision.next, check: UInt8(decision.hash & 0x7F))
    }
    decisionSteps = kept.map { StepNumber(seen: made[$0].step) }
    self.output = output
    // Those that are no longer kept count as 0.
    checks = Token.checked(steps: StepNumber(seen: outcome.steps))
      .map { step in sbx_step_at(shared, step.value).map { UInt8($0.pointee.hash & 0x7F) } ?? 0 }
  }

  /// How it failed; nil if it did not.
  package var failure: FailureKind? {
    guard let kind = FailureKind(outcome.failure) else { return nil }
    // The engine's own report stops the program before the wait that would close the cycle.
    return kind == .crash && Self.tellsOfDeadlock(output) ? .deadlock : kind
  }

  /// Whether it is no result: it waited for what nobody sees, or was too large.
  package var isStuck: Bool { outcome.failure >= SBX_STUCK_OUTSIDE.rawValue }

  /// Whether both failed in one way.
  func failsLike(_ other: RunResult) -> Bool {
    guard let failure, failure == other.failure else { return false }
    if failure == .error || failure == .unfinished { return output == other.output }
    return failure == .deadlock || outcome.status == other.outcome.status
  }

  static func tellsOfDeadlock(_ output: String) -> Bool {
    output.split(separator: "\n").contains { $0.hasPrefix("signalbox") && $0.contains(": deadlock: ") }
  }

  /// In words, without an article.
  package var words: String {
    let status = outcome.status
    return switch failure {
    case nil: "no failure"
    case .crash: "crash (\(Self.signals[status] ?? "signal \(status)"))"
    case .status: "exit status \(status)"
    case .noProgress: "no progress"
    case .error: "error"
    case .freedWord: "an operation on a word in memory that was given back"
    case let kind?: kind.rawValue
    }
  }
  private static let signals: [Int32: String] = [
    4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV",
  ]
}
