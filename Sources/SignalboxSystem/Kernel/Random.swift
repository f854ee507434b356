// Random.swift: numbers for schedules and jitter, the same for one seed. Alone: all that draws lots shares it.
// Seeds come from the system.
import CSignalbox
import Glibc

/// A xorshift generator: the same seed gives the same numbers on every machine. Not for secrets.
public struct SmallRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates the generator; equal seeds give equal sequences.
  public init(seed: UInt64) { state = seed == 0 ? 0x9E37_79B9_7F4A_7C15 : seed }

  /// Creates the generator with a seed from the system.
  public init() {
    var seed: UInt64 = 0
    let got = withUnsafeMutableBytes(of: &seed) { sb_getrandom($0.start, $0.count) }
    // Early boot or a strict seccomp profile: the processor's counter will do, this is not for secrets.
    self.init(seed: got == 8 ? seed : sb_ticks() | 1)
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
