// ExploreCommand.swift: `signalbox explore`: the words of its ends. The work is SignalboxExplorer's.
import SignalboxCommandLine
import SignalboxExplorer
import SignalboxLaunch
import SignalboxSystem

enum ExploreCommand: Subcommand {
  static let name = "explore"
  static let summary = "run a program under many schedules of its threads, and replay the one that fails"

  static func run(_ arguments: [String]) -> ExitStatus {
    do throws(Refusal) {
      let options = try ExploreOptions(arguments)
      guard case .explore(let index) = options.action else {
        OwnProcess.write(ExploreOptions.help)
        return .success
      }
      switch try Explorer(options, lastArguments: arguments.count - index).run() {
      case .clean: return .success
      case .failed: return .scheduleFailed
      case .failsPlainly: return .failsPlainly
      }
    } catch {
      let status: ExitStatus = error.kind == .usage ? .usage : .unavailable
      let hint = error.kind == .usage ? "; \"signalbox explore --help\" lists the options" : ""
      return complain("explore: \(error.message)\(hint)", status)
    }
  }
}
