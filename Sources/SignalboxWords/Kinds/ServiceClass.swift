// ServiceClass.swift: the five classes of service in their order, and the class that work or a queue was given. What is
// served as which class is the pool's to say, and which class an item has the queue's.

/// A class of service: the smaller of two is the more urgent. Work that has none is served as `standard`.
@frozen @usableFromInline
package enum ServiceClass: Int, Comparable, Sendable {
  case interactive, initiated, standard, utility, background

  /// How many classes there are. As a number in a word that may have none: none.
  @inlinable package static var count: Int { background.rawValue + 1 }
  /// All of them.
  @inlinable package static var all: ServiceClasses { ServiceClasses(.interactive, through: .background) }

  /// The class of that number, which the engine itself has put into a word.
  @inlinable @inline(__always)
  package init(known number: Int) {
    assert(0..<Self.count ~= number, "\(number) is no class of service")
    // SAFETY: an enum of five cases without values is one byte, the number of its case, and that is its raw value.
    self = unsafeBitCast(UInt8(truncatingIfNeeded: number), to: Self.self)
  }

  /// Whether the one is more urgent.
  @inlinable @inline(__always) package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  /// Whether it is served before the other; any is before none.
  @inlinable @inline(__always) package func isMoreUrgent(than other: Self?) -> Bool { other.map { self < $0 } ?? true }
  /// The other, if that is more urgent.
  @inlinable @inline(__always) package func raised(to other: Self?) -> Self { other.map { min(self, $0) } ?? self }
}

/// Classes that follow one another, from the most urgent on. To go over them allocates nothing.
@frozen @usableFromInline
package struct ServiceClasses: Sequence, IteratorProtocol, Sendable {
  // Numbers, since no class is behind the last.
  @usableFromInline var start: Int
  @usableFromInline let end: Int

  @inlinable init(start: Int, end: Int) { (self.start, self.end) = (start, end) }
  /// Both included.
  @inlinable package init(_ first: ServiceClass, through last: ServiceClass) {
    self.init(start: first.rawValue, end: last.rawValue + 1)
  }
  /// Without `end`, which is not more urgent than `first`.
  @inlinable package init(_ first: ServiceClass, before end: ServiceClass) {
    self.init(start: first.rawValue, end: end.rawValue)
  }

  @inlinable @inline(__always)
  package mutating func next() -> ServiceClass? {
    if start >= end { return nil }
    defer { start &+= 1 }
    return ServiceClass(known: start)
  }

  @inlinable package var mostUrgent: ServiceClass { ServiceClass(known: start) }
  @inlinable package var leastUrgent: ServiceClass { ServiceClass(known: end &- 1) }
  /// Those behind the least urgent.
  @inlinable package var lessUrgent: ServiceClasses { ServiceClasses(start: end, end: ServiceClass.count) }
  @inlinable @inline(__always)
  package func contains(_ one: ServiceClass) -> Bool { start <= one.rawValue && one.rawValue < end }
}

// MARK: the class that was given, by rank, none being the lowest

/// A class as the program has given it, or none.
@usableFromInline package enum GivenClass: UInt8, CaseIterable, Sendable {
  case unspecified, background, utility, standard, initiated, interactive

  /// The class of that number, as `qos_class_t` has it; none for any other number.
  package init(number: UInt8) {
    self =
      switch number {
      case 0x09: .background
      case 0x11: .utility
      case 0x15: .standard
      case 0x19: .initiated
      case 0x21: .interactive
      default: .unspecified
      }
  }

  /// The class that has this byte in memory, by the bytes of all in their order, the lowest byte first.
  package init?(byte: UInt8, among bytes: UInt64) {
    guard let found = Self.allCases.first(where: { UInt8(truncatingIfNeeded: bytes >> (8 * UInt64($0.rawValue))) == byte })
    else { return nil }
    self = found
  }

  /// As `DispatchQoS.QoSClass` calls it.
  package var name: String {
    switch self {
    case .unspecified: "unspecified"
    case .background: "background"
    case .utility: "utility"
    case .standard: "default"
    case .initiated: "userInitiated"
    case .interactive: "userInteractive"
    }
  }
}
