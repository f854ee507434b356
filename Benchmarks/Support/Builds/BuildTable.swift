// BuildTable.swift: rows of two builds as lines of text, printed one at a time.

/// Prints a comparison of builds on standard output, row by row.
public struct BuildTable {
  private let ink = OutputStream.output.ink
  private static let nameWidth = 32

  /// A table.
  public init() {}

  /// Prints where and how the bench runs, and the column heads.
  public func printHead(_ machine: Machine, rounds: Int, pace: Pace, other: String) {
    write(
      (pace == .smoke ? "smoke run, measures nothing: " : "")
        + "this build beside \(other), a process each, in turn · \(rounds) pairs per row · \(machine.processors) processors "
        + "(\(machine.architecture), Linux \(machine.kernel)), load \(fixedText(machine.load, digits: 1))"
        + (machine.isBusy ? " (busy: expect wide intervals)" : ""))
    write("")
    write(
      ink.bold(
        extended("ns per operation", to: Self.nameWidth) + padded("this", to: 10) + padded("other", to: 10)
          + padded("ratio", to: 8) + "  " + extended("90 % interval", to: 16) + extended("mallocs", to: 14)
          + extended("instructions (locked)", to: 30) + "not slower"))
  }

  /// Prints one row.
  public func print(_ result: BuildResult) {
    let ratio = result.ratio
    let limits = "[\(fixedText(ratio.low, digits: 2)), \(fixedText(ratio.high, digits: 2))]"
    let mallocs = result.allocations.map { countText($0.this) + " : " + countText($0.other) } ?? "-"
    let counts = result.counts.map { $0.this.text + " : " + $0.other.text } ?? "-"
    write(
      extended(result.name, to: Self.nameWidth) + padded(nanosecondsText(median(of: result.this.map(\.nanoseconds))), to: 10)
        + padded(nanosecondsText(median(of: result.other.map(\.nanoseconds))), to: 10)
        + padded(measuredRatioText(ratio.median) + "x", to: 8) + "  " + extended(limits, to: 16) + extended(mallocs, to: 14)
        + extended(counts, to: 30) + ink.paint(result.verdict.rawValue, result.verdict)
        + (result.allocatesMore ? ", allocates more" : "") + (result.executesMore ? ", executes more" : ""))
  }

  /// Prints what the columns mean, and which rows are slower, allocate more or execute more.
  public func printFoot(_ results: [BuildResult]) {
    write("")
    write("ratio = other ÷ this, the median of the pairs; missed: the whole interval lies below \(Bar.notSlowerRatio).")
    write(
      "instructions: of one operation, on the thread that calls it; ~: it waits for others, so they differ from call to call.")
    let slower = results.filter { $0.verdict == .missed }.map(\.name), more = results.filter(\.allocatesMore).map(\.name)
    let longer = results.filter(\.executesMore).map(\.name)
    if !slower.isEmpty { write(ink.bold("slower: \(slower.joined(separator: ", "))")) }
    if !more.isEmpty { write(ink.bold("allocate more: \(more.joined(separator: ", "))")) }
    if !longer.isEmpty { write(ink.bold("execute more: \(longer.joined(separator: ", "))")) }
  }

  private func write(_ text: String) { OutputStream.output.write(text + "\n") }
}
