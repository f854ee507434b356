// Whereabouts.swift: where a work item is, for threads that wait for its end, in one word. WorkItemWaits.swift writes
// it.
//
//   address of a serial queue | 1   it lies in that queue
//   address of another | 2          it lies in that one
//   owner value << 3 | 4            that thread runs it
//   7                               unclear, or it has run
//   0                               it was not submitted

/// A work item's whereabouts.
@usableFromInline package struct Whereabouts: Equatable, Sendable {
  @usableFromInline package var rawValue: UInt64
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable package static var inSerial: UInt64 { 1 }
  @inlinable package static var inOther: UInt64 { 2 }
  @inlinable package static var runs: UInt64 { 4 }
  @inlinable package static var marks: UInt64 { 7 }
  @inlinable package static var markBits: UInt64 { 3 }

  @inlinable package static var notSubmitted: Self { Self(rawValue: 0) }
  @inlinable package static var unclear: Self { Self(rawValue: 7) }
  /// It lies in the queue at an address.
  @inlinable @inline(__always) package static func queue(_ address: UInt64, isSerial: Bool) -> Self {
    Self(rawValue: address | (isSerial ? inSerial : inOther))
  }
  /// The thread `owner` runs it.
  @inlinable @inline(__always) package static func running(_ owner: UInt64) -> Self { Self(rawValue: owner << markBits | runs) }
  @inlinable @inline(__always) package var isRunning: Bool { rawValue & Self.marks == Self.runs }

  /// What the word says.
  @frozen @usableFromInline package enum Place: Equatable, Sendable {
    case notSubmitted, unclear
    case queue(UInt64, isSerial: Bool)
    case thread(UInt64)
  }
  @inlinable package var place: Place {
    switch rawValue & Self.marks {
    case 0: .notSubmitted
    case Self.inSerial: .queue(rawValue & ~Self.marks, isSerial: true)
    case Self.inOther: .queue(rawValue & ~Self.marks, isSerial: false)
    case Self.runs: .thread(rawValue >> Self.markBits)
    default: .unclear
    }
  }
}
