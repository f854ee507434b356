// BenchOptions.swift: the options of `signalbox bench`: what may be written, what it means, what is refused.
import SignalboxCommandLine

/// A command line that cannot be understood; the message names the culprit.
public struct UsageError: Error, Sendable, Equatable {
  /// What is wrong, in one sentence.
  public let message: String

  /// An error with a message.
  public init(_ message: String) { self.message = message }
}

/// The options of `signalbox bench`.
public struct BenchOptions: Sendable, Equatable {
  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// Run the rows.
    case run
    /// Print the rows' names, operations and bars.
    case list
    /// Print the help text.
    case help
  }

  /// What is written to standard output.
  public enum Output: Sendable, Equatable {
    /// A table.
    case table
    /// One JSON object.
    case json
  }

  /// What stands on Signalbox's side.
  public enum Opponent: Sendable, Equatable {
    /// Signalbox.
    case signalbox
    /// The toolchain's library again: the ratios show what the bench itself adds.
    case itself
  }

  /// Which programs run the rows.
  public enum Runners: Sendable, Equatable {
    /// This process, on both libraries.
    case thisProcess
    /// Programs that know nothing of Signalbox, each on one library.
    case unmodifiedPrograms
    /// The benches of this build and of the one in that folder, in turn.
    case twoBuilds(other: String)
  }

  /// What missed bars mean for the exit status.
  public enum MissedBars: Sendable, Equatable {
    /// They are reported.
    case reported
    /// They make the command fail.
    case fail
  }

  /// What is to be done.
  public var action = Action.run
  /// Which programs run the rows.
  public var runners = Runners.thisProcess
  /// Which rows; all if empty.
  public var filters: [NameFilter] = []
  /// Interleaved pairs per row.
  public var rounds: Int?
  /// What is written to standard output.
  public var output = Output.table
  /// The file for the chart.
  public var chartPath: String?
  /// How thorough the run is.
  public var pace = Pace.full
  /// What missed bars mean for the exit status.
  public var missedBars = MissedBars.reported
  /// Whether rows that only complete a picture are left out.
  public var isQuick = false
  /// Whether instructions are counted instead of time taken.
  public var isCounting = false
  /// What stands on Signalbox's side.
  public var opponent = Opponent.signalbox

  /// Interleaved pairs per row, if the command line does not say.
  public var roundsOrDefault: Int { rounds ?? (pace == .smoke ? 2 : 11) }

  static let defaultChartPath = "signalbox-bench.svg"
  static let allowedRounds = 1...1_000

  /// Reads a command line, without the names of program and command.
  public init(_ arguments: [String]) throws(UsageError) {
    var arguments = ArgumentReader(arguments)
    while let option = try arguments.nextOption() {
      switch option {
      case "--help", "-h": action = .help
      case "--list": action = .list
      case "--json": output = .json
      case "--smoke": pace = .smoke
      case "--quick": isQuick = true
      case "--check": missedBars = .fail
      case "--count": isCounting = true
      case "--against-itself": opponent = .itself
      case "--unmodified": try choose(.unmodifiedPrograms)
      case "--against": try choose(.twoBuilds(other: arguments.value(of: option)))
      case "--filter": filters.append(NameFilter(try arguments.value(of: option)))
      case "--svg": chartPath = try arguments.optionalValue(of: option) ?? Self.defaultChartPath
      case "--runs": rounds = try arguments.wholeNumber(of: option, in: Self.allowedRounds)
      default: throw UsageError("unknown option \(option)")
      }
    }
    if isCounting { try refuseWithCounts() }
    guard runners != .thisProcess else { return }
    let word = runners == .unmodifiedPrograms ? "--unmodified" : "--against"
    if chartPath != nil { throw UsageError("\(word) draws no chart (--svg)") }
    if word == "--against", opponent == .itself { throw UsageError("--against and --against-itself exclude one another") }
  }

  private func refuseWithCounts() throws(UsageError) {
    guard runners == .thisProcess else {
      throw UsageError("--count goes with rows of this program; --against counts by itself")
    }
    if chartPath != nil { throw UsageError("--count draws no chart (--svg)") }
    if pace == .smoke || rounds != nil { throw UsageError("--count takes no time: leave out --smoke and --runs") }
  }

  private mutating func choose(_ new: Runners) throws(UsageError) {
    guard runners == .thisProcess || runners == new else { throw UsageError("--unmodified and --against exclude one another") }
    runners = new
  }

  /// The help text: the command prints it without this program.
  public static let help = WorkshopHelp.bench
}
