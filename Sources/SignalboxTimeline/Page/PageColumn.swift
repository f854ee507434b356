// PageColumn.swift: numbers as a page carries them: few bytes for small ones, and these as letters (base64).
import SignalboxSystem

/// A column of numbers. Each has seven bits in a byte, the lowest first; all bytes but its last have the highest bit set.
struct PageColumn {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ value: some BinaryInteger) { append(bits: UInt64(clamping: value)) }
  mutating func append(_ value: ReadNumber) { append(bits: value.bits) }

  private mutating func append(bits value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  /// Bytes that become letters at a time; a multiple of three, so that only the last piece is filled up with "=".
  private static let piece = 3 << 14

  /// The column as letters, piece by piece.
  func write(_ write: ([UInt8]) -> Void) {
    for start in stride(from: 0, to: bytes.count, by: Self.piece) {
      write(Self.base64(bytes[start..<min(start + Self.piece, bytes.count)]))
    }
  }

  static func base64(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 3) {
      let count = min(3, bytes.endIndex - start)
      var group: UInt32 = 0
      for place in 0..<3 { group = group << 8 | (place < count ? UInt32(bytes[start + place]) : 0) }
      for place in 0..<4 {
        text.append(place <= count ? letters[Int(group >> (18 - UInt32(place) * 6) & 63)] : UInt8(ascii: "="))
      }
    }
    return text
  }
}
