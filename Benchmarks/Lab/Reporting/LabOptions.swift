// LabOptions.swift: the command line of `signalbox lab`: what may be written, what it means, what is refused.
import BenchSupport
import SignalboxCommandLine

/// What `signalbox lab` is asked for.
public struct LabOptions: Sendable, Equatable {
  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// Print this text.
    case help
    /// Print names, sources and titles of the scenarios whose names these mean; of all if there are none.
    case list([NameFilter])
    /// Run these.
    case run([String])
    /// Be the process of this scenario: how the lab starts itself.
    case inside(String)
  }

  /// What is to be done.
  public let action: Action
  /// Whether standard output gets JSON instead of text.
  public let isJSON: Bool

  /// The word with which the lab starts itself, followed by a scenario's name.
  public static let insideWord = "inside"

  /// Reads a command line, without the names of program and command.
  public init(_ arguments: [String]) throws(UsageError) {
    let options = arguments.filter { $0.hasPrefix("-") }, words = arguments.filter { !$0.hasPrefix("-") }
    for option in options where !["--all", "--json", "--help", "-h"].contains(option) {
      throw UsageError("unknown option \(option)")
    }
    isJSON = options.contains("--json")
    if options.contains("--help") || options.contains("-h") {
      action = .help
      return
    }
    action = try Self.action(words, isAll: options.contains("--all"))
  }

  private static func action(_ words: [String], isAll: Bool) throws(UsageError) -> Action {
    let names = Array(words.dropFirst())
    switch words.first {
    case nil where isAll: return .run(Registry.all.map(\.name))
    case nil: throw UsageError("say what to do: list, or run with names or --all")
    case "list":
      guard !isAll else { throw UsageError("--all is for run; list without a pattern prints all") }
      return .list(names.map { NameFilter($0) })
    case "run" where isAll:
      guard names.isEmpty else { throw UsageError("either names or --all") }
      return .run(Registry.all.map(\.name))
    case "run":
      guard !names.isEmpty else { throw UsageError("run needs names or --all; \"signalbox lab list\" prints them") }
      return .run(try known(names))
    case insideWord:
      guard names.count == 1 else { throw UsageError("\(insideWord) needs one name") }
      return .inside(try known(names)[0])
    case let word?: throw UsageError("unknown word \"\(word)\": list, or run with names or --all")
    }
  }

  /// The names, each once; refuses those that no scenario has, and suggests others.
  private static func known(_ names: [String]) throws(UsageError) -> [String] {
    var found: [String] = []
    for name in names {
      guard Registry.scenario(name) != nil else {
        let near = Registry.namesNear(name)
        let hint = near.isEmpty ? "\"signalbox lab list\" prints the names" : "did you mean \(near.joined(separator: ", "))?"
        throw UsageError("there is no scenario \"\(name)\"; \(hint)")
      }
      if !found.contains(name) { found.append(name) }
    }
    return found
  }

  /// The help text: the command prints it without this program.
  public static let help = WorkshopHelp.lab
}
