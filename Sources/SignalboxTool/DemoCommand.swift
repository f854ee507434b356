// DemoCommand.swift: `signalbox demo`: the words of its ends. The work is SignalboxDemo's.
import SignalboxCommandLine
import SignalboxDemo
import SignalboxSystem

enum DemoCommand: Subcommand {
  static let name = "demo"
  static let summary = "show in a minute what Signalbox does, measured here: waits, a hang, a race, times"

  static func run(_ arguments: [String]) -> ExitStatus {
    do throws(DemoRefusal) {
      let options = try DemoOptions(arguments)
      switch options.action {
      case .help: OwnProcess.write(DemoOptions.help)
      case .source(let act): OwnProcess.write(Demo.source(of: act))
      case .play(let acts):
        let failed = try Demo.play(options, acts)
        for line in failed.dropLast() { _ = complain("demo: this did not come out: \(line)", .claimFailed) }
        if let last = failed.last { return complain("demo: this did not come out: \(last)", .claimFailed) }
      }
      return .success
    } catch {
      let hint = error.status == .usage ? "; \"signalbox demo --help\" lists the options" : ""
      return complain("demo: \(error.message)\(hint)", error.status)
    }
  }
}
