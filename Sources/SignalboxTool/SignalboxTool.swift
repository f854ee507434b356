// SignalboxTool.swift: the command `signalbox`: finds the subcommand and hands it the rest of the line.
import BenchSupport

@main
enum SignalboxTool {
  /// Every subcommand, in the order of the help text; a new one is a file of its own and a word here.
  static var commands: [any Subcommand.Type] {
    [RunCommand.self, EnvironmentCommand.self, BenchCommand.self, LabCommand.self, SymbolicateCommand.self]
  }

  static func main() {
    leave(status: run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  static func run(_ arguments: [String]) -> ExitStatus {
    guard let word = arguments.first, word != "--help", word != "-h", word != "help" else {
      OutputStream.output.write(help)
      return .success
    }
    guard let command = commands.first(where: { $0.name == word }) else {
      return complain("unknown command \"\(word)\"; \"signalbox --help\" lists the commands", .usage)
    }
    return command.run(Array(arguments.dropFirst()))
  }

  private static var help: String {
    let list = commands.map { "  " + extended($0.name, to: 13) + $0.summary }.joined(separator: "\n")
    return """
      usage: signalbox COMMAND [OPTIONS]

      Signalbox is Apple's concurrency stack for Linux, in Swift.

      \(list)

      "signalbox COMMAND --help" explains a command.

      """
  }
}
