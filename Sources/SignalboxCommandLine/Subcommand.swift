// Subcommand.swift: what a subcommand is, how it ends and how it complains; finding the one that a command line names.
import SignalboxSystem

/// One word after `signalbox`.
public protocol Subcommand {
  /// The word.
  static var name: String { get }
  /// What it does, in one line.
  static var summary: String { get }
  /// Does it; the arguments are those after the word.
  static func run(_ arguments: [String]) -> ExitStatus
}

/// How a command ends; the numbers from 64 to 78 are those of `sysexits.h`, 126 and 127 a shell's.
public struct ExitStatus: Equatable, Sendable {
  /// The number that the caller of the program sees.
  public let rawValue: Int32

  /// All went well.
  public static let success = ExitStatus(rawValue: 0)
  /// Of the bench: a bar was missed, and the command line asked for this.
  public static let barsMissed = ExitStatus(rawValue: 1)
  /// No row, and no scenario, has such a name.
  public static let nothingMatches = ExitStatus(rawValue: 2)
  /// What was read is damaged or cut off; what is whole of it was shown.
  public static let damaged = ExitStatus(rawValue: 3)
  /// The command line cannot be understood.
  public static let usage = ExitStatus(rawValue: 64)
  /// What was read cannot be understood.
  public static let dataError = ExitStatus(rawValue: 65)
  /// Something that is needed is not there.
  public static let unavailable = ExitStatus(rawValue: 69)
  /// This build is not what it should be.
  public static let internalError = ExitStatus(rawValue: 70)
  /// A file cannot be written.
  public static let cannotCreateFile = ExitStatus(rawValue: 73)
  /// Files of others are in the way.
  public static let noPermission = ExitStatus(rawValue: 77)
  /// The program that was named cannot be run.
  public static let programNotRunnable = ExitStatus(rawValue: 126)
  /// The program that was named does not exist.
  public static let programNotFound = ExitStatus(rawValue: 127)

  /// It was interrupted, by Ctrl-C or SIGTERM: what a shell says of SIGINT.
  public static let interrupted = ExitStatus(rawValue: 130)

  /// Of the demo: not all that it claims came out.
  public static let claimFailed = ExitStatus(rawValue: 1)

  /// Of the lab: not what the documents say.
  public static let scenarioFailed = ExitStatus(rawValue: 1)

  /// Of `inspect --check` and `watch`: threads wait for one another, or nothing moves.
  public static let hangs = ExitStatus(rawValue: 1)

  /// Of the explorer: a schedule failed.
  public static let scheduleFailed = ExitStatus(rawValue: 1)
  /// Of the explorer: the very first schedule failed, in which no thread is interrupted.
  public static let failsPlainly = ExitStatus(rawValue: 70)
}

/// Writes one line to standard error and hands the status on.
public func complain(_ message: String, _ status: ExitStatus) -> ExitStatus {
  StandardError.write("signalbox: \(message)\n")
  return status
}

/// Ends the process.
public func leave(_ status: ExitStatus) -> Never { Threads.exitProcess(status.rawValue) }

/// Subcommands, found by their word.
public struct SubcommandList {
  private let commands: [any Subcommand.Type]

  /// A list, in the order of the help text.
  public init(_ commands: [any Subcommand.Type]) { self.commands = commands }

  /// Runs the one that the arguments name, or lists the commands.
  public func run(_ arguments: [String]) -> ExitStatus {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case nil: return tell(help, [])
    case "--help", "-h": return tell(help, rest)
    case "--version": return tell("signalbox \(Version.number)\n", rest)
    case "help": return help(on: rest)
    case let word?: return command(word)?.run(rest) ?? unknown(word)
    }
  }

  private func command(_ word: String) -> (any Subcommand.Type)? { commands.first { $0.name == word } }

  private func unknown(_ word: String) -> ExitStatus {
    complain("unknown command \"\(word)\"; \"signalbox --help\" lists the commands", .usage)
  }

  /// `signalbox help COMMAND` is `signalbox COMMAND --help`.
  private func help(on words: [String]) -> ExitStatus {
    guard let word = words.first else { return tell(help, []) }
    guard words.count == 1 else { return complain("help takes one command, not \(words.count)", .usage) }
    return command(word)?.run(["--help"]) ?? unknown(word)
  }

  /// What stands behind a word that takes nothing is wrong.
  private func tell(_ text: String, _ rest: [String]) -> ExitStatus {
    if let word = rest.first { return complain("unexpected argument \"\(word)\"", .usage) }
    OwnProcess.write(text)
    return .success
  }

  private static func column(_ word: String) -> String { word + String(repeating: " ", count: max(1, 13 - word.count)) }

  private var help: String {
    let list = commands.map { "  " + Self.column($0.name) + $0.summary }.joined(separator: "\n")
    return """
      usage: signalbox COMMAND [OPTIONS]
             signalbox help [COMMAND]
             signalbox --version

      Signalbox is Apple's concurrency stack for Linux, in Swift.

      \(list)

      "signalbox help COMMAND" explains a command. Every command exits with status 64 for wrong usage.

      """
  }
}
