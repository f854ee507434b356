// ChangingWords.swift: memory that tests make up word by word, and that changes while it is read.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// Words at addresses: 0 where none was written; beyond the end there is no memory.
final class ChangingWords: ProcessMemory, @unchecked Sendable {
  // SAFETY of @unchecked: each test has its own, on one thread.
  static let bounds: Range<UInt64> = 0x1_0000..<0x8_0000
  var words: [UInt64: UInt64] = [:]
  private var description = [ReadNumber](repeating: 0, count: DescribedWord.allCases.count)
  /// Called with the address of each reading, after it.
  var afterReading: (UInt64) -> Void = { _ in }

  var reading: ReadMemory { .other(self, description: description) }
  func describe(_ all: KeyValuePairs<DescribedWord, UInt64>) {
    for (word, value) in all { description[word.rawValue] = ReadNumber(value) }
  }

  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    let start = address.bits
    guard count >= 0, Self.bounds.contains(start), UInt64(count) <= Self.bounds.upperBound - start else { return nil }
    let all = stride(from: start & ~7, to: start + UInt64(count), by: 8).flatMap { place in
      withUnsafeBytes(of: (words[place] ?? 0).littleEndian) { Array($0) }
    }
    defer { afterReading(start) }
    return Array(all.dropFirst(Int(start & 7)).prefix(count))
  }
}
