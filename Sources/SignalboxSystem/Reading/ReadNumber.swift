// ReadNumber.swift: a number from outside of the program: of a file, another process, an answer. Any bits may stand
// there, and no step of its arithmetic ends the program. How the bytes are read is FileBytes.swift and
// OtherMemory.swift.

/// A number that was read, and may be any.
///
/// It is checked once, by becoming this type. Sums, differences and products stay between 0 and 2⁶⁴ - 1: what would
/// lie beyond is the bound. Every way to an `Int`, to an index and to a range says what becomes of a number that does not
/// fit, so the compiler finds each place where a damaged file could have stopped the program.
public struct ReadNumber: Hashable, Sendable {
  /// The bits as they were read: for addresses, numbers of a program's own, and masks.
  public let bits: UInt64

  /// The number of these bits.
  @inlinable public init(_ bits: UInt64) { self.bits = bits }
  /// A count of what is there; one below 0 becomes 0.
  @inlinable public init(count: Int) { bits = UInt64(Swift.max(0, count)) }

  /// The largest number.
  public static let max = ReadNumber(.max)

  // MARK: ways out

  /// The number, or `limit` if it is larger: to reserve room, to count, to go over as many things as there can be.
  @inlinable public func int(upTo limit: Int) -> Int { bits <= UInt64(Swift.max(0, limit)) ? Int(bits) : Swift.max(0, limit) }

  /// The number as another type; nil if it does not fit.
  @inlinable public func exactly<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? { Number(exactly: bits) }

  /// The number's lowest bits: what the rest of it says is not asked for.
  @inlinable public func lowest<Number: FixedWidthInteger>(_ type: Number.Type) -> Number { Number(truncatingIfNeeded: bits) }

  /// As near as a floating-point number comes.
  @inlinable public var double: Double { Double(bits) }

  /// In hexadecimal figures, with `0x` in front.
  public var hexadecimal: String { "0x" + String(bits, radix: 16) }

  // MARK: arithmetic

  /// The sum; the largest number if it is beyond that.
  @inlinable public static func + (one: Self, other: Self) -> Self {
    let sum = one.bits.addingReportingOverflow(other.bits)
    return sum.overflow ? .max : Self(sum.partialValue)
  }

  /// How much more `one` is; 0 if it is less.
  @inlinable public static func - (one: Self, other: Self) -> Self { Self(one.bits - Swift.min(one.bits, other.bits)) }

  /// The product; the largest number if it is beyond that.
  @inlinable public static func * (one: Self, other: Self) -> Self {
    let product = one.bits.multipliedReportingOverflow(by: other.bits)
    return product.overflow ? .max : Self(product.partialValue)
  }

  /// How often `other` goes into it; the largest number if that is 0.
  @inlinable public static func / (one: Self, other: Self) -> Self { other.bits == 0 ? .max : Self(one.bits / other.bits) }

  /// What is left after that; 0 if `other` is 0.
  @inlinable public static func % (one: Self, other: Self) -> Self { other.bits == 0 ? 0 : Self(one.bits % other.bits) }

  /// Adds as `+` does.
  @inlinable public static func += (one: inout Self, other: Self) { one = one + other }
  /// Subtracts as `-` does.
  @inlinable public static func -= (one: inout Self, other: Self) { one = one - other }

  // MARK: bits

  /// The bits that both have.
  @inlinable public static func & (one: Self, other: Self) -> Self { Self(one.bits & other.bits) }
  /// The bits that one of them has.
  @inlinable public static func | (one: Self, other: Self) -> Self { Self(one.bits | other.bits) }
  /// The bits that it has not.
  @inlinable public static prefix func ~ (number: Self) -> Self { Self(~number.bits) }
  /// The bits, moved down; those that leave the number are gone.
  @inlinable public static func >> (number: Self, places: Int) -> Self { Self(number.bits >> places) }
  /// The bits, moved up; those that leave the number are gone.
  @inlinable public static func << (number: Self, places: Int) -> Self { Self(number.bits << places) }

  /// How far `start` has to be moved to be here, around the end of all addresses if need be.
  @inlinable public func distance(from start: Self) -> Self { Self(bits &- start.bits) }
  /// The address that far from here, around the end of all addresses if need be.
  @inlinable public func moved(by distance: Self) -> Self { Self(bits &+ distance.bits) }
}

extension ReadNumber: ExpressibleByIntegerLiteral {
  /// A number of the program's text.
  @inlinable public init(integerLiteral value: UInt64) { self.init(value) }
}

extension ReadNumber: CustomStringConvertible {
  /// In decimal figures.
  public var description: String { String(bits) }
}

extension ReadNumber: Comparable {
  /// Whether `one` is less.
  @inlinable public static func < (one: Self, other: Self) -> Bool { one.bits < other.bits }

  /// From `start` up to `end`; empty if `end` lies before.
  @inlinable public static func ..< (start: Self, end: Self) -> Range<Self> {
    Range(uncheckedBounds: (start, Swift.max(start, end)))
  }

  /// A closed range cannot be empty, so one whose end lies before its start would end the program.
  @available(*, unavailable, message: "use ..<, or isBetween(_:and:)")
  public static func ... (start: Self, end: Self) -> ClosedRange<Self> { ClosedRange(uncheckedBounds: (start, start)) }

  /// Whether it is `least` or more, and `most` or less.
  @inlinable public func isBetween(_ least: Self, and most: Self) -> Bool { least <= self && self <= most }
}

extension RandomAccessCollection where Index == Int {
  /// The element of that place, counted from 0; nil if there are fewer.
  @inlinable public subscript(at place: ReadNumber) -> Element? {
    place.bits < UInt64(count) ? self[startIndex + Int(place.bits)] : nil
  }

  /// As many of the first elements as there are.
  @inlinable public func first(_ most: ReadNumber) -> SubSequence { prefix(most.int(upTo: count)) }
}
