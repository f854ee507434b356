// ProgramBench.swift: `signalbox bench --unmodified`: programs that know nothing of Signalbox, on both libraries in turn. Rows
// that one process runs on both are BenchCommand.swift.
import BenchSupport
import SignalboxCommandLine
import SignalboxLaunch

enum ProgramBench {
  static func run(_ options: BenchOptions) -> ExitStatus {
    let rows = ProgramRow.all.filter { options.filters.select($0.name) }
    guard !rows.isEmpty else {
      let names = ProgramRow.all.map { "  \($0.name)" }.joined(separator: "\n")
      return complain("bench: no row matches the filter; the rows are:\n\(names)", .nothingMatches)
    }
    do throws(Refusal) {
      switch options.action {
      case .help: OutputStream.output.write(BenchOptions.help)
      case .list: list(rows, options.output)
      case .run: return try measure(rows, options)
      }
      return .success
    } catch {
      return complain("bench: \(error.message)", .unavailable)
    }
  }

  private static func list(_ rows: [ProgramRow], _ output: BenchOptions.Output) {
    switch output {
    case .json: OutputStream.output.write(JSON.array(rows.map(\.json)).text + "\n")
    case .table: for row in rows { OutputStream.output.write(ProgramTable.listing(row) + "\n") }
    }
  }

  private static func measure(_ rows: [ProgramRow], _ options: BenchOptions) throws(Refusal) -> ExitStatus {
    let bothWays = try BothWays()
    for program in Set(rows.map(\.program)) { try bothWays.check(program.rawValue) }
    var report = ProgramReport(machine: .current(), rounds: options.roundsOrDefault, pace: options.pace)
    let runner = ProgramRunner(rounds: options.roundsOrDefault, pace: options.pace, opponent: options.opponent)
    let table = options.output == .table ? ProgramTable() : nil
    let progress = ProgressLine()
    table?.printHead(report)
    for (number, row) in rows.enumerated() {
      let result = try runner.run(row) { round, rounds in
        progress.show("[\(number + 1)/\(rows.count)] \(row.name), pair \(round) of \(rounds)")
      } sample: { (row, side) throws(Refusal) in
        try sample(bothWays, row, side, options.pace)
      }
      progress.clear()
      report.results.append(result)
      table?.print(result)
    }
    table?.printFoot(report)
    if table == nil { OutputStream.output.write(report.json.text + "\n") }
    return options.missedBars == .fail && !report.names(.missed).isEmpty ? .barsMissed : .success
  }

  private static func sample(
    _ bothWays: BothWays, _ row: ProgramRow, _ side: ProgramSide, _ pace: Pace
  ) throws(Refusal) -> Double {
    let way: BothWays.Way =
      switch (side, row.way) {
      case (.toolchain, _): .asItIs
      case (.signalbox, .environment): .switched
      case (.signalbox, .command): .throughCommand
      }
    let run = try bothWays.run(row.program.rawValue, [row.work, "\(ProgramRunner.milliseconds(pace))"], way)
    if row.isStart { return run.nanoseconds }
    guard let nanoseconds = Double(run.text.filter { !$0.isNewline }) else {
      throw Refusal(.programNotRunnable, "\(row.program.rawValue) \(row.work) printed no number: \(run.text)")
    }
    return nanoseconds
  }
}
