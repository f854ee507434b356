// Script.swift: bytes as decisions: what a play does next, with what numbers. Whatever the bytes are, the calls they lead to are
// legal.

/// Decisions, drawn from bytes in order; zeros when there are no more.
struct Script {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isOver: Bool { rest.isEmpty }

  mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

  /// A number from 0 up to, not including, `count`.
  mutating func pick(_ count: Int) -> Int { byte() % count }
  mutating func pick<T>(_ elements: [T]) -> T { elements[pick(elements.count)] }
  /// True once in `count` times, and never when the bytes are over.
  mutating func once(in count: Int) -> Bool { pick(count) == count - 1 }

  /// A number of bytes: mostly few, sometimes more than a pipe holds.
  mutating func size() -> Int {
    let byte = byte()
    return (byte >> 2 + 1) * [1, 16, 512, 2048][byte & 3]
  }
}

/// SplitMix64: bytes for a play from one number.
public func eventPlayBytes(seed: UInt64, count: Int) -> [UInt8] {
  var state = seed
  return (0..<count).map { _ in
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return UInt8(truncatingIfNeeded: mixed >> 32)
  }
}
