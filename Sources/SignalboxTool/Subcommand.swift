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
enum ExitStatus: Int32 {
  case success = 0
  case barsMissed = 1
  case nothingMatches = 2
  case usage = 64
  case unavailable = 69
  case internalError = 70
  case cannotCreateFile = 73
  case noPermission = 77
  case programNotRunnable = 126
  case programNotFound = 127
}

/// Writes one line to standard error and hands the status on.
func complain(_ message: String, _ status: ExitStatus) -> ExitStatus {
  OutputStream.error.write("signalbox: \(message)\n")
  return status
}
