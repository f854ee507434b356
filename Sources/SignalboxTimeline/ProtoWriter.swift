// ProtoWriter.swift: protobuf's wire format, as much of it as Perfetto's messages need.

/// A message under construction. Fields are written in any order; what is inside of a field is a message of its own.
struct ProtoWriter {
  private(set) var bytes: [UInt8] = []

  /// A number in as few bytes as it takes.
  private mutating func append(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func key(_ field: UInt64, _ wire: UInt64) { append(field << 3 | wire) }

  /// An integer, an enumerated value or a truth value.
  mutating func integer(_ field: UInt64, _ value: UInt64) {
    key(field, 0)
    append(value)
  }

  /// Eight bytes.
  mutating func fixed(_ field: UInt64, _ value: UInt64) {
    key(field, 1)
    for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  mutating func text(_ field: UInt64, _ value: String) {
    key(field, 2)
    append(UInt64(value.utf8.count))
    bytes += value.utf8
  }

  mutating func message(_ field: UInt64, _ body: (inout ProtoWriter) -> Void) {
    var inner = ProtoWriter()
    body(&inner)
    key(field, 2)
    append(UInt64(inner.bytes.count))
    bytes += inner.bytes
  }

  /// Gives up what is finished, to be written away.
  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}
