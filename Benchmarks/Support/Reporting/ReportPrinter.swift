// ReportPrinter.swift: prints the table as it grows, with a head wherever the group of rows changes.

/// Prints a report's table on standard output, row by row.
public final class ReportPrinter {
  private let table: Table
  private let headline: String
  private let ink: Ink
  private var group: RowGroup?
  private var hasPrintedTrial = false

  /// A printer for a report that has no rows yet.
  public init(_ report: Report) {
    ink = OutputStream.output.ink
    table = Table(ink: ink, subjectName: report.subjectName)
    headline = report.headline
  }

  /// Prints where and on what the bench runs, and the column heads.
  public func printHead() {
    writeLine(headline)
    writeLine("")
    writeLine(table.heads)
  }

  /// Prints one row.
  public func print(_ row: RowResult) {
    if row.group != group { writeLine(table.head(of: row.group)) }
    group = row.group
    writeLine(table.line(row))
    if let peers = table.peers(row) { writeLine(peers) }
    if let contention = table.contention(row) { writeLine(contention) }
  }

  /// Prints one trial; the first brings the heads with it.
  public func print(_ trial: LockTrialResult) {
    if !hasPrintedTrial { writeLine(table.trialHeads) }
    hasPrintedTrial = true
    for line in table.lines(trial) { writeLine(line) }
  }

  /// Prints what the columns mean and what the bars say.
  public func printFoot(_ report: Report) {
    writeLine("")
    writeLine(Table.legend)
    if let coverage = report.rows.first?.ratio.coverage, coverage < 0.9 {
      let percent = fixedText(coverage * 100, digits: 0)
      writeLine("With so few pairs the interval is their whole range and holds \(percent) %, not 90 %.")
    }
    if let summary = report.summary { writeLine(ink.bold(summary)) }
  }

  private func writeLine(_ text: String) { OutputStream.output.write(text + "\n") }
}
