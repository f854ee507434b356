// DemoOptions.swift: the command line of `signalbox demo`.
import SignalboxCommandLine

/// The command line of `signalbox demo`.
public struct DemoOptions: Sendable, Equatable {
  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// Print the help text.
    case help
    /// Print the programs of an act.
    case source(Int)
    /// Play these acts.
    case play([Int])
  }

  /// What is to be done.
  public var action = Action.play(Array(Self.acts))
  /// Whether the results are written as JSON, and nothing else.
  public var isJSON = false
  /// Whether each act takes a second or two only.
  public var isQuick = false
  /// Where the picture of the times goes.
  public var picture: String?

  static let acts = 1...4

  /// Reads the arguments behind the word `demo`.
  public init(_ arguments: [String]) throws(DemoRefusal) {
    var rest = arguments[...]
    var chosen: [Int] = []
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h":
        action = .help
        return
      case "--act": chosen.append(try Self.act(rest.popFirst(), argument))
      case "--source":
        action = .source(try Self.act(rest.popFirst(), argument))
        guard rest.isEmpty, arguments.count == 2 else { throw Self.usage("--source stands alone") }
        return
      case "--json": isJSON = true
      case "--quick": isQuick = true
      case "--svg":
        guard let file = rest.popFirst(), !file.isEmpty else { throw Self.usage("--svg takes a file's name") }
        picture = file
      default: throw Self.usage(argument.hasPrefix("-") ? "unknown option \(argument)" : "unexpected argument \"\(argument)\"")
      }
    }
    guard !chosen.isEmpty else { return }
    guard picture == nil || chosen.contains(4) else {
      throw Self.usage("--svg draws the times of act 4, which is not among the acts")
    }
    action = .play(Self.acts.filter(chosen.contains))
  }

  private static func act(_ word: String?, _ option: String) throws(DemoRefusal) -> Int {
    guard let word else { throw usage("\(option) takes the number of an act, from 1 to \(acts.upperBound)") }
    guard let number = Int(word), acts.contains(number) else {
      throw usage("there is no act \"\(word)\": \(option) takes a number from 1 to \(acts.upperBound)")
    }
    return number
  }

  private static func usage(_ message: String) -> DemoRefusal { DemoRefusal(.usage, message) }

  /// The help text.
  public static let help = """
    usage: signalbox demo [--act N]... [--quick] [--json] [--svg FILE]
           signalbox demo --source N

    Compiles five small programs with the machine's own toolchain, and runs them as they are: on the toolchain's libraries, and under
    `signalbox run`. Every figure is measured there and then. It takes less than a minute.

      1  waits that no longer stall: work that waits in items of a queue, and would wait for work behind it
      2  a hang that names itself: two queues that wait for each other, with the lines of the program
      3  a race that testing does not show: `signalbox explore` finds it, and replays it
      4  ten operations, timed beside each other

      --act N     this act alone; may be given more than once. The report of act 2 is then shown whole
      --quick     shorter: the toolchain's runs are stopped sooner, and fewer of them are made
      --json      one JSON object with all that was measured, and nothing else
      --svg FILE  draws the times of act 4
      --source N  prints the programs of an act
      --help, -h  this text

    Needed is `swiftc` on PATH (Swift 6.0 or later). Progress is shown on a terminal only, and so are colours, unless NO_COLOR is set.

    Exit status: 0 what the acts claim came out; 1 something did not, and is named; 64 wrong usage; 69 no compiler, or a part of
    Signalbox is missing; 73 no room for the programs, or a file cannot be written; 130 interrupted.

    """
}

/// Why the demo cannot go on, and how the command ends.
public struct DemoRefusal: Error, Sendable, Equatable {
  /// How the command ends.
  public let status: ExitStatus
  /// One line: what, where, and how to fix it.
  public let message: String

  init(_ status: ExitStatus, _ message: String) { (self.status, self.message) = (status, message) }

  static let interrupted = DemoRefusal(.interrupted, "interrupted")
}
