// FailureStudy.swift: what is done with a failure before it is reported: it is run again, and its switches are taken away while it stays.
import CSignalboxExplore
import SignalboxSystem

/// A failure that was run again and shrunk.
package struct StudiedFailure {
  /// What it is called.
  package var kind: FailureKind
  /// The schedule that is reported, run with stacks kept.
  package var result: RunResult
  package var token: Token
  /// The number of the schedule in which it was met; nil for a replay.
  package var run: UInt64?
  var strategy: UInt32
  /// How many decisions it had when it was met.
  var decisionsBefore: Int
  /// Further lines of the report.
  var notes: [String] = []
  /// Whether the schedule had been saved by an earlier exploration.
  var isSaved = false
  /// How it ended when it was run again, where that differed and something outside the program affected it: then it shows
  /// nothing of the program.
  var otherEnd: String?
}

extension StudiedFailure {
  /// What a token has shown.
  package init(replayed result: RunResult, _ token: Token) {
    self.init(
      kind: result.failure ?? .status, result: result, token: token, run: nil, strategy: token.strategy,
      decisionsBefore: result.decisions.count)
  }
}

package struct FailureStudy {
  let server: any ScheduleRunner
  /// The time of day at the failed run's begin, which the program may have seen.
  let wall: UInt64
  /// How many runs shrinking may take, and how long.
  package var budget = 3_000
  package var patience: UInt64 = 6_000_000_000
  var isInterrupted: () -> Bool = { false }

  package init(server: any ScheduleRunner, wall: UInt64) { (self.server, self.wall) = (server, wall) }

  /// The failure as it was met, of a kind that does not come again in one process.
  package func unstudied(_ found: FoundFailure) -> StudiedFailure {
    StudiedFailure(
      kind: found.result.failure ?? .status, result: found.result,
      token: token(found.result, found.strategy, found.flags & SBX_API_POINTS.rawValue), run: found.run,
      strategy: found.strategy,
      decisionsBefore: found.result.decisions.count)
  }

  /// Runs it twice, then shrinks it.
  package mutating func study(_ found: FoundFailure) -> StudiedFailure {
    var studied =
      replayed(found) ?? unreplayed(found, "the program that stood before its main function has gone: it was run once")
    studied.notes = found.notes + studied.notes
    studied.isSaved = found.run == nil
    return studied
  }

  private func unreplayed(_ found: FoundFailure, _ note: String) -> StudiedFailure {
    let met = found.result
    return StudiedFailure(
      kind: met.failure ?? .status, result: met, token: token(met, found.strategy, found.flags & SBX_KEPT.rawValue),
      run: found.run, strategy: found.strategy, decisionsBefore: Int(met.outcome.decisions), notes: [note])
  }

  private mutating func replayed(_ found: FoundFailure) -> StudiedFailure? {
    // In a replay what the strategy chose is decided: the flags for it have no more to say.
    let flags = found.flags & SBX_KEPT.rawValue
    let met = found.result
    guard met.outcome.decisions <= UInt32(SBX_MAX_DECISIONS) else {
      return unreplayed(found, "it made more decisions than are kept: there is no token that replays it")
    }
    var again: RunResult?
    var isOtherWay = false
    for _ in 0..<2 {
      guard let result = server.replay(met.decisions, flags: flags, wall: wall) else { return nil }
      again = result
      if result.failsLike(met), result.outcome.hash == met.outcome.hash { continue }
      let isOutside = met.outcome.outside > 0 || result.outcome.outside > 0
      guard isOutside, result.failsLike(met) else {
        var studied = nondeterministic(found, result, flags)
        if isOutside { studied.otherEnd = result.words }
        return studied
      }
      isOtherWay = true
    }
    // It fails each time, but not by the same steps: there is nothing to shrink.
    if isOtherWay {
      return unreplayed(found, "run again with the same choices it failed likewise, by other steps; \(Self.outsideNote)")
    }
    guard var best = again else { return nil }
    shrink(&best, flags)
    guard let told = server.replay(best.decisions, flags: flags | SBX_DETAIL.rawValue, wall: wall) else { return nil }
    var studied = StudiedFailure(
      kind: told.failure ?? best.failure ?? .status, result: told, token: token(told, found.strategy, flags), run: found.run,
      strategy: found.strategy, decisionsBefore: met.decisions.count)
    if told.outcome.outside > 0 { studied.notes.append(Self.outsideNote) }
    return studied
  }

  static let outsideNote =
    "something outside the program affected this run (a wait that cannot be seen); the result may not repeat"

  private func nondeterministic(_ found: FoundFailure, _ result: RunResult, _ flags: UInt32) -> StudiedFailure {
    let met = found.result
    let how = result.failsLike(met) ? "it failed likewise, by another way" : "it ended with \(result.words)"
    var studied = StudiedFailure(
      kind: .nondeterminism, result: met, token: token(met, found.strategy, flags), run: found.run, strategy: found.strategy,
      decisionsBefore: met.decisions.count)
    studied.notes.append("met as \(met.words); run again with the same choices \(how)")
    if let parting = Parting(result, studied.token, shared: server.shared) { studied.notes.append(parting.text) }
    if met.outcome.outside > 0 { studied.notes.append(Self.outsideNote) }
    return studied
  }

  private func token(_ result: RunResult, _ strategy: UInt32, _ flags: UInt32) -> Token {
    Token(
      strategy: strategy, flags: flags, wall: wall, steps: result.steps, hash: result.outcome.hash,
      decisions: result.decisions, checks: result.checks)
  }

  // MARK: shrinking

  /// Takes decisions away, in large pieces first and in the order in which they were made, as long as the run fails likewise.
  private mutating func shrink(_ best: inout RunResult, _ flags: UInt32) {
    let end = Clock.uptime() + patience
    var mayGoOn: Bool { budget > 0 && Clock.uptime() < end && !isInterrupted() }
    // What was decided long before mostly does not matter.
    var kept = 1
    while mayGoOn, kept < best.decisions.count {
      budget -= 1
      guard let result = server.replay(Array(best.decisions.suffix(kept)), flags: flags, wall: wall) else { return }
      if result.failsLike(best), result.decisions.count < best.decisions.count {
        best = result
        break
      }
      kept *= 2
    }
    var size = max(1, best.decisions.count / 2)
    while mayGoOn, !best.decisions.isEmpty {
      let before = best.decisions.count
      var start = 0
      while start < best.decisions.count, mayGoOn {
        var fewer = best.decisions
        fewer.removeSubrange(start..<min(start + size, fewer.count))
        budget -= 1
        guard let result = server.replay(fewer, flags: flags, wall: wall) else { return }
        // Those that could not be made any more count as gone.
        if result.failsLike(best), result.outcome.divergences == 0 || result.decisions.count < best.decisions.count {
          best = result
        } else {
          start += size
        }
      }
      if size == 1 && best.decisions.count == before { break }
      size = max(1, min(size / 2, best.decisions.count))
    }
  }
}
