// ExploreStrategy.swift: which schedules are tried.
import CSignalboxExplore
import SignalboxSystem

/// How an exploration chooses who goes on.
///
/// No strategy finds everything: the portfolio, which runs them in turn, is the default.
///
/// ```swift
/// for strategy in ExploreStrategy.allCases {  // .portfolio, .random, .sticky, .pos, .pct, .exhaustive
///   let result = try await explore(schedules: 20, strategy: strategy) { _ = await Task { 7 }.value }
///   print(strategy, result)
/// }
/// ```
public enum ExploreStrategy: Sendable, CaseIterable {
  /// All of the following but the last, in turn.
  case portfolio
  /// Any thread that can go on, each as likely as the other.
  case random
  /// As random, but a thread mostly goes on.
  case sticky
  /// Partial-order sampling: races for one object are drawn anew, whatever else happens.
  case pos
  /// Priorities that change at one, two or four steps of a run (probabilistic concurrency testing).
  case pct
  /// All schedules, one after the other, but those that only repeat others (sleep sets, without a bound of preemptions). For bodies of
  /// some dozen steps. Sources, operations, run loops, channels and tasks are taken to touch everything, so that bodies with them soon
  /// have millions.
  case exhaustive

  /// A bit for each of the core's strategies; 0: all.
  var bits: UInt32 {
    switch self {
    case .portfolio, .exhaustive: 0
    case .random: 1 << SBX_RANDOM.rawValue
    case .sticky: 1 << SBX_STICKY.rawValue
    case .pos: 1 << SBX_POS.rawValue
    case .pct: 1 << SBX_PCT2.rawValue | 1 << SBX_PCT3.rawValue | 1 << SBX_PCT5.rawValue
    }
  }
}

/// What one exploration was asked for.
struct ExploreSettings: Sendable {
  var strategy = ExploreStrategy.portfolio
  var seed: UInt64 = 1
  /// Uptime in nanoseconds at which no further schedule begins.
  var end: UInt64 = .max
  var stackSize = 4 << 20
  /// After this many steps those that can go on take turns; a run that is not over after twice as many makes no progress.
  var steps: UInt32 = 20_000
  /// What every run is like whose points are the engine's words (ExploreWords.swift); 0: its points are the engine's operations.
  var words: UInt32 = 0

  /// Whether the engine's operations lack something (ExploreWords.swift).
  var isWeakened: Bool {
    words
      & (SBX_WEAK_RELEASES.rawValue | SBX_WEAK_ACQUIRES.rawValue | SBX_WEAK_SEQ_CST.rawValue | SBX_WEAK_FENCES.rawValue
        | SBX_WEAK_WAKES.rawValue) != 0
  }

  mutating func set(seconds: Double?) {
    if let seconds { end = Clock.uptime() &+ UInt64(max(0, seconds) * 1e9) }
  }

  /// The flags of a run that was planned with others.
  func flags(_ planned: UInt32) -> UInt32 {
    guard words != 0 else { return planned }
    return planned & (SBX_HOLD_NEWBORN.rawValue | (words & SBX_STILL.rawValue == 0 ? SBX_TIMERS.rawValue : 0)) | words
  }

  var isOver: Bool { end != .max && Clock.uptime() >= end }
}
