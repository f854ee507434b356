// PackedWordTests.swift: several numbers in one word: reading, setting, and the trap on one that does not fit.
import Glibc
import SignalboxTestSupport
import SignalboxWords
import Testing

private struct Sample: PackedWord {
  var rawValue: UInt64
  static let low = Field(0..<1), middle = Field(1..<24), high = Field(24..<64)
  static var fields: [(name: String, field: Field)] { [("low", low), ("middle", middle), ("high", high)] }
  var brokenInvariant: String? { self[Self.low] == 1 && self[Self.high] == 0 ? "INV-1" : nil }
}

@Suite("Fields of a packed word") struct PackedWordTests {
  @Test("Fields are set without touching their neighbours")
  func fields() {
    var word = Sample(rawValue: .max)
    word[Sample.middle] = 5
    #expect(word[Sample.low] == 1 && word[Sample.middle] == 5 && word[Sample.high] == (1 << 40) - 1)
    word[Sample.high] = 0
    #expect(word.rawValue == 5 << 1 | 1)
    for field in Sample.layout {
      word[field] = field.mask
      #expect(word[field] == field.mask)
    }
    #expect(word.rawValue == .max)
  }

  @Test("A field knows its place")
  func places() {
    #expect(Sample.middle.shift == 1 && Sample.middle.mask == (1 << 23) - 1)
    #expect(Sample.middle.one == 2 && Sample.middle.inPlace == Sample.middle.mask << 1)
    #expect(Field(0..<64).mask == .max)
    #expect(Sample.layout.reduce(UInt64(0)) { $0 | $1.inPlace } == .max)
  }

  @Test("A word's description has the fields that are not 0")
  func inWords() {
    #expect("\(Sample(rawValue: 5 << 1))" == "middle 5" && "\(Sample(rawValue: 0))" == "all 0")
    #expect("\(Sample(rawValue: 1 << 24 | 3))" == "low 1, middle 1, high 1")
  }

  @Test("In debug builds a step that breaks an invariant traps, and says which and of what word")
  func invariants() async {
    Sample(rawValue: 1 << 24 | 1).checkInvariants()
    #if DEBUG
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Sample(rawValue: 3).checkInvariants()
      exit(0)  // not reached
    }
    expectStop(result, saying: "INV-1 of Sample does not hold: low 1, middle 1")
    #endif
  }

  @Test("A number that does not fit traps")
  func overflow() async {
    await #expect(processExitsWith: .failure) {
      var word = Sample(rawValue: 0)
      word[Sample.low] = 2
      exit(0)  // not reached
    }
  }
}
