// RowResult.swift: the figures of one row. How they are taken is Runner.swift, what they mean is Verdict.swift.

/// What one of the row's workloads cost.
public struct LaneResult: Sendable, Equatable {
  /// Nanoseconds per operation, one value per round.
  public let samples: [Double]
  /// How many operations one sample ran.
  public let operationsPerSample: Int
  /// Calls of the malloc family per operation, in steady state and on all threads; nil where they cannot be counted.
  public let allocationsPerOperation: Double?

  /// A lane's figures.
  public init(samples: [Double], operationsPerSample: Int, allocationsPerOperation: Double? = nil) {
    self.samples = samples
    self.operationsPerSample = operationsPerSample
    self.allocationsPerOperation = allocationsPerOperation
  }

  /// The median of the samples.
  public var nanoseconds: Double { median(of: samples) }
  /// Whether there are samples, and times at all.
  public var isMeasured: Bool { !samples.isEmpty && nanoseconds.isFinite && nanoseconds > 0 }
}

/// The figures of a further competitor.
public struct PeerResult: Sendable, Equatable {
  /// What it is.
  public let name: String
  /// Its figures.
  public let lane: LaneResult

  /// A peer's figures.
  public init(name: String, lane: LaneResult) {
    self.name = name
    self.lane = lane
  }
}

/// The figures of one row.
public struct RowResult: Sendable, Equatable {
  /// The row's name.
  public let name: String
  /// The part of the table it belongs to.
  public let group: RowGroup
  /// What one operation is.
  public let operation: String
  /// What is asked of Signalbox.
  public let bar: Bar
  /// What the floor consists of.
  public let floorText: String
  /// Signalbox's figures.
  public let signalbox: LaneResult
  /// The figures of the toolchain's library.
  public let toolchain: LaneResult
  /// The figures of the bare work.
  public let floor: LaneResult
  /// Signalbox's figures in the row that the bar refers to, if it refers to one.
  public let reference: LaneResult?
  /// The figures of the further competitors.
  public let peers: [PeerResult]
  /// Of rows about locks: which lock, beside which, under what load.
  public let contest: LockContest?
  /// Of contended rows about locks: what Signalbox's lock saw, in a round of its own; nil where it takes no part in the counts.
  public var contention: LockContention?
  /// False for runs from which nothing may be concluded.
  public let isJudged: Bool

  /// Puts the figures of a row together.
  public init(
    row: Row, signalbox: LaneResult, toolchain: LaneResult, floor: LaneResult, reference: LaneResult?,
    peers: [PeerResult] = [], isJudged: Bool
  ) {
    name = row.name
    group = row.group
    operation = row.operation
    bar = row.bar
    floorText = row.floor.text
    self.signalbox = signalbox
    self.toolchain = toolchain
    self.floor = floor
    self.reference = reference
    self.peers = peers
    contest = row.contest
    self.isJudged = isJudged
  }

  /// toolchain ÷ Signalbox, pair by pair: how many times faster Signalbox is.
  public var ratio: Estimate { Estimate(ofPairs: toolchain.samples, over: signalbox.samples) }

  /// Signalbox ÷ floor, round by round.
  public var timesFloor: Estimate { Estimate(ofPairs: signalbox.samples, over: floor.samples) }

  /// Peer ÷ Signalbox, pair by pair: how many times faster Signalbox is than that one.
  public func ratio(to peer: PeerResult) -> Estimate { Estimate(ofPairs: peer.lane.samples, over: signalbox.samples) }

  /// Signalbox ÷ its own cost in the row that the bar refers to.
  public var timesReference: Estimate? { reference.map { Estimate(ofPairs: signalbox.samples, over: $0.samples) } }

  /// Signalbox − its own cost in that row, in nanoseconds, round by round.
  public var aboveReference: Estimate? { reference.map { Estimate(ofPairs: signalbox.samples, less: $0.samples) } }
}
