// SignalboxWorkshop.swift: the program behind `signalbox bench` and `signalbox lab`, apart from the command because it links
// Foundation, to measure and to show its classes.
import SignalboxCommandLine

@main
enum SignalboxWorkshop {
  static func main() {
    let commands = SubcommandList([BenchCommand.self, LabCommand.self])
    leave(commands.run(Array(CommandLine.arguments.dropFirst())))
  }
}
