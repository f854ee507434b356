// InspectRefusal.swift: why a process shows nothing of itself, and what cures that: one line.

/// Nothing was shown; the message says why, and the mend.
public struct InspectRefusal: Error, Sendable, Equatable {
  /// The kind, which the command turns into its exit status.
  public enum Kind: Sendable, Equatable {
    /// The command line cannot be understood.
    case usage
    /// There is no such process, or it has ended meanwhile.
    case noProcess
    /// It is another user's.
    case notPermitted
    /// It takes no questions.
    case notPrepared
    /// It does not use Signalbox.
    case foreign
    /// It does not answer, or not so that it can be understood.
    case noAnswer
    /// A file cannot be read; it is no core dump, or of another program.
    case noFile, badFile
  }

  /// The kind.
  public let kind: Kind
  /// One line.
  public let message: String

  /// A refusal of this kind.
  public init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
}
