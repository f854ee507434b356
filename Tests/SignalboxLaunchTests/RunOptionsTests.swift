// RunOptionsTests.swift: the command lines of `signalbox run` and `signalbox env`: what is accepted, and how a refusal reads.
import SignalboxLaunch
import Testing

@Suite("Options of signalbox run and signalbox env") struct RunOptionsTests {
  @Test(
    "The program and its arguments follow the options",
    arguments: [
      (["--", "ls"], 1, false), (["ls", "-l"], 0, false), (["--verbose", "--", "ls", "--help"], 2, true),
      (["-v", "ls", "--", "-v"], 1, true), (["--", "--verbose"], 1, false), (["-"], 0, false), ([""], 0, false),
    ] as [([String], Int, Bool)])
  func programs(arguments: [String], index: Int, isVerbose: Bool) throws {
    let options = try RunOptions(arguments)
    #expect(options.action == .run(programIndex: index))
    #expect(options.isVerbose == isVerbose)
  }

  @Test(
    "The options for stalls and reports become variables",
    arguments: [
      ([], [:]), (["--watch"], ["SIGNALBOX_WATCH": "5"]), (["--watch=0.25"], ["SIGNALBOX_WATCH": "0.25"]),
      (["--watch=60", "-v", "--json=a b"], ["SIGNALBOX_WATCH": "60", "SIGNALBOX_DEADLOCK_JSON": "a b"]),
      (["--record=a b"], ["SIGNALBOX_RECORD": "a b"]), (["--flight"], ["SIGNALBOX_FLIGHT": "10"]),
      (["--main-limit=250"], ["SIGNALBOX_MAIN_LIMIT": "250"]),
      (["--flight=3", "--record=a"], ["SIGNALBOX_FLIGHT": "3", "SIGNALBOX_RECORD": "a"]),
    ] as [([String], [String: String])])
  func watching(arguments: [String], variables: [String: String]) throws {
    let options = try RunOptions(arguments + ["--", "ls", "--watch=no"])
    #expect(options.variables == variables)
    #expect(options.action == .run(programIndex: arguments.count + 1))
  }

  @Test(
    "Help is asked for before the program's name only",
    arguments: [["--help"], ["-h"], ["--verbose", "-h"], ["--watch", "--help"]])
  func help(arguments: [String]) throws { #expect(try RunOptions(arguments).action == .help) }

  @Test(
    "Wrong options of run are refused with the reason",
    arguments: [
      ([], "no program is named"), (["--verbose"], "no program is named"), (["--"], "no program is named"),
      (["--verbos", "ls"], "unknown option --verbos"), (["--library=x", "ls"], "unknown option --library"),
      (["-x", "ls"], "unknown option -x"),
      (["--watch=often", "ls"], "--watch=often is not a number of seconds from 0.01 to 86400"),
      (["--watch=", "ls"], "--watch= is not a number of seconds from 0.01 to 86400"),
      (["--watch=0", "ls"], "--watch=0 is not a number of seconds from 0.01 to 86400"), (["--watch"], "no program is named"),
      (["--json", "ls"], "--json needs a file: --json=FILE"), (["--json=", "ls"], "--json needs a file: --json=FILE"),
      (["--record", "ls"], "--record needs a file: --record=FILE"),
      (["--record=", "ls"], "--record needs a file: --record=FILE"),
      (["--flight=", "ls"], "--flight= is not a whole number of seconds from 1 to 3600"),
      (["--flight=0", "ls"], "--flight=0 is not a whole number of seconds from 1 to 3600"),
      (["--flight=1.5", "ls"], "--flight=1.5 is not a whole number of seconds from 1 to 3600"),
      (["--main-limit", "ls"], "--main-limit needs a limit: --main-limit=MILLISECONDS"),
      (["--main-limit=", "ls"], "--main-limit needs a limit: --main-limit=MILLISECONDS"),
      (["--main-limit=0", "ls"], "--main-limit=0 is not a number of milliseconds from 1 to 86400000"),
      (["--main-limit=0.5", "ls"], "--main-limit=0.5 is not a number of milliseconds from 1 to 86400000"),
      (["--main-limit=86400001", "ls"], "--main-limit=86400001 is not a number of milliseconds from 1 to 86400000"),
    ] as [([String], String)])
  func refusals(arguments: [String], message: String) {
    #expect(throws: Refusal(.usage, message)) { try RunOptions(arguments) }
  }

  @Test(
    "Each form of env is understood",
    arguments: [
      ([], .print(.shell)), (["--shell"], .print(.shell)), (["--systemd"], .print(.systemd)), (["--docker"], .print(.docker)),
      (["--json"], .print(.json)), (["--json", "--help"], .help),
    ] as [([String], EnvironmentOptions.Action)])
  func forms(arguments: [String], action: EnvironmentOptions.Action) throws {
    #expect(try EnvironmentOptions(arguments).action == action)
  }

  @Test(
    "Wrong forms of env are refused",
    arguments: [
      (["--yaml"], "unknown option --yaml"), (["--json=1"], "unknown option --json"), (["x"], "unexpected argument \"x\""),
      (["-"], "unexpected argument \"-\""),
    ] as [([String], String)])
  func refusedForms(arguments: [String], message: String) {
    #expect(throws: Refusal(.usage, message)) { try EnvironmentOptions(arguments) }
  }

  /// The help texts explain the options that are understood, and how to undo.
  @Test("The help texts explain the options that are understood, and how to undo them")
  func helpTexts() {
    for option in ["--verbose", "--watch[=SECONDS]", "--json=FILE", "--record=FILE", "--flight[=SECONDS]", "--help"] {
      #expect(RunOptions.help.contains("  \(option)"))
    }
    for option in ["--shell", "--systemd", "--docker", "--json", "--help"] {
      #expect(EnvironmentOptions.help.contains("  \(option)"))
    }
    #expect(EnvironmentOptions.help.contains("undo this"))
    #expect(EnvironmentOptions.help.contains("unset LD_LIBRARY_PATH"))
  }
}
