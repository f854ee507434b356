// PackedWordTests.swift: several numbers in one word: reading, setting, and the trap on one that does not fit.
import Glibc
import SignalboxSystem
import Testing

private struct Sample: PackedWord {
  var rawValue: UInt64
  static let low = Field(0..<1), middle = Field(1..<24), high = Field(24..<64)
  static var layout: [Field] { [low, middle, high] }
}

@Suite struct PackedWordTests {
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

  @Test("A number that does not fit traps")
  func overflow() async {
    await #expect(processExitsWith: .failure) {
      var word = Sample(rawValue: 0)
      word[Sample.low] = 2
      exit(0)  // not reached
    }
  }
}
