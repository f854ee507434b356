// DataFormatTests.swift: formats of data: known pairs, every boundary of regions, and what is refused. Tests/Programs/CData compares
// random data with the toolchain's library.
import Testing

@_spi(Formats) @testable import SignalboxDispatch

@Suite("Formats of data") struct DataFormatTests {
  private func data(_ bytes: some Sequence<UInt8>) -> DispatchData { Array(bytes).withUnsafeBytes { DispatchData(bytes: $0) } }

  /// The bytes in another format, made of all of them at once, and of two and three regions with every boundary; nil if refused.
  private func transformed(
    _ bytes: [UInt8], _ source: DataFormat, _ target: DataFormat, location: SourceLocation = #_sourceLocation
  ) -> [UInt8]? {
    let whole = DataFormat.transform(data(bytes), from: source, to: target).map { Array($0) }
    for first in 0...bytes.count {
      for second in first...min(first + 3, bytes.count) {
        var pieces = data(bytes[..<first])
        pieces.append(data(bytes[first..<second]))
        pieces.append(data(bytes[second...]))
        let result = DataFormat.transform(pieces, from: source, to: target).map { Array($0) }
        #expect(result == whole, "cut at \(first) and \(second)", sourceLocation: location)
      }
    }
    return whole
  }

  private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  @Test("The examples of RFC 4648 are encoded and decoded")
  func examples() {
    let pairs: [(String, [DataFormat: String])] = [
      ("", [.base64: "", .base32: "", .base32hex: ""]),
      ("f", [.base64: "Zg==", .base32: "MY======", .base32hex: "CO======"]),
      ("fo", [.base64: "Zm8=", .base32: "MZXQ====", .base32hex: "CPNG===="]),
      ("foo", [.base64: "Zm9v", .base32: "MZXW6===", .base32hex: "CPNMU==="]),
      ("foob", [.base64: "Zm9vYg==", .base32: "MZXW6YQ=", .base32hex: "CPNMUOG="]),
      ("fooba", [.base64: "Zm9vYmE=", .base32: "MZXW6YTB", .base32hex: "CPNMUOJ1"]),
      ("foobar", [.base64: "Zm9vYmFy", .base32: "MZXW6YTBOI======", .base32hex: "CPNMUOJ1E8======"]),
    ]
    for (plain, codes) in pairs {
      for (format, written) in codes {
        #expect(text(transformed(Array(plain.utf8), .none, format)) == written)
        #expect(text(transformed(Array(written.utf8), format, .none)) == plain)
        for (other, rewritten) in codes { #expect(text(transformed(Array(written.utf8), format, other)) == rewritten) }
      }
    }
  }

  @Test("Every byte that is encoded is decoded again", arguments: [DataFormat.base64, .base32, .base32hex])
  func roundTrips(format: DataFormat) {
    for count in 0..<256 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
      let written = DataFormat.transform(data(bytes), from: .none, to: format)!
      #expect(written.count == (format == .base64 ? (count + 2) / 3 * 4 : (count + 4) / 5 * 8))
      #expect(DataFormat.transform(written, from: format, to: .none).map { Array($0) } == bytes)
    }
  }

  @Test("Blanks between letters mean nothing, an unfinished group without padding is left out")
  func blanks() {
    for letters in [" QUJD", "QU\nJD", "QUJD\t \n", "Q U J D", "QUJDR", "QUJDRA", "QUJDRAB"] {
      #expect(text(transformed(Array(letters.utf8), .base64, .none)) == "ABC", "\(letters)")
    }
    #expect(transformed(Array(" \n".utf8), .base64, .none) == [])
    #expect(text(transformed(Array("QU\n=\t=".utf8), .base64, .none)) == "A")
  }

  @Test("Characters of no encoding, and padding that fills no group, are refused")
  func corruptLetters() {
    let wrong: [DataFormat: [String]] = [
      .base64: [
        "QU.D", "QU-_", "QU\u{0}D", "QUJD\r\n", "=", "==", "===", "====", "Q===", "QU=", "QU=I", "QU==QUJD", "QUJD=",
        "QUJD====",
        "QU======", "QUJDRA=", "=QUJ", "é",
      ],
      .base32: [
        "ifbegrcf", "IFBE0RCF", "IFBE1RCF", "IFBE8RCF", "IF=", "IF=====", "IF=======", "IFB=====", "I=======", "IFBEGR==",
        "========",
        "IF======IFBEGRCF", "IFBEGRCF========",
      ],
      .base32hex: ["CPNMUOJW", "cpnmuoj1", "CO=====", "CPN====="],
    ]
    for (format, list) in wrong {
      for letters in list { #expect(transformed(Array(letters.utf8), format, .none) == nil, "\(letters)") }
    }
  }

  @Test("Text is converted between all its formats, and back")
  func texts() {
    for sample in ["", "a", "é", "€", "😀", "a\u{0}b", "aé€😀\u{FFFF}\u{10FFFF}", "x\u{FEFF}y"] {
      let utf8 = Array(sample.utf8), units = Array(sample.utf16)
      let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
      let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
      let written: [(DataFormat, [UInt8], [UInt8])] = [
        (.utf8, utf8, utf8), (.utf16le, little, sample.isEmpty ? [] : [0xFF, 0xFE] + little),
        (.utf16be, big, sample.isEmpty ? [] : [0xFE, 0xFF] + big),
      ]
      for (source, plain, marked) in written {
        for (target, _, wanted) in written {
          #expect(transformed(plain, source, target) == wanted)
          #expect(transformed(marked, source, target) == wanted)
          if source != .utf8, !sample.isEmpty { #expect(transformed(marked, .utfAny, target) == wanted) }
        }
      }
    }
  }

  @Test("The mark at the beginning of UTF-8 is dropped, one that names another form is refused")
  func marks() {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(transformed(mark + [0x61], .utf8, .utf8) == [0x61])
    #expect(transformed(mark + [0x61], .utfAny, .utf8) == [0x61])
    #expect(transformed(mark + mark + [0x61], .utf8, .utf8) == mark + [0x61])
    #expect(transformed(mark, .utf8, .utf16be) == [0xFE, 0xFF])
    #expect(transformed([0xFE, 0xFF, 0x61, 0], .utf16le, .utf8) == nil)
    #expect(transformed([0xFF, 0xFE, 0, 0x61], .utf16be, .utf8) == nil)
    for bytes: [UInt8] in [[], [0x61], [0xFF], [0xFF, 0xFE, 0x61]] { #expect(transformed(bytes, .utfAny, .utf8) == nil) }
  }

  @Test("Text that is not well-formed is refused")
  func corruptText() {
    let utf8: [[UInt8]] = [
      [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0x80], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xED, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC3, 0x28], [0x61, 0xC3],
    ]
    for bytes in utf8 {
      #expect(transformed(bytes, .utf8, .utf16le) == nil, "\(bytes)")
      #expect(transformed(bytes, .utf8, .utf8) == bytes, "UTF-8 that stays so is not read")
    }
    let utf16: [[UInt8]] = [
      [0xD8, 0], [0xDC, 0], [0xD8, 0, 0, 0x61], [0xDC, 0, 0xD8, 0], [0, 0x61, 0], [0xD8, 0, 0xDC], [0],
    ]
    for bytes in utf16 {
      for target in [DataFormat.utf8, .utf16le, .utf16be] { #expect(transformed(bytes, .utf16be, target) == nil, "\(bytes)") }
    }
  }

  @Test("Text is not converted to binary data or back, and utfAny is not a target")
  func ways() {
    let bytes: [DataFormat] = [.none, .base32, .base32hex, .base64], forms: [DataFormat] = [.utf8, .utf16le, .utf16be]
    for plain in bytes {
      for form in forms + [.utfAny] {
        #expect(DataFormat.transform(data("QUJD".utf8), from: plain, to: form) == nil)
        #expect(DataFormat.transform(data("QUJD".utf8), from: form, to: plain) == nil)
      }
    }
    for form in forms { #expect(DataFormat.transform(data("QUJD".utf8), from: form, to: .utfAny) == nil) }
    let same = data("QUJD".utf8)
    #expect(DataFormat.transform(same, from: .none, to: .none)?.node === same.node)
    #expect(DataFormat.transform(same, from: .utf8, to: .utf8)?.node === same.node)
  }
}
