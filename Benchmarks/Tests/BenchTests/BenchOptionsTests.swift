// BenchOptionsTests.swift: the command line of `signalbox bench`: what is accepted, and which words a refusal uses.
import BenchSupport
import Testing

@Suite("Options of signalbox bench") struct BenchOptionsTests {
  @Test("Without options the whole bench runs")
  func nothingMeansTheWholeBench() throws {
    let options = try BenchOptions([])
    #expect(options.action == .run)
    #expect(options.filters.isEmpty)
    #expect(options.roundsOrDefault == 11)
    #expect(options.output == .table)
    #expect(options.chartPath == nil)
    #expect(options.pace == .full)
    #expect(options.missedBars == .reported)
    #expect(options.opponent == .signalbox)
    #expect(!options.isQuick)
  }

  @Test("Every option of the bench is read")
  func everyOptionIsRead() throws {
    let options = try BenchOptions([
      "--filter", "sync", "--filter=async-*", "--runs", "15", "--json", "--svg=chart.svg", "--smoke", "--check",
      "--against-itself", "--quick",
    ])
    #expect(options.filters == [NameFilter("sync"), NameFilter("async-*")])
    #expect(options.roundsOrDefault == 15)
    #expect(options.output == .json)
    #expect(options.chartPath == "chart.svg")
    #expect(options.pace == .smoke)
    #expect(options.missedBars == .fail)
    #expect(options.opponent == .itself)
    #expect(options.isQuick)
  }

  @Test("Another build is named by its folder, and excludes charts and the other kinds of runs")
  func anotherBuild() throws {
    #expect(try BenchOptions(["--against", "there", "--check"]).runners == .twoBuilds(other: "there"))
    #expect(throws: UsageError("--against draws no chart (--svg)")) { try BenchOptions(["--against=there", "--svg"]) }
    #expect(throws: UsageError("--unmodified and --against exclude one another")) {
      try BenchOptions(["--against=there", "--unmodified"])
    }
    #expect(throws: UsageError("--against and --against-itself exclude one another")) {
      try BenchOptions(["--against=there", "--against-itself"])
    }
    #expect(throws: UsageError.self) { try BenchOptions(["--against"]) }
  }

  @Test("Counting instructions takes no time, draws nothing and runs no other program")
  func counting() throws {
    #expect(try BenchOptions(["--count", "--json"]).isCounting && !BenchOptions([]).isCounting)
    for other in [["--smoke"], ["--runs", "9"], ["--svg"], ["--unmodified"], ["--against", "there"]] {
      #expect(throws: UsageError.self, "--count \(other)") { try BenchOptions(["--count"] + other) }
    }
  }

  @Test("Runs of unmodified programs have no chart")
  func unmodifiedProgramsHaveNoChart() throws {
    #expect(try BenchOptions([]).runners == .thisProcess)
    #expect(try BenchOptions(["--unmodified", "--smoke"]).runners == .unmodifiedPrograms)
    #expect(throws: UsageError.self) { try BenchOptions(["--svg=chart.svg", "--unmodified"]) }
  }

  @Test("A smoke run is short unless its length is given")
  func smokeIsShortUnlessTold() throws {
    #expect(try BenchOptions(["--smoke"]).roundsOrDefault < Verdict.fewestPairs)
    #expect(try BenchOptions(["--smoke", "--runs", "9"]).roundsOrDefault == 9)
  }

  @Test(
    "Each action of the bench is recognised",
    arguments: [("--help", BenchOptions.Action.help), ("-h", .help), ("--list", .list)])
  func actions(argument: String, action: BenchOptions.Action) throws {
    #expect(try BenchOptions([argument]).action == action)
  }

  @Test("The chart's file has a default name", arguments: [["--svg"], ["--svg", "--json"], ["--smoke", "--svg"]])
  func theChartsFileHasADefaultName(arguments: [String]) throws {
    #expect(try BenchOptions(arguments).chartPath == "signalbox-bench.svg")
  }

  /// A file may be called `-`-something; an option is never taken for a value.
  @Test("A value may begin with one dash, and an option is never taken for a value")
  func valuesMayBeginWithOneDash() throws {
    #expect(try BenchOptions(["--svg", "-x.svg"]).chartPath == "-x.svg")
    #expect(try BenchOptions(["--filter=--x"]).filters == [NameFilter("--x")])
  }

  @Test(
    "A refused option is named",
    arguments: [
      (["--fliter", "x"], "unknown option --fliter"), (["-x"], "unknown option -x"),
      (["--unknown=3"], "unknown option --unknown"), (["sync"], "unexpected argument \"sync\""),
      (["-"], "unexpected argument \"-\""), ([""], "unexpected argument \"\""),
      (["--filter"], "option --filter needs a value"), (["--runs", "--json"], "option --runs needs a value"),
      (["--runs", "0"], "option --runs needs a whole number from 1 to 1000, not \"0\""),
      (["--runs=ten"], "option --runs needs a whole number from 1 to 1000, not \"ten\""),
      (["--json=yes"], "option --json takes no value, but \"yes\" is given"),
      (["--smoke=1", "--json"], "option --smoke takes no value, but \"1\" is given"),
    ] as [([String], String)])
  func refusalsNameTheCulprit(arguments: [String], message: String) {
    #expect(throws: UsageError(message)) { try BenchOptions(arguments) }
  }

  /// The help text explains exactly the options that are understood.
  @Test("The help explains exactly the options that are understood")
  func helpExplainsEveryOption() throws {
    let words = BenchOptions.help.split { $0 == " " || $0 == "\n" || $0 == "[" || $0 == "]" || $0 == ";" }
    let named = Set(words.filter { $0.hasPrefix("--") }.map(String.init))
    let withValue = ["--filter": "x", "--runs": "9", "--svg": "x", "--against": "x"]
    #expect(named.count == 13)
    for option in named { _ = try BenchOptions([option] + (withValue[option].map { [$0] } ?? [])) }
  }
}
