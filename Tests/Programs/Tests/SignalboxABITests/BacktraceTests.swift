// BacktraceTests.swift: the Swift runtime's backtrace, where the user has it on: never behind a report, and whole for other crashes.
import SignalboxSystem
import Testing

@Suite("The toolchain's backtrace beside reports") struct BacktraceTests {
  private static func run(_ argument: String) throws -> Run {
    try Run("ReportProbe", argument, changes: ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no"], limit: 300)
  }

  @Test("A report is the last thing that a stopped program prints, and SIGABRT ends it", arguments: ["misuse", "deadlock"])
  func last(_ deed: String) throws {
    let run = try Self.run(deed)
    #expect(run.status == 134, "\(run.text)")
    #expect(!run.text.contains("Program crashed") && !run.text.contains("Registers:"), "\(run.text)")
  }

  @Test("A handler of the program's runs after the report")
  func handled() throws {
    let run = try Self.run("handled")
    #expect(run.status == 134 && run.text.contains("misuse: "), "\(run.text)")
    #expect(run.text.contains("\nhandled\n") && !run.text.contains("Program crashed"), "\(run.text)")
  }

  @Test("Another crash has the backtrace")
  func crash() throws {
    let run = try Self.run("crash")
    #expect(run.text.contains("Program crashed") && run.text.contains(" crash() + "), "\(run.text)")
  }
}
