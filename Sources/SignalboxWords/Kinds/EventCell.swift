// EventCell.swift: one event as it lies in a recording. Where events lie in the file is
// SignalboxRecorder/RecordLayout.swift.

/// One event: three words that hold three addresses of 48 bits, a kind, and 40 bits of time.
public struct EventCell: Sendable, Equatable {
  /// The bits of an address.
  @inlinable public static var addressMask: UInt64 { (1 << 48) - 1 }
  /// The bits of a time.
  @inlinable public static var timeMask: UInt64 { (1 << 40) - 1 }

  /// The words as they lie in the file.
  public var words: (UInt64, UInt64, UInt64)

  /// An event of these parts, of which each keeps its lower bits.
  @inlinable @inline(__always)
  public init(_ kind: EventKind, time: UInt64, _ a: UInt64, _ b: UInt64, _ c: UInt64) {
    words.0 = time & Self.timeMask | UInt64(kind.rawValue) << 40 | (c >> 32) << 48
    words.1 = a & Self.addressMask | c << 48
    words.2 = b & Self.addressMask | (c >> 16) << 48
  }

  /// An event as it was read; nil if it is none.
  public init?(words: (UInt64, UInt64, UInt64)) {
    guard EventKind(rawValue: UInt8(truncatingIfNeeded: words.0 >> 40))?.isRecorded == true else { return nil }
    self.words = words
  }

  /// What happened.
  public var kind: EventKind { EventKind(rawValue: UInt8(truncatingIfNeeded: words.0 >> 40)) ?? .time }
  /// When, counted from the base.
  public var time: UInt64 { words.0 & Self.timeMask }
  /// The first address.
  public var a: UInt64 { words.1 & Self.addressMask }
  /// The second.
  public var b: UInt64 { words.2 & Self.addressMask }
  /// The third.
  public var c: UInt64 { words.1 >> 48 | (words.2 >> 48) << 16 | (words.0 >> 48) << 32 }

  /// Whether all words are the same.
  public static func == (one: Self, other: Self) -> Bool { one.words == other.words }
}
