// PartSearchTests.swift: where a part lies in a text, beside the toolchain's own functions of that meaning.
import SignalboxSystem
import Testing

@Suite("Parts of texts and bytes") struct PartSearchTests {
  /// All texts of these letters up to this length.
  private static func texts(_ letters: [Character], upTo length: Int) -> [String] {
    var all = [""], longest = all
    for _ in 0..<length {
      longest = longest.flatMap { text in letters.map { text + [$0] } }
      all += longest
    }
    return all
  }

  @Test("Places are those that the toolchain finds, in every short text") func places() {
    for text in Self.texts(["a", "b"], upTo: 7) {
      for part in Self.texts(["a", "b"], upTo: 3) where !part.isEmpty {
        #expect(text.firstPlace(of: part) == text.firstRange(of: part), "'\(part)' in '\(text)'")
        #expect(text.lastPlace(of: part) == text.ranges(of: part).last, "'\(part)' in '\(text)'")
        #expect(text.holds(part) == text.contains(part), "'\(part)' in '\(text)'")
        let pieces = text.split(separator: part, omittingEmptySubsequences: false)
        #expect(text.pieces(between: part) == pieces, "'\(part)' in '\(text)'")
      }
    }
  }

  @Test("Characters are compared and not their bytes; bytes are where bytes are asked for") func elements() {
    #expect("cafe\u{301} au lait".firstPlace(of: "caf\u{e9} ") != nil)
    #expect(!"cafe\u{301}".holds("e"))
    #expect(Array("cafe\u{301}".utf8).holds(Array("e".utf8)))
    #expect(!"any".holds(""))
    #expect("".pieces(between: "x") == [""])
  }
}
