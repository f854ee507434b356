// Runner.swift: runs rows: Signalbox, the toolchain's library and the floor in turn, in one process, round after round.

/// How thorough a run is.
public enum Pace: Sendable, Equatable {
  /// Samples of several milliseconds: figures that can be judged.
  case full
  /// A few operations per row: shows that every row runs, measures nothing.
  case smoke
}

/// One half of the bench: the rows as compiled on one library.
public struct Subject {
  /// The library's name for the reader.
  public let name: String
  /// The rows, in the table's order.
  public let rows: [Row]
  /// The trials of how evenly locks serve.
  public let trials: [LockTrial]

  /// Names a set of rows.
  public init(name: String, rows: [Row], trials: [LockTrial] = []) {
    self.name = name
    self.rows = rows
    self.trials = trials
  }

  func row(_ name: String) -> Row? { rows.first { $0.name == name } }
}

/// Runs rows on both libraries, interleaved.
public struct Runner {
  private let signalbox: Subject
  private let toolchain: Subject
  private let rounds: Int
  private let pace: Pace
  private let counter: AllocationCounter?
  private let lockCounter: LockCounter?

  /// A runner for two halves whose rows have the same names.
  public init(
    signalbox: Subject, toolchain: Subject, rounds: Int, pace: Pace, counter: AllocationCounter?,
    lockCounter: LockCounter? = nil
  ) {
    precondition(signalbox.rows.map(\.name) == toolchain.rows.map(\.name), "both halves are compiled from the same rows")
    precondition(signalbox.trials.map(\.name) == toolchain.trials.map(\.name), "both halves are compiled from the same trials")
    self.signalbox = signalbox
    self.toolchain = toolchain
    self.rounds = rounds
    self.pace = pace
    self.counter = counter
    self.lockCounter = lockCounter
  }

  /// Only these runs may be judged: full ones, of optimised code, with enough pairs, of two different libraries.
  public var isJudged: Bool {
    pace == .full && rounds >= Verdict.fewestPairs && !isUnoptimised && signalbox.name != toolchain.name
  }

  /// Runs one row; `progress` hears of each round as it begins.
  public func run(_ row: Row, progress: (_ round: Int, _ rounds: Int) -> Void) -> RowResult {
    guard let twin = toolchain.row(row.name) else { fatalError("row \(row.name) has no twin") }
    let reference = row.bar.referenceRow.flatMap { signalbox.row($0) }
    // A floor has no backlog: its count may be fitted freely.
    let floorBatch = Batch.elastic(minimum: row.batch.smallest)
    var lanes = [lane(row), lane(twin), lane(row, batch: floorBatch, prepare: row.floor.prepare)]
    lanes += row.peers.map { lane(row, prepare: $0.prepare) }
    if let reference { lanes.append(lane(reference)) }
    for round in 0..<rounds {
      progress(round + 1, rounds)
      // Each round goes the other way round, so that no library always follows the same neighbour.
      for index in round % 2 == 0 ? Array(lanes.indices) : lanes.indices.reversed() {
        if pace == .full { pause(microseconds: Self.settleMicroseconds) }
        lanes[index].sample()
      }
    }
    var result = RowResult(
      row: row, signalbox: lanes[0].result(counter: counter), toolchain: lanes[1].result(counter: counter),
      floor: lanes[2].result(), reference: reference == nil ? nil : lanes[lanes.count - 1].result(),
      peers: zip(row.peers, lanes[3...]).map { PeerResult(name: $0.name, lane: $1.result()) }, isJudged: isJudged)
    result.contention = lockCounter.flatMap { lanes[0].contention(of: row, $0) }
    return result
  }

  /// Runs one trial of how evenly locks serve; `progress` hears of each round as it begins.
  public func run(_ trial: LockTrial, progress: (_ round: Int, _ rounds: Int) -> Void) -> LockTrialResult {
    guard let twin = toolchain.trials.first(where: { $0.name == trial.name }) else {
      fatalError("trial \(trial.name) has no twin")
    }
    let turns = [trial.turn, twin.turn] + trial.peers.map(\.turn)
    var taken = turns.map { _ in [LockTurn]() }
    for round in 0..<rounds {
      progress(round + 1, rounds)
      for index in round % 2 == 0 ? Array(turns.indices) : turns.indices.reversed() {
        if pace == .full { pause(microseconds: Self.settleMicroseconds) }
        taken[index].append(turns[index](pace == .full ? trial.milliseconds : LockTrial.smokeMilliseconds))
      }
    }
    let names = [signalbox.name, toolchain.name] + trial.peers.map(\.name)
    return LockTrialResult(trial, zip(names, taken).map { LockTrialResult.Entrant(name: $0, turns: $1) }, isJudged: isJudged)
  }

  /// Lets the other library's threads go to sleep before the next sample.
  private static let settleMicroseconds = 300

  private func lane(_ row: Row, batch: Batch? = nil, prepare: (() -> Workload)? = nil) -> Lane {
    Lane(batch: batch ?? row.batch, milliseconds: row.sampleMilliseconds, pace: pace, prepare: prepare ?? row.prepare)
  }
}

#if DEBUG
/// True in a build without optimisation, whose figures mean nothing.
public let isUnoptimised = true
#else
/// True in a build without optimisation, whose figures mean nothing.
public let isUnoptimised = false
#endif
