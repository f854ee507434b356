// BuildComparison.swift: `signalbox bench --against BUILD`: the figures of rows in two builds of Signalbox, and what they say. Starting
// the builds is the caller's.
import SignalboxCommandLine

/// One of two builds that are compared.
public enum BuildSide: String, Sendable {
  /// The one that compares.
  case this
  /// The one that was named.
  case other
}

/// What a build says of a row in one round.
public struct BuildSample: Sendable, Equatable {
  /// Nanoseconds per operation.
  public let nanoseconds: Double
  /// Calls of the malloc family per operation; nil where they cannot be counted.
  public let allocations: Double?

  /// A build's word.
  public init(nanoseconds: Double, allocations: Double?) { (self.nanoseconds, self.allocations) = (nanoseconds, allocations) }
}

/// The figures of one row in both builds.
public struct BuildResult: Sendable {
  /// The row's name.
  public let name: String
  /// One sample per round.
  public let this: [BuildSample]
  /// The other build's.
  public let other: [BuildSample]
  /// Instructions per operation in both builds; nil where one of them cannot count.
  public var counts: (this: InstructionCounts, other: InstructionCounts)?
  /// False for runs from which nothing may be concluded.
  public let isJudged: Bool

  /// Puts the figures of a row together.
  public init(name: String, this: [BuildSample], other: [BuildSample], isJudged: Bool) {
    (self.name, self.this, self.other, self.isJudged) = (name, this, other, isJudged)
  }

  /// other ÷ this, pair by pair: how many times faster this build is.
  public var ratio: Estimate { Estimate(ofPairs: other.map(\.nanoseconds), over: this.map(\.nanoseconds)) }

  /// "Not slower", by the rule for every bar.
  public var verdict: Verdict { isJudged ? .atLeast(Bar.notSlowerRatio, ratio) : .notJudged }

  /// The medians of the calls of malloc; nil where they were not counted.
  public var allocations: (this: Double, other: Double)? {
    let (this, other) = (this.compactMap(\.allocations), other.compactMap(\.allocations))
    return this.isEmpty || other.isEmpty ? nil : (median(of: this), median(of: other))
  }

  /// Whether this build calls malloc more often: by more than a hundredth of a call, which is what threads' beginnings add.
  public var allocatesMore: Bool { allocations.map { $0.this > $0.other + 0.01 } ?? false }

  /// How much more than before an operation may take.
  private static let tolerance = 1.03

  /// Whether this build takes more instructions, or more of those that lock: by more than 3 %, and by more than one instruction.
  public var executesMore: Bool {
    guard let counts, counts.this.isSteady, counts.other.isSteady else { return false }
    func isMore(_ this: Double, _ other: Double, by least: Double) -> Bool { this > max(other * Self.tolerance, other + least) }
    return isMore(counts.this.instructions, counts.other.instructions, by: 1)
      || isMore(counts.this.locked, counts.other.locked, by: 0.1)
  }

  /// The row as a JSON object.
  public var json: JSON {
    func samples(_ side: [BuildSample]) -> JSON { .array(side.map { .number($0.nanoseconds) }) }
    return .object([
      ("name", .string(name)), ("this", samples(this)), ("other", samples(other)), ("ratio", ratio.json),
      ("allocations", allocations.map { .array([.number($0.this), .number($0.other)]) } ?? .null),
      ("allocatesMore", .boolean(allocatesMore)), ("counts", counts.map { .array([$0.this.json, $0.other.json]) } ?? .null),
      ("executesMore", .boolean(executesMore)), ("verdict", .string(verdict.rawValue)),
    ])
  }
}

/// Runs rows in both builds in turn.
public struct BuildRunner {
  private let rounds: Int
  private let pace: Pace

  /// A runner of this many pairs per row.
  public init(rounds: Int, pace: Pace) { (self.rounds, self.pace) = (rounds, pace) }

  /// Runs one row; `progress` hears of each round as it begins.
  public func run<Problem: Error>(
    _ name: String, progress: (_ round: Int, _ rounds: Int) -> Void, sample: (BuildSide) throws(Problem) -> BuildSample
  ) throws(Problem) -> BuildResult {
    var this: [BuildSample] = [], other: [BuildSample] = []
    for round in 0..<rounds {
      progress(round + 1, rounds)
      // Each round goes the other way round, so that no build always follows the same neighbour.
      for side in round % 2 == 0 ? [BuildSide.other, .this] : [.this, .other] {
        let value = try sample(side)
        if side == .this { this.append(value) } else { other.append(value) }
      }
    }
    let isJudged = pace == .full && rounds >= Verdict.fewestPairs && !isUnoptimised
    return BuildResult(name: name, this: this, other: other, isJudged: isJudged)
  }
}
