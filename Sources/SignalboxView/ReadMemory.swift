// ReadMemory.swift: memory that is read word by word, each as it is at that moment: of this process, of another one, of
// a core dump. The views over it are written once for all three.
import CSignalbox
import SignalboxSystem
import SignalboxWords

/// Where words are read.
///
/// Reading never faults: what is not there any more is nil. Reading this process allocates nothing and takes no lock.
package enum ReadMemory: Sendable {
  /// This process's own.
  case own
  /// Another process's, or a core dump's, with its description as it was copied.
  case other(any ProcessMemory, description: [ReadNumber])

  /// The word of 64 bits at an address. `isKept`: the caller keeps the object there, so that this process reads it
  /// plainly.
  package func word64(_ address: UInt64, isKept: Bool = false) -> UInt64? {
    switch self {
    case .own: SafeMemory.word64(UInt(truncatingIfNeeded: address), isAlive: isKept)
    case .other(let memory, _): memory.word64(ReadNumber(address))?.bits
    }
  }

  /// The word of 32 bits at an address.
  package func word32(_ address: UInt64, isKept: Bool = false) -> UInt32? {
    switch self {
    case .own: SafeMemory.word32(UInt(truncatingIfNeeded: address), isAlive: isKept)
    case .other(let memory, _): memory.word32(ReadNumber(address))?.lowest(UInt32.self)
    }
  }

  /// The byte at an address.
  package func byte(_ address: UInt64) -> UInt8? {
    word64(address & ~7).map { UInt8(truncatingIfNeeded: $0 >> (8 * (address & 7))) }
  }

  /// `count` words from an address on, of other processes copied at once; nil where not all of them are there.
  /// Allocates.
  package func words(_ address: UInt64, _ count: Int) -> [UInt64]? {
    switch self {
    case .own:
      var all: [UInt64] = []
      for place in 0..<max(0, count) {
        guard let word = word64(address &+ UInt64(place) &* 8) else { return nil }
        all.append(word)
      }
      return all
    case .other(let memory, _): return memory.words(ReadNumber(address), count)?.map(\.bits)
    }
  }

  /// The text of a string of Swift's, by its two words; nil for what is none.
  package func text(_ first: UInt64, _ second: UInt64) -> String? {
    StringForm.text(ReadNumber(first), ReadNumber(second)) { address, count in
      switch self {
      case .own: StringForm.ownBytes(address, count)
      case .other(let memory, _): memory.bytes(address, count)
      }
    }
  }

  /// Bytes up to a zero, as text; nil where there is none within the longest that is read.
  package func zeroEnded(_ address: UInt64) -> String? {
    var bytes: [UInt8] = []
    for index in 0..<Self.longestText {
      guard let byte = byte(address &+ index) else { return nil }
      if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }
  private static var longestText: UInt64 { 256 }

  /// `count` bytes from an address on, as `words`.
  package func bytes(_ address: UInt64, _ count: Int) -> [UInt8]? {
    switch self {
    case .own:
      let bytes = (0..<max(0, count)).compactMap { byte(address &+ UInt64($0)) }
      return bytes.count == count ? bytes : nil
    case .other(let memory, _): return memory.bytes(ReadNumber(address), count)
    }
  }

  /// What the process says of itself; 0 where it has not yet.
  package func described(_ word: DescribedWord) -> UInt64 {
    switch self {
    case .own: sb_described(Int32(word.rawValue))
    case .other(_, let words): words.indices.contains(word.rawValue) ? words[word.rawValue].bits : 0
    }
  }
}
