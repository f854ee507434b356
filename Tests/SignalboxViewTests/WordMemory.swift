// WordMemory.swift: memory that is made up word by word, for readings of more than one word; and memory that changes
// while it is read.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// Words at addresses; all else is not there.
struct WordMemory: ProcessMemory {
  var words: [UInt64: UInt64] = [:]
  /// Called with the address of each reading, before it.
  var onReading: @Sendable (UInt64) -> [UInt64: UInt64] = { _ in [:] }

  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    let changed = onReading(address.bits)
    var found: [UInt8] = []
    for byte in (0..<UInt64(count)).map({ address.bits &+ $0 }) {
      guard let word = changed[byte & ~7] ?? words[byte & ~7] else { return nil }
      found.append(UInt8(truncatingIfNeeded: word >> (8 * (byte & 7))))
    }
    return found
  }

  mutating func set(_ address: UInt64, _ all: [UInt64]) {
    for (place, word) in all.enumerated() { words[address + UInt64(place) * 8] = word }
  }
}

/// A process of such memory, and what it says of itself.
struct WordProcess {
  var memory = WordMemory()
  private var description = [ReadNumber](repeating: 0, count: DescribedWord.allCases.count)

  mutating func describe(_ words: [DescribedWord: UInt64]) {
    for (word, value) in words { description[word.rawValue] = ReadNumber(value) }
  }
  var reading: ReadMemory { .other(memory, description: description) }
}
