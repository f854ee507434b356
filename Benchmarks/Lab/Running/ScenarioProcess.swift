// ScenarioProcess.swift: the inside of the process that a scenario runs in. Its outside is LabRunner.swift.
import SignalboxSystem

/// A scenario run in this very process.
public enum ScenarioProcess {
  /// Runs `scenario` on the calling thread and ends the process; each report goes to standard output at once.
  public static func run(_ scenario: Scenario) -> Never {
    OwnProcess.endWithParent()
    OwnProcess.leaveNoCore()
    let recorder = Recorder(sink: { OwnProcess.write(Wire.line($0)) }, ending: { Threads.exitProcess(0) })
    recorder.finish(scenario.body(recorder))
    Threads.exitProcess(0)
  }

  /// Runs `scenario` on the calling thread and returns: for scenarios that return and need no main thread.
  public static func runHere(_ scenario: Scenario) -> (recorder: Recorder, measured: String) {
    let recorder = Recorder()
    let measured = scenario.body(recorder)
    return (recorder, measured)
  }
}
