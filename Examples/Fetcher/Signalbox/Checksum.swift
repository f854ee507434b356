// Checksum.swift: the cyclic redundancy check of Ethernet and zip, fed piece by piece.

struct Checksum: Sendable {
  private var state: UInt32 = .max

  /// What the bytes so far come to.
  var value: UInt32 { ~state }

  /// The value in eight hexadecimal digits.
  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { state = Self.table[Int((state ^ UInt32(byte)) & 0xFF)] ^ (state >> 8) }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }
}
