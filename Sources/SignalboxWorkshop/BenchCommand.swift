// BenchCommand.swift: `signalbox bench`: chooses the rows, makes sure who runs them, runs them, reports. What can be tested
// without running rows is in BenchSupport.
import BenchRowsSignalbox
import BenchRowsToolchain
import BenchSupport

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
      case .list: list(try chosenRows(options), options.output)
      case .run: return try measure(options)
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
    case .signalbox: Subject(name: "Signalbox", rows: BenchRowsSignalbox.benchRows())
    case .itself: Subject(name: "toolchain", rows: BenchRowsToolchain.benchRows())
    }
  }

  private static func chosenRows(_ options: BenchOptions) throws(Refusal) -> [Row] {
    let all = signalboxHalf(options.opponent).rows
    let chosen = all.filter { options.filters.select($0.name) }
    guard !chosen.isEmpty else {
      let names = all.map { "  \($0.name)" }.joined(separator: "\n")
      throw Refusal(message: "no row matches the filter; the rows are:\n\(names)", status: .nothingMatches)
    }
    return chosen
  }

  private static func list(_ rows: [Row], _ output: BenchOptions.Output) {
    switch output {
    case .json: OutputStream.output.write(JSON.array(rows.map(\.json)).text + "\n")
    case .table: for row in rows { OutputStream.output.write(Table.listing(row) + "\n") }
    }
  }

  private static func measure(_ options: BenchOptions) throws(Refusal) -> ExitStatus {
    let rows = try chosenRows(options)
    let library = try libraryBeneathToolchainRows(options.opponent)
    let chartFile = try options.chartPath.map(createChart)
    let half = signalboxHalf(options.opponent)
    var report = Report(
      machine: .current(), toolchainLibrary: Provenance.fileName(of: library), subjectName: half.name,
      rounds: options.roundsOrDefault, pace: options.pace)
    let runner = Runner(
      signalbox: half, toolchain: Subject(name: "toolchain", rows: BenchRowsToolchain.benchRows()),
      rounds: options.roundsOrDefault, pace: options.pace, counter: processAllocationCounter())
    if isUnoptimised {
      OutputStream.error.write("signalbox: built without optimisation, the figures mean nothing: build with -c release\n")
    }
    run(rows, runner, into: &report, output: options.output)
    if let chartFile, !chartFile.replace(with: Chart(report).svg) {
      throw Refusal(message: "cannot write the chart: \(OutputStream.lastProblem)", status: .cannotCreateFile)
    }
    return options.missedBars == .fail && !report.names(.missed).isEmpty ? .barsMissed : .success
  }

  private static func createChart(_ path: String) throws(Refusal) -> OutputStream {
    guard let file = OutputStream.file(path) else {
      throw Refusal(message: "cannot write \(path): \(OutputStream.lastProblem)", status: .cannotCreateFile)
    }
    return file
  }

  private static func run(_ rows: [Row], _ runner: Runner, into report: inout Report, output: BenchOptions.Output) {
    let printer = output == .table ? ReportPrinter(report) : nil
    let progress = ProgressLine()
    printer?.printHead()
    for (number, row) in rows.enumerated() {
      let result = runner.run(row) { round, rounds in
        progress.show("[\(number + 1)/\(rows.count)] \(row.name), pair \(round) of \(rounds)")
      }
      progress.clear()
      report.rows.append(result)
      printer?.print(result)
    }
    switch output {
    case .table: printer?.printFoot(report)
    case .json: OutputStream.output.write(report.json.text + "\n")
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
