// RecordingDamage.swift: what of a recording's file is not there, or not as a recording program writes it. RecordingFile.swift finds it.
import SignalboxSystem

/// What a file lacks of what it says to have, in pieces of the file (`RecordLayout.chunkSize`).
public struct RecordingDamage: Sendable, Equatable {
  /// Pieces that the file should have.
  public fileprivate(set) var all: ReadNumber = 0
  /// Pieces that lie behind the file's end.
  public fileprivate(set) var missing: ReadNumber = 0
  /// Pieces of which only a beginning is there, or that hold words that no recording program writes.
  public fileprivate(set) var broken: ReadNumber = 0

  init() {}

  /// - Parameters:
  ///   - wanted: how many pieces the file should have, by its head; 0: not known.
  ///   - bytes: how many bytes of the file lie behind its head.
  ///   - piece: bytes of a piece.
  init(wanted: ReadNumber, bytes: ReadNumber, piece: ReadNumber) {
    let whole = bytes / piece, isCut = wanted > whole && bytes % piece != 0
    all = max(wanted, whole)
    (missing, broken) = (wanted - whole - (isCut ? 1 : 0), isCut ? 1 : 0)
  }

  /// One more piece is not as a program writes it.
  mutating func breaks() { broken += 1 }

  /// Whether all is there, as far as a reader can tell.
  public var isNone: Bool { missing == 0 && broken == 0 }

  /// In words that follow the file's name; nil if nothing is damaged.
  public var words: String? {
    if isNone { return nil }
    func are(_ number: ReadNumber) -> String { "\(number) \(number == 1 ? "is" : "are")" }
    let parts = (missing > 0 ? ["\(are(missing)) missing"] : []) + (broken > 0 ? ["\(are(broken)) damaged"] : [])
    return "is cut off or damaged: of its \(all) pieces \(parts.joined(separator: " and ")); what is whole of it is shown"
  }
}
