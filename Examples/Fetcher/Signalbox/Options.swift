// Options.swift: what the user asked for. Arguments in, a value or one clear complaint out; nothing is run here.

/// What differs between the two builds of this program.
struct Subject: Sendable {
  let program: String
  let library: String
}

struct Options: Sendable {
  enum Request {
    case fetch(Options)
    case help
  }

  /// A mistake on the command line, in words.
  struct Complaint: Error {
    let text: String
  }

  var packs = 5
  var documents = 6
  var width = 4
  var folder = FileManager.default.temporaryDirectory
  var isVerbose = false

  static func parse(_ arguments: [String]) throws(Complaint) -> Request {
    var options = Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": return .help
      case "--verbose": options.isVerbose = true
      case "--packs": options.packs = try number(after: argument, in: &rest, 3...24)
      case "--documents": options.documents = try number(after: argument, in: &rest, 1...1_000)
      case "--width": options.width = try number(after: argument, in: &rest, 1...64)
      case "--folder": options.folder = try folder(after: argument, in: &rest)
      case _ where argument.hasPrefix("-"): throw Complaint(text: "unknown option \(argument)")
      default: throw Complaint(text: "nothing is known about '\(argument)': documents come from the program's own server")
      }
    }
    return .fetch(options)
  }

  private static func number(
    after option: String, in rest: inout ArraySlice<String>, _ range: ClosedRange<Int>
  ) throws(Complaint) -> Int {
    guard let text = rest.popFirst() else { throw Complaint(text: "\(option) needs a number") }
    guard let value = Int(text), range.contains(value) else {
      throw Complaint(text: "\(option) needs a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return value
  }

  private static func folder(after option: String, in rest: inout ArraySlice<String>) throws(Complaint) -> URL {
    guard let path = rest.popFirst(), !path.isEmpty else { throw Complaint(text: "\(option) needs a folder") }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      throw Complaint(text: "\(option): '\(path)' is not a folder")
    }
    return URL(fileURLWithPath: path, isDirectory: true)
  }

  static let usage = """
    Usage: \(subject.program) [OPTIONS]

    Serves made-up documents on a port of its own, fetches them in packs into a cache, checks, indexes and publishes them, and
    reads them again, on \(subject.library).
    One pack's documents never come and are given up; one pack lies in local files; some documents need a second try.

      --packs N       how many packs there are, 3 to 24 (default 5)
      --documents N   how many documents are in each, 1 to 1000 (default 6)
      --width N       fetch at most N documents at once, 1 to 64 (default 4)
      --folder PATH   make the temporary folder there (default: the system's place for such)
      --verbose       tell on standard error how far it is
      --help          this text

    The report goes to standard output, complaints to standard error. The temporary folder is removed at the end.
    Exit status: 0 done, 1 something is not as it should be, 2 wrong arguments, 3 it took too long.

    """
}
