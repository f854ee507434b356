// Refusal.swift: why a program was not started, or nothing was printed: one line, and how the command ends.

/// Nothing was done; the message says what, where and how to mend it.
public struct Refusal: Error, Sendable, Equatable {
  /// The kind, which the command turns into its exit status.
  public enum Kind: Sendable, Equatable {
    /// The command line cannot be understood.
    case usage
    /// There is no such program.
    case programNotFound
    /// The program is there, and cannot be run, or not on another library.
    case programNotRunnable
    /// Signalbox's own library is not where it should be.
    case libraryMissing
    /// The private folder cannot be made, or is not private.
    case folderUnsafe
  }

  /// The kind.
  public let kind: Kind
  /// One line.
  public let message: String

  /// A refusal of this kind.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
