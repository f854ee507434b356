// AnswerPieces.swift: the pieces of an answer, each checked where it is taken out; those that make no sense are
// counted. What the pieces are is Inspection.swift.
import SignalboxCommandLine

/// Takes pieces and numbers out of an answer, in which anything may stand.
struct AnswerPieces {
  /// How many were left out.
  private(set) var lost = 0

  /// No count is higher, so that sums of a few are right.
  private static let mostCounted = 1 << 53
  /// No time is longer, in seconds.
  private static let longest = 1e12

  /// The values of an array, as `make` reads them; nil leaves one out, which counts once whatever was wrong in it.
  mutating func all<Piece>(_ json: JSON, _ make: (JSON, inout AnswerPieces) -> Piece?) -> [Piece] {
    guard case .array(let values) = json else {
      lose(json)
      return []
    }
    return values.compactMap { value in
      let before = lost, piece = make(value, &self)
      if piece == nil { lost = before + 1 }
      return piece
    }
  }

  /// The number of something; nil if there is none.
  mutating func count(_ json: JSON) -> Int? { number(json, 0...Self.mostCounted) }

  /// A number of the kernel's: a thread's, a descriptor's.
  mutating func id(_ json: JSON) -> Int? { number(json, 0...Int(Int32.max)) }

  /// Seconds; below 0: in the past.
  mutating func seconds(_ json: JSON) -> Double? {
    if case .number(let number) = json, number.magnitude <= Self.longest { return number }
    lose(json)
    return nil
  }

  private mutating func number(_ json: JSON, _ bounds: ClosedRange<Int>) -> Int? {
    if let number = json.integer, bounds.contains(number) { return number }
    lose(json)
    return nil
  }

  /// What is not there at all is no loss.
  private mutating func lose(_ json: JSON) {
    if case .null = json { return }
    lost += 1
  }
}
