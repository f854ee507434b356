// WordScan.swift: cuts bytes into words and counts them, large stretches on all processors. Pure: reads no file.

/// The small letter, digit or byte that counts; 0 for a byte between words.
private let wordBytes: [UInt8] = (0...255).map { (byte: UInt8) in
  switch byte {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 32
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: byte
  default: 0
  }
}

func isWordByte(_ byte: UInt8) -> Bool { wordBytes[Int(byte)] != 0 }

/// The words of some bytes, split by hash into the stripes in which the totals are kept.
struct WordCounts: Sendable {
  static let stripes = 8

  private(set) var tables = Array(repeating: WordTable(), count: WordCounts.stripes)
  private(set) var words = 0
  private(set) var bytes = 0

  /// Counts the words of `text`, which is lower-cased in place.
  mutating func add(_ text: UnsafeMutableBufferPointer<UInt8>) {
    bytes += text.count
    wordBytes.withUnsafeBufferPointer { wordBytes in
      var position = 0
      while position < text.count {
        let start = position
        var hash = WordHash()
        while position < text.count, case let byte = wordBytes[Int(text[position])], byte != 0 {
          text[position] = byte
          hash.combine(byte)
          position += 1
        }
        if position > start {
          add(UnsafeBufferPointer(rebasing: text[start..<position]), hash.finalized())
        } else {
          position += 1
        }
      }
    }
  }

  private mutating func add(_ word: UnsafeBufferPointer<UInt8>, _ hash: UInt64) {
    words += 1
    tables[Int(truncatingIfNeeded: hash >> 32) % Self.stripes].add(word, hash: hash)
  }
}

/// Pieces of about this size are worth a processor of their own.
private let pieceSize = 128 << 10

/// Counts the words of `text`, which is lower-cased in place: one result per piece, pieces at the same time.
func countWords(_ text: UnsafeMutableBufferPointer<UInt8>) -> [WordCounts] {
  let pieces = split(text)
  var counts = Array(repeating: WordCounts(), count: pieces.count)
  if pieces.count == 1 {
    counts[0].add(pieces[0])
    return counts
  }
  counts.withUnsafeMutableBufferPointer { buffer in
    // SAFETY: every body has a piece and a result of its own, and all have returned before this closure does.
    nonisolated(unsafe) let (results, pieces) = (buffer, pieces)
    DispatchQueue.concurrentPerform(iterations: pieces.count) { results[$0].add(pieces[$0]) }
  }
  return counts
}

/// Cuts `text` between words. A word longer than a piece stays whole.
private func split(_ text: UnsafeMutableBufferPointer<UInt8>) -> [UnsafeMutableBufferPointer<UInt8>] {
  var pieces: [UnsafeMutableBufferPointer<UInt8>] = []
  var rest = text[...]
  while rest.count > 2 * pieceSize {
    let end = rest[(rest.startIndex + pieceSize)...].firstIndex { !isWordByte($0) } ?? rest.endIndex
    pieces.append(UnsafeMutableBufferPointer(rebasing: rest[..<end]))
    rest = rest[end...]
  }
  pieces.append(UnsafeMutableBufferPointer(rebasing: rest))
  return pieces
}
