// RunCommand.swift: `signalbox run`: prints what is to be printed, then becomes the program. The work is SignalboxLaunch's.
import SignalboxCommandLine
import SignalboxLaunch
import SignalboxSystem

enum RunCommand: Subcommand {
  static let name = "run"
  static let summary = "run an unmodified program on Signalbox in place of the toolchain's libdispatch"

  static func run(_ arguments: [String]) -> ExitStatus {
    do throws(Refusal) {
      let options = try RunOptions(arguments)
      guard case .run(let index) = options.action else {
        OwnProcess.write(RunOptions.help)
        return .success
      }
      let launch = try Launch(lastArguments: arguments.count - index, setting: options.variables)
      for warning in launch.warnings { tell(warning) }
      if let note = launch.folderNote { tell(note) }
      if options.isVerbose { tell(launch.verboseLine) }
      throw launch.become()
    } catch {
      return refuse(error, "run")
    }
  }

  private static func tell(_ line: String) { StandardError.write("signalbox: run: \(line)\n") }
}

enum EnvironmentCommand: Subcommand {
  static let name = "env"
  static let summary = "print the variables that do the same for a service file or a container"

  static func run(_ arguments: [String]) -> ExitStatus {
    do throws(Refusal) {
      switch try EnvironmentOptions(arguments).action {
      case .help: OwnProcess.write(EnvironmentOptions.help)
      case .print(let form):
        let text = EnvironmentText(folder: try Launch.lastingFolder(), tool: EnvironmentList.ownCommand?.text)
        OwnProcess.write(text.line(form) + "\n")
      }
      return .success
    } catch {
      return refuse(error, "env")
    }
  }
}

/// Writes a refusal and turns it into the exit status.
private func refuse(_ refusal: Refusal, _ command: String) -> ExitStatus {
  let status: ExitStatus =
    switch refusal.kind {
    case .usage: .usage
    case .programNotFound: .programNotFound
    case .programNotRunnable: .programNotRunnable
    case .libraryMissing: .unavailable
    case .folderUnsafe: .noPermission
    }
  let hint = refusal.kind == .usage ? "; \"signalbox \(command) --help\" lists the options" : ""
  return complain("\(command): \(refusal.message)\(hint)", status)
}
