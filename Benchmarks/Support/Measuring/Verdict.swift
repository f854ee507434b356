// Verdict.swift: whether a row's bar is reached, by the one rule: a bar is missed when the whole interval lies beyond it.

/// What the figures say about a bar.
public enum Verdict: String, Sendable, Equatable {
  /// The median reaches the bar.
  case met
  /// The median does not reach the bar, but the interval does: noise may hide it, so the rule does not call it missed.
  case open
  /// The whole interval lies on the wrong side of the bar.
  case missed
  /// Smoke runs, builds without optimisation, runs of fewer than nine pairs and rows without a bar are not judged.
  case notJudged = "not judged"
}

extension Verdict {
  /// The fewest interleaved pairs that may be judged.
  public static let fewestPairs = 9

  static func atLeast(_ bar: Double, _ estimate: Estimate) -> Verdict {
    estimate.median >= bar ? .met : estimate.high >= bar ? .open : .missed
  }

  static func atMost(_ bar: Double, _ estimate: Estimate) -> Verdict {
    estimate.median <= bar ? .met : estimate.low <= bar ? .open : .missed
  }

  /// The better of two ways to satisfy a row.
  func or(_ other: Verdict) -> Verdict {
    self == .met || other == .met ? .met : self == .open || other == .open ? .open : .missed
  }

  /// The worse of two demands on a row.
  func and(_ other: Verdict) -> Verdict {
    self == .missed || other == .missed ? .missed : self == .open || other == .open ? .open : .met
  }
}

extension RowResult {
  /// Judges this row against its bar.
  public var verdict: Verdict {
    guard isJudged else { return .notJudged }
    switch bar {
    case .ratio(let required): return .atLeast(required, ratio)
    case .kernelBound(let required, let factor): return .atLeast(required, ratio).or(.atMost(factor, timesFloor))
    case .ownCost(let factor, _): return timesReference.map { .atMost(factor, $0) } ?? .notJudged
    case .ownCostAnd(let most, _): return aboveReference.map { .atMost(most, $0) } ?? .notJudged
    case .time(let most): return .atMost(most, Estimate(of: signalbox.samples))
    case .nearFloor(let factor): return .atMost(factor, timesFloor)
    case .ratioBesidePeers(let required):
      return peers.reduce(.atLeast(required, ratio)) { $0.and(.atLeast(Bar.notSlowerRatio, ratio(to: $1))) }
    case .none: return .notJudged
    }
  }
}
