// Source.swift: a source file as it was read: its bytes, what stands in it, and places in it as people count them.

/// A source file that is read.
struct Source: Sendable {
  /// From the package's folder.
  var path: String
  var bytes: [UInt8]
  var facts: SourceFacts
  /// Why it is not to be written; nil if it may be.
  var barrier: String?

  /// The line of a place, counted from 1.
  func line(of place: Int) -> Int { 1 + bytes.prefix(max(0, place)).count { $0 == UInt8(ascii: "\n") } }

  /// The file's end of a line: that of its first.
  var lineEnd: String {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end > 0 else { return "\n" }
    return bytes[end - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
  }

  /// Where a comment that closes the line of `place` ends, if nothing else stands between; else `place`.
  func behindComment(_ place: Int) -> Int {
    let line = bytes[place...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return line.drop { $0 == 0x20 || $0 == 0x09 }.starts(with: Array("//".utf8)) ? line.endIndex : place
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
