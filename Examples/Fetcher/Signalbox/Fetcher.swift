// Fetcher.swift: downloads packs of documents into a cache: an ordinary Foundation program, of which the package builds two,
// one on Signalbox and one on the toolchain's Foundation, from this text. Scripts/fetcher-compare runs both.

@main
struct Fetcher {
  private static let patience: TimeInterval = 100

  static func main() {
    do throws(Options.Complaint) {
      switch try Options.parse(Array(CommandLine.arguments.dropFirst())) {
      case .help: Console.put(Options.usage)
      case .fetch(let options): exit(run(options) ? 0 : 1)
      }
    } catch {
      Console.complain("\(error.text)\nTry '\(subject.program) --help'.")
      exit(2)
    }
  }

  /// - Returns: whether everything is as it should be.
  private static func run(_ options: Options) -> Bool {
    do {
      let workspace = try Workspace(in: options.folder)
      let watchdog = DispatchWorkItem {
        Console.complain("not done after \(Int(patience)) seconds")
        try? workspace.remove()
        exit(3)
      }
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + patience, execute: watchdog)
      defer { watchdog.cancel() }
      let problems = Result { try fetch(options, in: workspace) }
      try workspace.remove()
      for problem in try problems.get().sorted() { Console.complain(problem) }
      return try problems.get().isEmpty
    } catch {
      Console.complain("\(error)")
      return false
    }
  }

  /// The whole run, inside of the workspace. Returns what went wrong.
  private static func fetch(_ options: Options, in workspace: Workspace) throws -> [String] {
    _ = try Origin.make(options, in: workspace.origin)
    let server = try Server(serving: workspace.origin)
    defer { server.stop() }
    let journal = try Journal(at: workspace.journal)
    let library = Library(in: workspace)
    let downloader = Downloader(from: server, to: library, in: workspace, journal: journal, width: options.width)
    let download = Download(downloader, isShown: options.isVerbose)
    let isComplete = download.run()
    downloader.close()
    journal.close()
    guard isComplete else { return ["the catalogue did not come"] + downloader.problems.values }
    let report = Report(download: download, library: library, journal: workspace.journal)
    Console.put(report.text)
    return downloader.problems.values + report.problems
  }
}
