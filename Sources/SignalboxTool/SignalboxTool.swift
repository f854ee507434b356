// SignalboxTool.swift: the command `signalbox`: finds the subcommand and hands it the rest of the line.
import SignalboxCommandLine

@main
enum SignalboxTool {
  static func main() {
    // A new subcommand is a file of its own and a word here.
    let commands = SubcommandList([
      DemoCommand.self, RunCommand.self, EnvironmentCommand.self, ExploreCommand.self, SummaryCommand.self, ViewCommand.self,
      PerfettoCommand.self, InspectCommand.self, WatchCommand.self, TopCommand.self, MigrateCommand.self, BenchWord.self,
      LabWord.self, SymbolicateCommand.self,
    ])
    leave(commands.run(Array(CommandLine.arguments.dropFirst())))
  }
}
