// MigrateCommand.swift: `signalbox migrate`: the words of its ends. The work is SignalboxMigrate's.
import SignalboxCommandLine
import SignalboxMigrate
import SignalboxSystem

enum MigrateCommand: Subcommand {
  static let name = "migrate"
  static let summary = "move a Swift package to Signalbox: say what would change, change it, take it back"

  static func run(_ arguments: [String]) -> ExitStatus {
    do throws(MigrateRefusal) {
      let options = try MigrateOptions(arguments)
      switch options.action {
      case .help: OwnProcess.write(MigrateOptions.help)
      case .aliases: OwnProcess.write(AliasFile.text())
      case .plan, .write, .undo: OwnProcess.write(try Migration(options).run(isColoured: OwnProcess.outputIsTerminal))
      }
      return .success
    } catch {
      let hint = error.status == .usage ? "; \"signalbox migrate --help\" lists the options" : ""
      return complain("migrate: \(error.message)\(hint)", error.status)
    }
  }
}
