// ProgramTable.swift: rows of programs as lines of text, printed one at a time.

/// Prints a report of programs on standard output, row by row.
public struct ProgramTable {
  private let ink = OutputStream.output.ink

  /// A table.
  public init() {}

  private static let nameWidth = 26

  /// Prints where and how the bench runs, and the column heads.
  public func printHead(_ report: ProgramReport) {
    let machine = report.machine
    writeLine(
      (report.pace == .smoke ? "smoke run, measures nothing: " : "")
        + "unmodified programs on Signalbox's library and on the toolchain's, a process each, in turn · \(report.rounds) pairs "
        + "per row · \(machine.processors) processors (\(machine.architecture), Linux \(machine.kernel)), "
        + "load \(fixedText(machine.load, digits: 1))\(machine.isBusy ? " (busy: expect wide intervals)" : "")")
    writeLine("")
    writeLine(
      ink.bold(
        extended("ns per operation", to: Self.nameWidth) + padded("Signalbox", to: 11) + padded("toolchain", to: 11)
          + padded("ratio", to: 9) + "  " + extended("90 % interval", to: 16) + "bar"))
  }

  /// Prints one row.
  public func print(_ result: ProgramResult) {
    let (value, interval): (String, Estimate) =
      switch result.row.bar {
      case .ratio: (measuredRatioText(result.ratio.median) + "x", result.ratio)
      case .longer: (signed(result.millisecondsMore.median) + " ms", result.millisecondsMore)
      }
    let limits = "[\(fixedText(interval.low, digits: 2)), \(fixedText(interval.high, digits: 2))]"
    writeLine(
      extended(result.row.name, to: Self.nameWidth) + padded(nanosecondsText(median(of: result.signalbox)), to: 11)
        + padded(nanosecondsText(median(of: result.toolchain)), to: 11) + padded(value, to: 9) + "  "
        + extended(limits, to: 16) + ink.paint("\(result.verdict.rawValue) (\(result.row.bar.text))", result.verdict))
  }

  /// Prints what the columns mean and what the bars say.
  public func printFoot(_ report: ProgramReport) {
    writeLine("")
    writeLine("ratio = toolchain ÷ Signalbox, the median of the pairs; of a start: how much longer the whole process takes.")
    let judged = report.results.filter { $0.verdict != .notJudged }.count
    guard judged > 0 else { return }
    let missed = report.names(.missed), open = report.names(.open)
    var text = "\(judged - missed.count - open.count) of \(judged) bars met"
    if !open.isEmpty { text += "; open, the interval spans the bar: \(open.joined(separator: ", "))" }
    if !missed.isEmpty { text += "; missed: \(missed.joined(separator: ", "))" }
    writeLine(ink.bold(text))
  }

  /// A row that was not run: its name, its bar and what one operation is.
  public static func listing(_ row: ProgramRow) -> String {
    extended(row.name, to: nameWidth) + extended(row.bar.text, to: 15) + row.operation
  }

  private func signed(_ value: Double) -> String { (value < 0 ? "" : "+") + fixedText(value, digits: 1) }
  private func writeLine(_ text: String) { OutputStream.output.write(text + "\n") }
}
