// GivenClass.swift: the class of service that work or a queue was given, by rank, none being the lowest. As what it is
// served is ServiceClass.swift.

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
