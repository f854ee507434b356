// ExploreOptions.swift: the command line of `signalbox explore`: what may be written, what it means, what is refused.
import CSignalboxExplore
import SignalboxLaunch

/// The options of `signalbox explore`.
public struct ExploreOptions: Sendable, Equatable {
  /// What is to be done.
  public enum Action: Sendable, Equatable {
    /// Print the help text.
    case help
    /// Explore the program whose name is the argument with this number, counted from 0 behind the word `explore`.
    case explore(programIndex: Int)
  }

  /// What is to be done.
  public var action = Action.help
  /// How many schedules at most; nil: as many as the strategies are worth.
  public var runsAtMost: UInt64?
  /// How many schedules at most.
  public var runs: UInt64 { runsAtMost ?? (isExhaustive ? 1_000_000 : 2_000) }
  /// For how many seconds at most.
  public var seconds: Double?
  /// A bit for each strategy that is wanted; 0: the portfolio.
  public var strategies: UInt32 = 0
  /// Whether all schedules are wanted, one after the other.
  public var isExhaustive: Bool { strategies == Self.exhaustive }
  private static let exhaustive: UInt32 = 1 << SBX_EXHAUSTIVE.rawValue
  /// The file that gets an object a line.
  public var jsonFile: String?
  /// The file that gets the result as test runners tell it.
  public var xunitFile: String?
  /// The one schedule that is to be run.
  public var replay: Token?
  /// Go on after the first failure.
  public var keepsGoing = false
  /// Whether starts of threads fail in some schedules.
  public var hasFaults = false
  /// What all the draws begin with.
  public var seed: UInt64 = 1
  /// How many processes are explored at once; nil: as many as there are processors.
  public var jobs: Int?
  /// Where tokens of failures are kept, to be replayed first the next time; nil: nowhere.
  public var savedFolder: String? = Self.usualFolder
  /// Beside the working folder, where the next exploration of the same project finds them.
  static let usualFolder = ".signalbox/explore"

  /// Reads the arguments behind the word `explore`. Options end at `--` or at the program's name.
  public init(_ arguments: [String]) throws(Refusal) {
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if argument == "--help" || argument == "-h" { return }
      if argument == "--" {
        guard index < arguments.count else { throw Self.noProgram }
        action = .explore(programIndex: index)
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        action = .explore(programIndex: index - 1)
        return
      }
      try read(argument, arguments, &index)
    }
    throw Self.noProgram
  }

  private mutating func read(_ argument: String, _ arguments: [String], _ index: inout Int) throws(Refusal) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if Self.bare.contains(parts[0]) {
      guard parts.count == 1 else { throw Refusal(.usage, "\(parts[0]) takes no value") }
      switch parts[0] {
      case "--keep-going": keepsGoing = true
      case "--faults": hasFaults = true
      default: savedFolder = nil
      }
      return
    }
    guard Self.valued.contains(parts[0]) else { throw Refusal(.usage, "unknown option \(argument)") }
    let value: String
    if parts.count == 2 {
      value = parts[1]
    } else {
      guard index < arguments.count, arguments[index] != "--" else { throw Refusal(.usage, "\(argument) needs a value") }
      value = arguments[index]
      index += 1
    }
    try set(parts[0], value)
  }

  private static let bare = ["--keep-going", "--faults", "--no-save"]
  private static let valued = [
    "--runs", "--seconds", "--strategy", "--json", "--xunit", "--replay", "--saved", "--seed", "--jobs",
  ]

  private mutating func set(_ option: String, _ value: String) throws(Refusal) {
    switch option {
    case "--runs": runsAtMost = try Self.number(option, value, 1...1_000_000_000)
    case "--seconds": seconds = Double(try Self.number(option, value, 1...1_000_000))
    case "--seed": seed = try Self.number(option, value, 0...(.max))
    case "--jobs": jobs = Int(try Self.number(option, value, 1...1024))
    case "--strategy":
      strategies |= try Self.strategy(value)
      guard strategies & Self.exhaustive == 0 || isExhaustive else {
        throw Refusal(.usage, "an exhaustive search leaves nothing to other strategies: name it alone")
      }
    case "--json": jsonFile = value
    case "--xunit": xunitFile = value
    case "--saved":
      guard !value.isEmpty else { throw Refusal(.usage, "--saved needs a folder") }
      savedFolder = value
    default:
      guard let token = Token(value) else {
        throw Refusal(.usage, "\"\(value)\" is no token of a schedule: such begin with xp1: and are copied whole")
      }
      replay = token
    }
  }

  private static func number(_ option: String, _ value: String, _ limits: ClosedRange<UInt64>) throws(Refusal) -> UInt64 {
    guard let number = UInt64(value), limits.contains(number) else {
      throw Refusal(
        .usage, "\(option) needs a whole number from \(limits.lowerBound) to \(limits.upperBound), not \"\(value)\"")
    }
    return number
  }

  private static func strategy(_ value: String) throws(Refusal) -> UInt32 {
    let names = Strategy.all
    guard let found = names.first(where: { $0.name == value }) else {
      throw Refusal(.usage, "there is no strategy \"\(value)\": there are \(names.map(\.name).joined(separator: ", "))")
    }
    return 1 << found.number
  }

  private static var noProgram: Refusal { Refusal(.usage, "no program is named") }
}

/// A way to choose who goes on.
public struct Strategy: Sendable, Equatable {
  /// Its number in the core.
  public let number: UInt32
  /// Its name on the command line.
  public var name: String { String(cString: sbx_strategy_name(number)) }

  /// All but the plain one, which has nothing to choose.
  public static let all = (1..<UInt32(SBX_STRATEGIES.rawValue)).map { Strategy(number: $0) }
}
