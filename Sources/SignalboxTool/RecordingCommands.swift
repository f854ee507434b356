// RecordingCommands.swift: `signalbox summary` and `signalbox perfetto`: what a recording says. The work is SignalboxTimeline's.
import SignalboxCommandLine
import SignalboxSystem
import SignalboxTimeline

enum SummaryCommand: Subcommand {
  static let name = "summary"
  static let summary = "print what hurts in a recording: queues, waits, the main thread, the pool, classes, timers"
  private static let help = """
    usage: signalbox summary FILE [--all] [--wide]
           signalbox summary FILE --json

    Prints what a recording of "signalbox run --record=FILE" says, in tables, each with what hurts most at the top: the worst moments; what
    kept the main thread for more than 16 ms; queues with the waiting and running times of their items (half of them, 95 and 99 of a
    hundred, the longest); waits, which thread had the thing at the longest and which ended that; functions; how many workers ran, and when
    all of them waited; urgent items behind less urgent ones; groups, and which thread left last; operations, and what held them; handlers
    of sources; reads and writes; run loops by phase; how late timers were; intervals of the program's own. Moments are counted from the
    first event.

      --all     all rows, not only a page
      --wide    no cell is cut; without it tables fit the terminal, and cells lose their middle. Elsewhere nothing is cut
      --json    one JSON object with all rows; times in nanoseconds

    Of a file that is cut off or damaged, what is whole is shown, the missing pieces are counted, and the status is 3.

    """

  static func run(_ arguments: [String]) -> ExitStatus {
    if arguments.contains("--help") || arguments.contains("-h") {
      OwnProcess.write(help)
      return .success
    }
    let forTables = ["--all", "--wide"]
    let files = arguments.filter { !forTables.contains($0) && $0 != "--json" }, isJSON = arguments.contains("--json")
    let contradicts = isJSON && arguments.contains { forTables.contains($0) }
    guard files.count == 1, let file = files.first, !file.hasPrefix("-"), !contradicts else {
      return complain(
        "summary: one file is to be named, with --all and --wide, or with --json; \"signalbox summary --help\" explains",
        .usage)
    }
    do throws(UnreadableRecording) {
      let recording = try RecordingFile(file), summary = RecordingSummary(recording)
      let width = arguments.contains("--wide") ? 0 : Terminal.columns ?? 0
      OwnProcess.write(isJSON ? summary.json.text + "\n" : summary.text(isWhole: arguments.contains("--all"), width: width))
      return recording.status("summary", file)
    } catch {
      return complain("summary: \(file) \(error)", .dataError)
    }
  }
}

enum PerfettoCommand: Subcommand {
  static let name = "perfetto"
  static let summary = "write a recording in Perfetto's form, to open in ui.perfetto.dev"
  private static let help = """
    usage: signalbox perfetto FILE OUT

    Writes the recording FILE of "signalbox run --record=FILE" to OUT in Perfetto's form: a track for each thread, queue and descriptor,
    arrows from submission to run and from the end of a wait to the waiter, and how many items wait. Open OUT in ui.perfetto.dev. OUT is readable for you alone.
    Of a file that is cut off or damaged, what is whole is written, the missing pieces are counted, and the status is 3.

    """

  static func run(_ arguments: [String]) -> ExitStatus {
    if arguments.contains("--help") || arguments.contains("-h") {
      OwnProcess.write(help)
      return .success
    }
    guard arguments.count == 2, arguments.allSatisfy({ !$0.hasPrefix("-") }), arguments[0] != arguments[1] else {
      return complain("perfetto: two files are to be named; \"signalbox perfetto --help\" explains", .usage)
    }
    let recording: RecordingFile
    do throws(UnreadableRecording) { recording = try RecordingFile(arguments[0]) } catch {
      return complain("perfetto: \(arguments[0]) \(error)", .dataError)
    }
    do {
      try PrivateFile.replace(arguments[1]) { PerfettoForm.write(recording, $0) }
      return recording.status("perfetto", arguments[0])
    } catch {
      return complain("perfetto: \(arguments[1]) cannot be written, because \(error)", .cannotCreateFile)
    }
  }
}

extension RecordingFile {
  /// How a command ends that has shown the recording `file`; it complains of a damaged one.
  func status(_ command: String, _ file: String) -> ExitStatus {
    damage.words.map { complain("\(command): \(file) \($0)", .damaged) } ?? .success
  }
}
