// MadeWords.swift: memory that is made up word by word.
import SignalboxSystem

@testable import SignalboxView

/// Words at addresses; all else is not there.
struct MadeWords: ProcessMemory {
  var words: [UInt64: UInt64] = [:]

  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    var found: [UInt8] = []
    for start in stride(from: address.bits & ~7, to: address.bits &+ UInt64(count), by: 8) {
      guard let word = words[start] else { return nil }
      withUnsafeBytes(of: word.littleEndian) { found += $0 }
    }
    return Array(found.dropFirst(Int(address.bits & 7)).prefix(count))
  }
}
