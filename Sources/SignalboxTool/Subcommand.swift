// Subcommand.swift: what a subcommand is, how it ends and how it complains.
import BenchSupport

/// One word after `signalbox`.
protocol Subcommand {
  /// The word.
  static var name: String { get }
  /// What it does, in one line.
  static var summary: String { get }
  /// Does it; the arguments are those after the word.
  static func run(_ arguments: [String]) -> ExitStatus
}

/// How a command ends; the numbers from 64 to 78 are those of `sysexits.h`, 126 and 127 a shell's.
struct ExitStatus: Equatable {
  let rawValue: Int32

  static let success = ExitStatus(rawValue: 0)
  static let barsMissed = ExitStatus(rawValue: 1)
  static let nothingMatches = ExitStatus(rawValue: 2)
  static let usage = ExitStatus(rawValue: 64)
  static let dataError = ExitStatus(rawValue: 65)
  static let unavailable = ExitStatus(rawValue: 69)
  static let internalError = ExitStatus(rawValue: 70)
  static let cannotCreateFile = ExitStatus(rawValue: 73)
  static let noPermission = ExitStatus(rawValue: 77)
  static let programNotRunnable = ExitStatus(rawValue: 126)
  static let programNotFound = ExitStatus(rawValue: 127)

  /// Of the lab: not what the documents say.
  static let scenarioFailed = ExitStatus(rawValue: 1)
  /// Of the lab: wrong usage.
  static let labUsage = ExitStatus(rawValue: 2)
}

/// Writes one line to standard error and hands the status on.
func complain(_ message: String, _ status: ExitStatus) -> ExitStatus {
  OutputStream.error.write("signalbox: \(message)\n")
  return status
}
