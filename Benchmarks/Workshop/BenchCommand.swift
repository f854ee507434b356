// BenchCommand.swift: `signalbox bench`: chooses the rows, makes sure which library runs them, runs them, reports. What
// can be tested without running rows is in BenchSupport.
import BenchRowsSignalbox
import BenchRowsToolchain
import BenchSupport
import SignalboxCommandLine

enum BenchCommand: Subcommand {
  static let name = "bench"
  static let summary = "measure Signalbox beside the toolchain's Dispatch, in one process"

  static func run(_ arguments: [String]) -> ExitStatus {
    let options: BenchOptions
    do { options = try BenchOptions(arguments) } catch {
      return complain("bench: \(error.message); \"signalbox bench --help\" lists the options", .usage)
    }
    if options.runners == .unmodifiedPrograms { return ProgramBench.run(options) }
    do throws(Refusal) {
      switch options.action {
      case .help: OutputStream.output.write(BenchOptions.help)
      case .list: list(try choice(options), options.output)
      case .run:
        if case .twoBuilds(let other) = options.runners {
          return BuildBench.run(try choice(options).rows.map(\.name), against: other, options)
        }
        if options.isCounting { return try count(options) }
        return try measure(options)
      }
      return .success
    } catch {
      return complain("bench: \(error.message)", error.status)
    }
  }

  /// Why nothing was run, or nothing written.
  struct Refusal: Error {
    let message: String
    let status: ExitStatus
  }

  private static func signalboxHalf(_ opponent: BenchOptions.Opponent) -> Subject {
    switch opponent {
    case .signalbox:
      Subject(
        name: "Signalbox", rows: BenchRowsSignalbox.benchRows() + LockHalf.signalbox.rows, trials: LockHalf.signalbox.trials)
    case .itself: toolchainHalf()
    }
  }

  private static func toolchainHalf() -> Subject {
    Subject(
      name: "toolchain", rows: BenchRowsToolchain.benchRows() + LockHalf.toolchain.rows, trials: LockHalf.toolchain.trials)
  }

  /// What the command line asks for of a half of the bench.
  private static func choice(_ options: BenchOptions) throws(Refusal) -> Subject {
    let all = signalboxHalf(options.opponent)
    let rows = all.rows.filter { options.filters.select($0.name) && (!options.isQuick || $0.weight == .leading) }
    let trials = all.trials.filter { options.filters.select($0.name) }
    guard !rows.isEmpty || !trials.isEmpty else {
      let names = (all.rows.map(\.name) + all.trials.map(\.name)).map { "  \($0)" }.joined(separator: "\n")
      throw Refusal(message: "no row matches the filter; the rows are:\n\(names)", status: .nothingMatches)
    }
    return Subject(name: all.name, rows: rows, trials: trials)
  }

  private static func list(_ chosen: Subject, _ output: BenchOptions.Output) {
    switch output {
    case .json:
      OutputStream.output.write(JSON.array(chosen.rows.map(\.json) + chosen.trials.map(\.json)).text + "\n")
    case .table:
      for line in chosen.rows.map(Table.listing) + chosen.trials.map(Table.listing) { OutputStream.output.write(line + "\n") }
    }
  }

  private static func measure(_ options: BenchOptions) throws(Refusal) -> ExitStatus {
    let chosen = try choice(options)
    let library = try libraryBeneathToolchainRows(options.opponent)
    try checkLockClasses(options.opponent)
    let chartFile = try options.chartPath.map(createChart)
    let half = signalboxHalf(options.opponent), machine = Machine.current()
    if chartFile != nil, options.pace != .smoke, machine.isBusy {
      throw Refusal(
        message: "the machine is busy, its load \(fixedText(machine.load, digits: 1)), and a chart is drawn on a quiet one: "
          + "wait until the load is below \(fixedText(Double(machine.processors) / 4, digits: 1)), or leave out --svg",
        status: .unavailable)
    }
    var report = Report(
      machine: machine, toolchainLibrary: Provenance.fileName(of: library), subjectName: half.name,
      rounds: options.roundsOrDefault, pace: options.pace)
    let runner = Runner(
      signalbox: half, toolchain: toolchainHalf(), rounds: options.roundsOrDefault, pace: options.pace,
      counter: processAllocationCounter(), lockCounter: options.opponent == .itself ? nil : LockHalf.counter)
    if isUnoptimised {
      OutputStream.error.write("signalbox: built without optimisation, the figures mean nothing: build with -c release\n")
    }
    run(chosen, runner, into: &report, output: options.output)
    if let chartFile, !chartFile.replace(with: report.chart) {
      throw Refusal(message: "cannot write the chart: \(OutputStream.lastProblem)", status: .cannotCreateFile)
    }
    return options.missedBars == .fail && !report.names(.missed).isEmpty ? .barsMissed : .success
  }

  private static func count(_ options: BenchOptions) throws(Refusal) -> ExitStatus {
    guard let stepper = processStepper() else {
      throw Refusal(message: "instructions can be counted on x86-64 alone, and where ptrace is allowed", status: .unavailable)
    }
    let twins = toolchainHalf()
    let table = options.output == .table ? CountTable() : nil
    let progress = ProgressLine()
    var results: [RowCounts] = []
    let rows = try choice(options).rows
    table?.printHead()
    for (number, row) in rows.enumerated() {
      progress.show("[\(number + 1)/\(rows.count)] \(row.name), instructions")
      let result = RowCounts(row, twins.rows.first { $0.name == row.name }, stepper)
      progress.clear()
      results.append(result)
      table?.print(result)
    }
    if table == nil { OutputStream.output.write(RowCounts.json(results).text + "\n") }
    return .success
  }

  private static func createChart(_ path: String) throws(Refusal) -> OutputStream {
    guard let file = OutputStream.file(path) else {
      throw Refusal(message: "cannot write \(path): \(OutputStream.lastProblem)", status: .cannotCreateFile)
    }
    return file
  }

  private static func run(_ chosen: Subject, _ runner: Runner, into report: inout Report, output: BenchOptions.Output) {
    let printer = output == .table ? ReportPrinter(report) : nil
    let progress = ProgressLine()
    let count = chosen.rows.count + chosen.trials.count
    printer?.printHead()
    for (number, row) in chosen.rows.enumerated() {
      let result = runner.run(row) { round, rounds in
        progress.show("[\(number + 1)/\(count)] \(row.name), pair \(round) of \(rounds)")
      }
      progress.clear()
      report.rows.append(result)
      printer?.print(result)
    }
    for (number, trial) in chosen.trials.enumerated() {
      let result = runner.run(trial) { round, rounds in
        progress.show("[\(chosen.rows.count + number + 1)/\(count)] \(trial.name), turn \(round) of \(rounds)")
      }
      progress.clear()
      report.trials.append(result)
      printer?.print(result)
    }
    switch output {
    case .table: printer?.printFoot(report)
    case .json: OutputStream.output.write(report.json.text + "\n")
    }
  }

  /// Refuses if a half's lock classes are not those of its library.
  private static func checkLockClasses(_ opponent: BenchOptions.Opponent) throws(Refusal) {
    let halves = (opponent == .itself ? [] : [LockHalf.signalbox]) + [LockHalf.toolchain]
    for half in halves where half.className != half.wantedClassName {
      throw Refusal(
        message: "the rows of \(half.wantedClassName) measure \(half.className): this build is wrong", status: .internalError)
    }
  }

  /// The file of the toolchain's library, seen on the stacks of the toolchain half's closures; refuses if it is not there, or
  /// if it is on the stacks of Signalbox's half.
  private static func libraryBeneathToolchainRows(_ opponent: BenchOptions.Opponent) throws(Refusal) -> String {
    let runtimeLibrary = imageHolding(symbol: "swift_retain")
    func finding(_ runClosures: (@escaping @Sendable () -> Void) -> Void) -> Provenance.Finding {
      let collector = ImageCollector()
      runClosures { collector.collect() }
      return Provenance(images: collector.paths, runtimeLibrary: runtimeLibrary).finding
    }
    if opponent == .signalbox, finding(BenchRowsSignalbox.runClosures) != .notLibdispatch {
      throw Refusal(message: "the rows of Signalbox run on a libdispatch: this build is wrong", status: .internalError)
    }
    switch finding(BenchRowsToolchain.runClosures) {
    case .toolchain(let file): return file
    case .notLibdispatch:
      throw Refusal(
        message: "no libdispatch shared library is on the stacks of the toolchain's rows: nothing can be compared",
        status: .internalError)
    case .stranger(let file):
      throw Refusal(
        message: "the toolchain's rows run on \(file), which is not the toolchain's own library: unset LD_LIBRARY_PATH",
        status: .internalError)
    }
  }
}
