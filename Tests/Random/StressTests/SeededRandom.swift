// SeededRandom.swift: the small generator from which everything random in a round is drawn, so that a seed names a round.

/// SplitMix64: 64 bits of state, any seed good.
struct SeededRandom {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number in `range`; the bias of the remainder does not matter here.
  mutating func pick(_ range: Range<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }
  mutating func pick(_ range: ClosedRange<Int>) -> Int { pick(range.lowerBound..<range.upperBound + 1) }
  mutating func pick<T>(_ elements: [T]) -> T { elements[pick(elements.indices)] }

  /// True once in `count` times.
  mutating func once(in count: Int) -> Bool { pick(0..<count) == 0 }

  /// A generator for a part that runs elsewhere: what that part draws does not change what this one draws next.
  mutating func fork() -> SeededRandom { SeededRandom(next()) }
}
