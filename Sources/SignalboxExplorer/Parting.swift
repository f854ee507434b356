// Parting.swift: where a run leaves the schedule that a token names, as narrowly as the token tells.
import CSignalboxExplore
import SignalboxLaunch
import SignalboxSystem

/// The steps, counted from 1, one of which is the first that differs.
package struct Parting: Equatable {
  package var steps: ClosedRange<UInt32>

  /// What is known of both until one step, that one included.
  package struct Evidence: Equatable {
    var step: StepNumber
    var isAlike: Bool
  }

  /// Between the last step until which both are known to be alike and the first until which they are known not to be.
  ///
  /// - Returns: nil if nothing says that they part.
  init?(_ evidence: [Evidence]) {
    let sorted = evidence.sorted { ($0.step, $0.isAlike ? 0 : 1) < ($1.step, $1.isAlike ? 0 : 1) }
    guard let end = sorted.firstIndex(where: { !$0.isAlike }) else { return nil }
    let first = sorted[..<end].last?.step.next ?? StepNumber(seen: 1)
    steps = first.value...max(first, sorted[end].step).value
  }

  /// Compares the run that is over with the token.
  package init?(_ result: RunResult, _ token: Token, shared: OpaquePointer) {
    if result.outcome.hash == token.hash && result.steps == token.steps { return nil }
    self.init(Self.checked(result, token, shared) + Self.decided(result, token) + Self.ended(result, token))
  }

  /// The token's checks at evenly spread steps.
  private static func checked(_ result: RunResult, _ token: Token, _ shared: OpaquePointer) -> [Evidence] {
    zip(Token.checked(steps: token.steps), token.checks).compactMap { step, check in
      // Of a long run the first steps were not kept.
      guard token.steps.distance(from: step) < UInt32(SBX_MAX_STEPS), let seen = sbx_step_at(shared, step.value) else {
        return nil
      }
      return Evidence(step: step, isAlike: UInt8(seen.pointee.hash & 0x7F) == check)
    }
  }

  /// Its decisions, each with what was seen before it; and the first that could not be made.
  private static func decided(_ result: RunResult, _ token: Token) -> [Evidence] {
    var made: [UInt64: Int] = [:]
    func key(_ decision: Decision) -> UInt64 { UInt64(decision.thread) << 32 | UInt64(decision.point) }
    for (index, decision) in result.decisions.enumerated() { made[key(decision)] = index }
    var evidence = token.decisions.compactMap { decision -> Evidence? in
      guard let index = made[key(decision)], result.decisionSteps[index].value > 0 else { return nil }
      return Evidence(step: result.decisionSteps[index], isAlike: result.decisions[index].check == decision.check)
    }
    if result.outcome.divergences > 0 {
      evidence.append(Evidence(step: StepNumber(seen: result.outcome.divergence_step).next, isAlike: false))
    }
    return evidence
  }

  /// Both as a whole.
  private static func ended(_ result: RunResult, _ token: Token) -> [Evidence] {
    let shorter = min(result.steps, token.steps)
    return [Evidence(step: result.steps == token.steps && shorter.value > 0 ? shorter : shorter.next, isAlike: false)]
  }

  // MARK: in words

  /// `the two part at step 12`.
  package var text: String {
    steps.count == 1
      ? "the two part at step \(steps.lowerBound)"
      : "the two part between the steps \(steps.lowerBound) and \(steps.upperBound)"
  }

  private static let mostShown = 4

  /// The same, with what the run that is over does there.
  func text(_ server: any ScheduleRunner, program: RawString) -> String {
    let shown = steps.prefix(Self.mostShown).compactMap { FailureReport.done(at: $0, server, program: program) }
    guard !shown.isEmpty else { return text + ": this run has ended by then" }
    let more = steps.count > Self.mostShown ? "; …" : ""
    return text + ": in this run " + shown.joined(separator: "; ") + more
  }
}
