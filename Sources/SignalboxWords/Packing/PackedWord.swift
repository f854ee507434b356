// PackedWord.swift: several named numbers in one 64-bit word, so that one swap changes them together.

/// A range of bits of a packed word.
///
/// A type declares its fields as computed properties. The runtime makes a stored one at its first use, under a lock; and with the thread
/// sanitizer it takes that lock at every use, so that a loop of swaps by hundreds of threads hardly comes forward.
public struct Field: Sendable, Equatable {
  /// The lowest bit.
  public let shift: UInt64
  /// The bits of the field, not shifted.
  public let mask: UInt64
  /// The field's bits in place.
  @inlinable @inline(__always) public var inPlace: UInt64 { mask << shift }
  /// One, in place: what adding to the field adds to the word.
  @inlinable @inline(__always) public var one: UInt64 { 1 << shift }
  /// The field of the given bits.
  @inlinable @inline(__always) public init(_ bits: Range<UInt64>) {
    shift = bits.lowerBound
    mask = (1 << (bits.upperBound - bits.lowerBound)) &- 1
  }
}

/// A value type over one word: a state that threads move on together (AtomicState.swift).
public protocol WordState: Equatable, Sendable {
  /// The word's bits.
  associatedtype RawValue: FixedWidthInteger & Sendable
  /// All fields.
  var rawValue: RawValue { get set }
  /// The word with these fields.
  init(rawValue: RawValue)
  /// The name of an invariant of the type that does not hold; nil when all hold.
  var brokenInvariant: String? { get }
}

/// A value type over one word of 64 bits with named fields.
public protocol PackedWord: WordState, CustomStringConvertible where RawValue == UInt64 {
  /// Every field by its name, in order of its bits.
  static var fields: [(name: String, field: Field)] { get }
}

extension PackedWord {
  /// The number in `field`. Setting a number that does not fit is a broken invariant and traps.
  @inlinable @inline(__always)
  public subscript(field: Field) -> UInt64 {
    get { (rawValue >> field.shift) & field.mask }
    set {
      precondition(newValue <= field.mask, "packed field overflow")
      rawValue = (rawValue & ~field.inPlace) | (newValue << field.shift)
    }
  }
}

extension WordState {
  /// No invariant by default.
  public var brokenInvariant: String? { nil }

  /// Traps in debug builds if an invariant does not hold after a step.
  @inlinable @inline(__always)
  public func checkInvariants() {
    assert(brokenInvariant == nil, "\(brokenInvariant ?? "an invariant") of \(Self.self) does not hold: \(self)")
  }
}

extension PackedWord {
  /// The fields without their names, for the test that they tile the word.
  public static var layout: [Field] { fields.map(\.field) }

  /// The fields that are not 0, by name.
  public var description: String {
    let parts = Self.fields.filter { self[$0.field] != 0 }.map { "\($0.name) \(self[$0.field])" }
    return parts.isEmpty ? "all 0" : parts.joined(separator: ", ")
  }
}
