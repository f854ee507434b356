// StepNumber.swift: a number of steps, of a token or of a run's memory, either of which may hold any bits. What a token is made of besides is
// Token.swift.

/// How many steps there were, or which one. Smaller than any sum of a few of them could be too large for.
package struct StepNumber: Comparable, Hashable, Sendable, CustomStringConvertible {
  /// At most `most`.
  package let value: UInt32

  /// A run is stopped long before.
  package static let most: UInt32 = 1 << 30

  /// Of a token; nil if that is more than `most`.
  package init?(read: UInt64) {
    guard read <= UInt64(Self.most) else { return nil }
    value = UInt32(read)
  }

  /// Of a run; `most` if it is more.
  package init(seen: UInt32) { value = min(seen, Self.most) }

  /// The number in digits.
  package var description: String { String(value) }

  package static func < (one: Self, other: Self) -> Bool { one.value < other.value }

  /// The step after it.
  var next: Self { Self(seen: value + 1) }

  /// How far `other` lies behind it; 0 if it lies before.
  func distance(from other: Self) -> UInt32 { value - min(other.value, value) }
}
