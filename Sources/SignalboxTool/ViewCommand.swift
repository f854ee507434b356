// ViewCommand.swift: `signalbox view`: a recording, or a report of a deadlock, as one page for a browser. The work is SignalboxTimeline's.
import SignalboxCommandLine
import SignalboxSystem
import SignalboxTimeline

enum ViewCommand: Subcommand {
  static let name = "view"
  static let summary = "write a recording, or a report of a deadlock, as a page for a browser"
  private static let help = """
    usage: signalbox view FILE [--output PAGE]

    Writes FILE as one page of HTML that needs no network, and prints where the page lies. FILE is one of these:

      a recording of "signalbox run --record=FILE": a lane for each thread and each queue, what each ran, where it waited and for
      whom, arrows from submission to run, the summary's tables beside it; "?" in the page lists its keys
      reports of SIGNALBOX_DEADLOCK_JSON or "signalbox run --json=FILE": which thread waits for which, as a picture, with the stacks

      --output PAGE, -o  the page's file; without it the page lies beside FILE and has its name, with ".html" for its ending

    The page is readable for you alone. Of a file that is damaged or cut off it shows what is whole; the command then says how much is
    not, and ends with status 3.

    """

  static func run(_ arguments: [String]) -> ExitStatus {
    if arguments.contains("--help") || arguments.contains("-h") {
      OwnProcess.write(help)
      return .success
    }
    guard let (file, page) = files(arguments) else {
      return complain("view: one file is to be named, and with --output its page; \"signalbox view --help\" explains", .usage)
    }
    if file == page || isSame(file, page) {
      return complain("view: the page would take the place of \(file); name another file with --output", .usage)
    }
    let write: (@escaping ([UInt8]) -> Bool) -> Void
    var damage: String?
    do throws(UnreadableRecording) {
      if try RecordingFile.isRecording(file) {
        let recording = try RecordingFile(file)
        (write, damage) = ({ TimelinePage.write(recording, $0) }, recording.damage.words)
      } else {
        let reports = try ReportPage(file)
        (write, damage) = (reports.write, reports.damage.map { "is damaged: \($0)" })
      }
    } catch {
      return complain("view: \(file) \(error)", .dataError)
    }
    do {
      try PrivateFile.replace(page, write)
    } catch {
      return complain("view: \(page) cannot be written, because \(error)", .cannotCreateFile)
    }
    OwnProcess.write(place(page) + "\n")
    return damage.map { complain("view: \(file) \($0)", .damaged) } ?? .success
  }

  /// The file and its page; nil if the arguments say something else.
  private static func files(_ arguments: [String]) -> (String, String)? {
    var rest = arguments, page: String?
    if let place = rest.firstIndex(where: { $0 == "-o" || $0 == "--output" }), place + 1 < rest.count {
      page = rest[place + 1]
      rest.removeSubrange(place...place + 1)
    } else if let place = rest.firstIndex(where: { $0.hasPrefix("--output=") }) {
      page = String(rest.remove(at: place).dropFirst("--output=".count))
    }
    guard rest.count == 1, let file = rest.first, !file.hasPrefix("-") else { return nil }
    if let page, page.isEmpty || page.hasPrefix("-") { return nil }
    return (file, page ?? pageName(file))
  }

  /// The file's name with another ending; a folder's dot is none.
  static func pageName(_ file: String) -> String {
    let name = file.utf8.lastIndex(of: UInt8(ascii: "/")).map { file.index(after: $0) } ?? file.startIndex
    guard let dot = file[name...].lastIndex(of: "."), dot > name else { return file + ".html" }
    return file[..<dot] + ".html"
  }

  /// Whether both are names of one file that is there.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    guard let one = try? FileStatus(of: RawString(one)), let other = try? FileStatus(of: RawString(other)) else { return false }
    return one.identity == other.identity
  }

  /// Where the page lies, for a browser's line.
  private static func place(_ page: String) -> String {
    ((try? Files.realPath(RawString(page))) ?? RawString(page)).description
  }
}
