// DamagedJSONTests.swift: texts that are no JSON, or JSON with numbers and letters that nothing else takes: each is a
// value, or refused.
import SignalboxCommandLine
import Testing

/// The same numbers in each run (xorshift).
private struct Dice: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

@Suite("Damaged JSON") struct DamagedJSONTests {
  @Test("A number is whole where numbers of JSON are exact, and else none that counts")
  func numbers() {
    let whole: [(String, Int?)] = [
      ("-0", 0), ("9007199254740992", 1 << 53), ("-9007199254740992", -(1 << 53)), ("9007199254740994", nil), ("1e19", nil),
      ("-1e19", nil), ("9223372036854775807", nil), ("1e400", nil), ("-1e400", nil), ("1.5", nil), ("1e3", 1_000),
      ("1e-400", 0),
    ]
    for (text, number) in whole { #expect(JSON(text)?.integer == number && JSON(text) != nil, "\(text)") }
    #expect(JSON("[1e400,-0]")?.text == "[null,0]")
  }

  @Test(
    "What is no number, or a part of one, is refused",
    arguments: ["", "-", "+1", ".5", "e5", "1e", "--1", "1-1", "1.2.3", "0x10", "nan", "inf", "Infinity", "1 2", "1\u{0}"])
  func noNumbers(text: String) { #expect(JSON(text) == nil) }

  @Test(
    "Half an escape, and half a pair, are refused",
    arguments: [
      #"""#, #""\"#, #""\""#, #""\u"#, #""\u12"#, #""\u12"#, #""\u123g""#, #""\u+041""#, #""\u-041""#, #""\ud800""#,
      #""\ud800\n""#,
      #""\udc00""#, #""\ud83d\u0041""#, #""\ud83d\"#, #""\ud83d\ud83d""#, #""\x41""#, #""a"#,
    ])
  func escapes(text: String) { #expect(JSON(text) == nil) }

  @Test("Zeros, and letters of any size, come back as they were")
  func letters() {
    #expect(JSON(#""\u0000\ud83d\ude00\u00e9""#)?.string == "\u{0}\u{1F600}\u{E9}")
    for text in ["\u{0}", "\u{1F600}", "\u{2028}", "\u{7F}", "\\\"", "\u{FFFD}"] {
      #expect(JSON(JSON.string(text).text)?.string == text)
    }
  }

  @Test("A text that is nested too deep is refused")
  func deep() {
    func nested(_ depth: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }
    #expect(JSON(nested(200, "[", "]")) != nil && JSON(nested(200, #"{"a":"#, "}")) != nil)
    for depth in [256, 1_000, 200_000] {
      #expect(JSON(nested(depth, "[", "]")) == nil && JSON(nested(depth, #"{"a":"#, "}")) == nil)
      #expect(JSON(String(repeating: "[", count: depth)) == nil)
    }
  }

  @Test("Whatever the text is, it is refused, or reads the same once it was printed", arguments: 0..<4)
  func anything(part: Int) {
    var dice = Dice(seed: UInt64(3_500 + part)), read = 0
    let whole = #"{"a":[1,-2.5e3,true,false,null,"\u00e9\ud83d\ude00\n"],"b":{"c":"d"}}"#
    let pieces = [
      "null", "1e400", "-0", "[", "]", "{", "}", ",", ":", "\"", "\\", "\\u", "d800", "\u{0}", " ", "1", "e", "-", "\u{E9}",
    ]
    for _ in 0..<2_000 {
      var bytes = Array(whole.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &dice) {
        let place = Int.random(in: 0..<bytes.count, using: &dice),
          end = min(bytes.count, place + Int.random(in: 0...3, using: &dice))
        bytes.replaceSubrange(place..<end, with: Array(pieces.randomElement(using: &dice)!.utf8))
      }
      if Int.random(in: 0..<4, using: &dice) == 0 { bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &dice))) }
      guard let value = JSON(String(decoding: bytes, as: UTF8.self)) else { continue }
      read += 1
      #expect(JSON(value.text)?.text == value.text)
    }
    #expect(read > 40, "\(read)")
  }
}
