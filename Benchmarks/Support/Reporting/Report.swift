// Report.swift: everything a finished run knows, for the table, the JSON text and the chart alike.

/// A run of the bench.
public struct Report: Sendable {
  /// Where it ran.
  public let machine: Machine
  /// The toolchain's library: the name of its file, seen on the stack of its closures.
  public let toolchainLibrary: String
  /// What stands on Signalbox's side: "Signalbox", save in a run of the toolchain against itself.
  public let subjectName: String
  /// Interleaved pairs per row.
  public let rounds: Int
  /// How thorough the run was.
  public let pace: Pace
  /// The rows, in the order they ran.
  public var rows: [RowResult] = []
  /// The trials of how evenly locks serve, in the order they ran.
  public var trials: [LockTrialResult] = []

  /// A report without rows yet.
  public init(machine: Machine, toolchainLibrary: String, subjectName: String, rounds: Int, pace: Pace) {
    self.machine = machine
    self.toolchainLibrary = toolchainLibrary
    self.subjectName = subjectName
    self.rounds = rounds
    self.pace = pace
  }

  /// The names of the rows and trials with this verdict.
  public func names(_ verdict: Verdict) -> [String] {
    rows.filter { $0.verdict == verdict }.map(\.name) + trials.filter { $0.verdict == verdict }.map(\.name)
  }

  /// The report as a picture, an SVG document: of locks if it is about nothing else.
  public var chart: String { rows.allSatisfy { $0.contest != nil } && !rows.isEmpty ? LockChart(self).svg : Chart(self).svg }

  /// Where, on what and how thoroughly, in one line.
  public var headline: String {
    (pace == .smoke ? "smoke run, measures nothing: " : "")
      + "\(subjectName) beside the toolchain's \(toolchainLibrary), in one process, in turn · \(rounds) pairs per row · "
      + "\(machine.processors) processors (\(machine.architecture), Linux \(machine.kernel)), "
      + "load \(fixedText(machine.load, digits: 1))\(machine.isBusy ? " (busy: expect wide intervals)" : "")"
  }

  /// What the bars say, in one line; nil if nothing was judged.
  public var summary: String? {
    let met = names(.met), missed = names(.missed), open = names(.open)
    let judged = met.count + missed.count + open.count
    guard judged > 0 else { return nil }
    var text = "\(met.count) of \(judged) bars met"
    if !open.isEmpty { text += "; open, the interval spans the bar: \(open.joined(separator: ", "))" }
    if !missed.isEmpty { text += "; missed: \(missed.joined(separator: ", "))" }
    return text
  }
}
