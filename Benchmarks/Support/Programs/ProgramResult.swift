// ProgramResult.swift: the figures of one row of programs, what they say about its bar, and their shape as JSON.
import SignalboxCommandLine

/// The figures of one row.
public struct ProgramResult: Sendable {
  /// What was run.
  public let row: ProgramRow
  /// Nanoseconds per operation (of the whole process for a start), one value per round, on Signalbox's library.
  public let signalbox: [Double]
  /// The same on the toolchain's library.
  public let toolchain: [Double]
  /// False for runs from which nothing may be concluded.
  public let isJudged: Bool

  /// Puts the figures of a row together.
  public init(row: ProgramRow, signalbox: [Double], toolchain: [Double], isJudged: Bool) {
    (self.row, self.signalbox, self.toolchain, self.isJudged) = (row, signalbox, toolchain, isJudged)
  }

  /// toolchain ÷ Signalbox, pair by pair: how many times faster the program is on Signalbox.
  public var ratio: Estimate { Estimate(ofPairs: toolchain, over: signalbox) }

  /// Signalbox − toolchain, pair by pair, in milliseconds.
  public var millisecondsMore: Estimate { Estimate(of: zip(signalbox, toolchain).map { ($0 - $1) / 1e6 }) }

  /// Judges the row against its bar.
  public var verdict: Verdict {
    guard isJudged else { return .notJudged }
    switch row.bar {
    case .ratio(let required): return .atLeast(required, ratio)
    case .longer(let milliseconds): return .atMost(milliseconds, millisecondsMore)
    }
  }
}

/// A run of `signalbox bench --unmodified`.
public struct ProgramReport: Sendable {
  /// Where it ran.
  public let machine: Machine
  /// Interleaved pairs per row.
  public let rounds: Int
  /// How thorough the run was.
  public let pace: Pace
  /// The rows, in the order they ran.
  public var results: [ProgramResult] = []

  /// A report without rows yet.
  public init(machine: Machine, rounds: Int, pace: Pace) { (self.machine, self.rounds, self.pace) = (machine, rounds, pace) }

  /// The names of the rows with this verdict.
  public func names(_ verdict: Verdict) -> [String] { results.filter { $0.verdict == verdict }.map(\.row.name) }

  /// The report as one JSON object.
  public var json: JSON {
    .object([
      ("processors", .number(Double(machine.processors))), ("architecture", .string(machine.architecture)),
      ("kernel", .string(machine.kernel)), ("load", .number(machine.load)), ("pairs", .number(Double(rounds))),
      ("smoke", .boolean(pace == .smoke)), ("optimised", .boolean(!isUnoptimised)), ("programs", .array(results.map(\.json))),
    ])
  }
}

extension ProgramRow {
  /// The row as a JSON object, before it has run.
  public var json: JSON { .object(members) }

  fileprivate var members: [(name: String, value: JSON)] {
    let bar: JSON =
      switch bar {
      case .ratio(let ratio): .object([("ratio", .number(ratio))])
      case .longer(let milliseconds): .object([("millisecondsMore", .number(milliseconds))])
      }
    return [
      ("name", .string(name)), ("operation", .string(operation)), ("program", .string(program.rawValue)), ("bar", bar),
    ]
  }
}

extension ProgramResult {
  fileprivate var json: JSON {
    .object(
      row.members + [
        ("signalbox", .array(signalbox.map { .number($0) })), ("toolchain", .array(toolchain.map { .number($0) })),
        ("ratio", ratio.json), ("millisecondsMore", millisecondsMore.json), ("verdict", .string(verdict.rawValue)),
      ])
  }
}
