// LockTrialResult.swift: the figures of a trial of evenness, and what they mean by the rule of Verdict.swift.

/// The figures of one trial.
public struct LockTrialResult: Sendable, Equatable {
  /// A lock that took part.
  public struct Entrant: Sendable, Equatable {
    /// What it is.
    public let name: String
    /// Its turns, one per round.
    public let turns: [LockTurn]

    /// A lock that took part.
    public init(name: String, turns: [LockTurn]) {
      self.name = name
      self.turns = turns
    }

    /// The longest wait of a turn, in milliseconds: the median turn and its interval.
    public var longestWait: Estimate { Estimate(of: turns.map { $0.longestWaitNanoseconds / 1e6 }) }
    /// The longest wait of all turns, in milliseconds.
    public var worstWait: Double { turns.map { $0.longestWaitNanoseconds / 1e6 }.max() ?? 0 }
    /// Fewest ÷ most of a turn: the median turn.
    public var evenness: Double { median(of: turns.map(\.evenness)) }
    /// How often the lock was got in a turn: the median turn.
    public var total: Double { median(of: turns.map { Double($0.counts.reduce(0, +)) }) }
  }

  /// The trial's name.
  public let name: String
  /// What was tried.
  public let operation: String
  /// The longest that a thread may wait, in milliseconds.
  public let limit: Double
  /// The locks that took part: Signalbox's first, then the toolchain's, then the peers.
  public let entrants: [Entrant]
  /// False for runs from which nothing may be concluded.
  public let isJudged: Bool

  /// Puts the figures of a trial together.
  public init(_ trial: LockTrial, _ entrants: [Entrant], isJudged: Bool) {
    name = trial.name
    operation = trial.operation
    limit = trial.longestWaitMilliseconds
    self.entrants = entrants
    self.isJudged = isJudged
  }

  /// Judges Signalbox's longest wait.
  public var verdict: Verdict {
    guard isJudged, let own = entrants.first else { return .notJudged }
    return .atMost(limit, own.longestWait)
  }
}
