// MainQueueTests.swift: the main queue's rules, each in a process of its own, on both libraries. What the scenarios do is
// in Probes/MainSignalbox.
import Testing

/// A scenario of the probe, and what it prints and returns.
struct Scenario: Sendable, CustomTestStringConvertible {
  let name: String
  let sentence: String
  let lines: [String]
  var status: Int32 = 0

  var testDescription: String { "\(name): \(sentence)" }

  /// The lines that hold for every library. Where the main queue runs differs: the toolchain's dispatchMain() ends the
  /// main thread and moves its queue to a worker, ours keeps the thread.
  static func shared(_ lines: [String]) -> [String] { lines.filter { !$0.hasPrefix("thread: ") } }
}

@Suite("The main queue", .serialized) struct MainQueue {
  @Test("Signalbox keeps the main queue's rules", arguments: scenarios)
  func signalbox(_ scenario: Scenario) throws {
    let run = try ProbeRun("MainProbeSignalbox", scenario.name)
    #expect(run.lines == scenario.lines)
    #expect(run.status == scenario.status)
  }

  @Test("The toolchain's library keeps the same rules", arguments: scenarios)
  func toolchain(_ scenario: Scenario) throws {
    let run = try ProbeRun("MainProbeToolchain", scenario.name)
    #expect(Scenario.shared(run.lines) == Scenario.shared(scenario.lines))
    #expect(run.status == scenario.status)
  }

  @Test("Every scenario of the probes is tested here")
  func completeness() throws {
    for probe in ["MainProbeSignalbox", "MainProbeToolchain"] {
      let run = try ProbeRun(probe, "?")
      #expect(run.status == 64)
      let names = run.lines.first?.split(separator: " ").drop { $0 != "of:" }.dropFirst().map(String.init)
      #expect(names == scenarios.map(\.name).sorted())
    }
  }
}
