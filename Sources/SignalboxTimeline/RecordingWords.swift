// RecordingWords.swift: the bytes of a recording's file as numbers, and its ticks as times. What they mean is
// RecordingFile.swift.
import SignalboxRecorder
import SignalboxSystem

/// Words of 64 bits; what lies behind their end is 0.
struct RecordingWords {
  let bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  subscript(word: RecordLayout.Head) -> ReadNumber { at(word.rawValue * 8) }
  subscript(word: RecordLayout.Chunk) -> ReadNumber { at(word.rawValue * 8) }
  func at(_ place: Int) -> ReadNumber { ReadNumber(bits(at: place)) }
  func bits(at place: Int) -> UInt64 {
    guard place + 8 <= bytes.count else { return 0 }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
  }
  /// As many of these bytes as there are.
  func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range.clamped(to: 0..<bytes.count)] }

  /// Whether anything but zeros lies behind that place.
  func isWritten(behind place: Int) -> Bool {
    bytes.withUnsafeBytes { all in
      var next = place
      while next + 8 <= all.count {
        if all.loadUnaligned(fromByteOffset: next, as: UInt64.self) != 0 { return true }
        next += 8
      }
      return false
    }
  }

  /// Words of a piece's head.
  var head: [UInt64] { (0..<RecordLayout.chunkHeadSize / 8).map { bits(at: $0 * 8) } }
}

/// From the processor's counter to nanoseconds of the uptime clock.
struct RecordingScale {
  /// The latest moment that is taken for one: no clock goes further.
  static let latest = ReadNumber(1 << 62)

  private let ticks, uptime: ReadNumber
  private let rate: Double

  init(from: (ticks: ReadNumber, uptime: ReadNumber), to: (ticks: ReadNumber, uptime: ReadNumber)) {
    (ticks, uptime) = from
    rate = to.ticks > from.ticks ? Self.span(from.uptime, to.uptime) / (to.ticks - from.ticks).double : 1
  }

  /// Below 0 if `end` is the earlier one.
  private static func span(_ start: ReadNumber, _ end: ReadNumber) -> Double {
    end >= start ? (end - start).double : -(start - end).double
  }

  /// A moment of the uptime clock, between its beginning and `latest`.
  func time(_ ticks: ReadNumber) -> ReadNumber {
    let time = uptime.double + Self.span(self.ticks, ticks) * rate
    // A number of Double's that is none, or beyond, is the bound.
    return time >= Self.latest.double ? Self.latest : time > 0 ? ReadNumber(UInt64(time)) : 0
  }
}
