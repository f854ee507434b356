// MemorySearch.swift: words in all memory that a process has written: objects are found by the word that each of their
// kind begins with. What was freed may still hold such a word: what is found is a candidate.
import SignalboxSystem

/// A search through parts of a process's memory.
package struct MemorySearch {
  /// How many bytes were not searched, because there are too many.
  package private(set) var unsearched: UInt64 = 0
  private let memory: any ProcessMemory
  private let parts: [Range<ReadNumber>]
  /// No more than this is searched.
  private static let mostBytes: UInt64 = 8 << 30
  /// How many bytes are copied at once; and a page.
  private static let piece: UInt64 = 1 << 20, page: UInt64 = 4096

  /// A search through `parts`.
  package init(_ memory: any ProcessMemory, _ parts: [Range<ReadNumber>]) {
    self.memory = memory
    var fitting: [Range<ReadNumber>] = [], searched: UInt64 = 0
    for part in parts {
      let size = (part.upperBound - part.lowerBound).bits
      guard searched + size <= Self.mostBytes else {
        unsearched += size
        continue
      }
      searched += size
      fitting.append(part)
    }
    self.parts = fitting
  }

  /// Calls `found` with the address and the value of each word at a multiple of sixteen that is one of `words`.
  ///
  /// - Parameter progress: called now and then, and at the end, with how many bytes were searched of how many.
  /// - Complexity: O(bytes of the memory).
  package func forEach(
    _ words: Set<UInt64>, progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in },
    _ found: (_ address: UInt64, _ word: UInt64) -> Void
  ) {
    guard let lowest = words.min(), let highest = words.max() else { return }
    let total = parts.reduce(0) { $0 + ($1.upperBound - $1.lowerBound).bits }
    var done: UInt64 = 0
    for part in parts {
      var start = part.lowerBound.bits
      while start < part.upperBound.bits {
        let count = min(Self.piece, part.upperBound.bits - start)
        forEachPiece(start, count) { start, bytes in
          bytes.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: bytes.count - 7, by: 16) {
              let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
              guard word >= lowest, word <= highest, words.contains(word) else { continue }
              found(start + UInt64(offset), word)
              // Where a process searches itself, the copy would be found later, in freed memory.
              bytes.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
            }
          }
        }
        start += count
        done += count
        progress(done, total)
      }
    }
  }

  /// Calls `body` with what is there of a piece. The process may have given pages of it back meanwhile: then the rest
  /// is read by halves.
  private func forEachPiece(_ start: UInt64, _ count: UInt64, _ body: (UInt64, inout [UInt8]) -> Void) {
    if var bytes = memory.bytes(ReadNumber(start), Int(count)) { return body(start, &bytes) }
    guard count > Self.page else { return }
    let half = max(Self.page, count / 2 / Self.page * Self.page)
    forEachPiece(start, half, body)
    forEachPiece(start + half, count - half, body)
  }
}
