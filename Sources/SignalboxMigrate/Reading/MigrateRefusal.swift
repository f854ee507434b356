// MigrateRefusal.swift: why nothing was done, and how the command ends.
import SignalboxCommandLine

/// Nothing was changed; the message says what is wrong, where, and how to mend it.
public struct MigrateRefusal: Error, Sendable {
  /// How the command ends.
  public let status: ExitStatus
  /// One line, or one for each file.
  public let message: String

  init(_ status: ExitStatus, _ message: String) { (self.status, self.message) = (status, message) }
}
