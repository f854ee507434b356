// WorkshopWords.swift: `signalbox bench` and `signalbox lab`: this process becomes the program beside it that does
// them, built first where the command lies in a checkout. Help is printed here, at once.
//
// That program links Foundation, which takes ten milliseconds to load: too much for `signalbox run`, which stands
// before the user's program each time that is started.
import SignalboxCommandLine
import SignalboxLaunch
import SignalboxSystem

enum BenchWord: Subcommand {
  static let name = "bench"
  static let summary = "measure Signalbox beside the toolchain's Dispatch and Foundation, in one process"
  static func run(_ arguments: [String]) -> ExitStatus { becomeWorkshop(arguments, WorkshopHelp.bench) }
}

enum LabWord: Subcommand {
  static let name = "lab"
  static let summary = "run what articles claim about GCD and locks, beside what the documentation says"
  static func run(_ arguments: [String]) -> ExitStatus { becomeWorkshop(arguments, WorkshopHelp.lab) }
}

/// Returns only for help, or if it failed.
private func becomeWorkshop(_ arguments: [String], _ help: String) -> ExitStatus {
  if arguments.contains("--help") || arguments.contains("-h") {
    OwnProcess.write(help)
    return .success
  }
  return complain((Checkout.become(script: "workshop") ?? Neighbour.become("signalbox-workshop")).message, .unavailable)
}
