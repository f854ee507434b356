// Options.swift: what the user asked for. Arguments in, a value or one clear complaint out; nothing is run here.

/// What differs between the two builds of this program.
struct Subject: Sendable {
  let program: String
  let library: String
  let comparesTasks: Bool
}

struct Options: Sendable {
  enum Request {
    case count(Options)
    case help
  }

  /// A mistake on the command line, in words.
  struct Complaint: Error {
    let text: String
  }

  var tree: Path = "."
  var top = 10
  var readers = 16
  var json = false
  var tasks = false

  static func parse(_ arguments: [String]) throws(Complaint) -> Request {
    var options = Options()
    var trees: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": return .help
      case "--json": options.json = true
      case "--tasks": options.tasks = true
      case "--top": options.top = try number(after: argument, in: &rest, atLeast: 0)
      case "--readers": options.readers = try number(after: argument, in: &rest, atLeast: 1)
      case "--":
        trees += rest
        rest = []
      case _ where argument.hasPrefix("-") && argument != "-":
        throw Complaint(text: "unknown option \(argument)")
      default: trees.append(argument)
      }
    }
    if trees.count > 1 { throw Complaint(text: "one tree at a time, not \(trees.count): \(trees.joined(separator: " "))") }
    if trees.first == "" { throw Complaint(text: "the tree's name is empty") }
    if let tree = trees.first { options.tree = Path(tree) }
    if options.tasks && !subject.comparesTasks {
      throw Complaint(text: "--tasks: Swift tasks do not run on \(subject.library) here; use wordcount-toolchain")
    }
    return .count(options)
  }

  private static func number(
    after option: String, in rest: inout ArraySlice<String>, atLeast least: Int
  ) throws(Complaint) -> Int {
    guard let text = rest.popFirst() else { throw Complaint(text: "\(option) needs a number") }
    guard let value = Int(text), value >= least, value <= 1_000_000 else {
      throw Complaint(text: "\(option) needs a number from \(least) to 1000000, not '\(text)'")
    }
    return value
  }

  static let usage = """
    Usage: \(subject.program) [OPTIONS] [TREE]

    Counts the words of every regular file below TREE (default: the current folder), on \(subject.library).
    A word is a run of ASCII letters, digits and bytes from 0x80 up; ASCII capitals count as small letters.
    Symbolic links below TREE are not followed; pipes, sockets and devices are passed over.

      --top N       show the N most frequent words (default 10)
      --readers N   keep at most N files in memory at once (default 16)
      --json        print the totals as one JSON object
      --tasks       count with a task group as well and compare the totals (wordcount-toolchain only)
      --help        this text

    Totals go to standard output; progress (on a terminal), complaints and the elapsed time to standard error.
    Exit status: 0 done, 1 something could not be read or written, or totals differed, 2 wrong arguments.

    """
}
