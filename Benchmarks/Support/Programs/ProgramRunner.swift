// ProgramRunner.swift: runs a row's program on both libraries in turn, pair after pair. Starting programs is the caller's.

/// Which library a program gets.
public enum ProgramSide: Sendable {
  /// The toolchain's libdispatch: the program is started as it is.
  case toolchain
  /// Signalbox's.
  case signalbox
}

/// Runs rows of programs.
public struct ProgramRunner {
  /// Runs the program once and returns the nanoseconds it is judged by.
  public typealias Sample<Problem: Error> = (ProgramRow, ProgramSide) throws(Problem) -> Double

  private let rounds: Int
  private let pace: Pace
  private let opponent: BenchOptions.Opponent

  /// A runner of this many pairs per row.
  public init(rounds: Int, pace: Pace, opponent: BenchOptions.Opponent) {
    (self.rounds, self.pace, self.opponent) = (rounds, pace, opponent)
  }

  /// How long a program is to measure, in milliseconds: 0 for a single small call.
  public static func milliseconds(_ pace: Pace) -> Int { pace == .smoke ? 0 : 60 }

  /// Runs one row; `progress` hears of each round as it begins.
  public func run<Problem: Error>(
    _ row: ProgramRow, progress: (_ round: Int, _ rounds: Int) -> Void, sample: Sample<Problem>
  ) throws(Problem) -> ProgramResult {
    var signalbox: [Double] = [], toolchain: [Double] = []
    for round in 0..<rounds {
      progress(round + 1, rounds)
      // Each round goes the other way round, so that no library always follows the same neighbour.
      for isOurs in round % 2 == 0 ? [false, true] : [true, false] {
        if isOurs {
          signalbox.append(try sample(row, opponent == .itself ? .toolchain : .signalbox))
        } else {
          toolchain.append(try sample(row, .toolchain))
        }
      }
    }
    return ProgramResult(row: row, signalbox: signalbox, toolchain: toolchain, isJudged: isJudged)
  }

  private var isJudged: Bool {
    pace == .full && rounds >= Verdict.fewestPairs && !isUnoptimised && opponent == .signalbox
  }
}
