// NameReader.swift: what a lock, a group or a semaphore is called, by the process's table of names (NameLayout). What a
// thread waits for is WaitView.swift.
import SignalboxWords

/// Reads names.
///
/// What is read was so at one moment: the table is the present one before and after, and the entry has the same
/// sequence before its string is read and after. While it has, the string is kept there.
package struct NameReader {
  private let memory: ReadMemory

  package init(_ memory: ReadMemory) { self.memory = memory }

  /// The name of what lies at an address; nil if it has none, or that changes just now.
  package func name(of address: UInt64) -> String? {
    let cell = memory.described(.names)
    guard address != 0, cell != 0 else { return nil }
    // A table that has become full is followed by another, and a name may be given meanwhile.
    for _ in 0..<4 {
      guard let table = memory.word64(cell), table != 0, let found = entry(of: address, in: table) else { return nil }
      switch found {
      case .moves: continue
      case .absent: if memory.word64(cell) == table { return nil }
      case .words(let place, let entry):
        let name = memory.text(entry[2], entry[3])
        if memory.words(place, NameLayout.entryWords) == entry, memory.word64(cell) == table { return name }
      }
    }
    return nil
  }

  private enum Finding {
    case absent, moves
    case words(place: UInt64, [UInt64])
  }

  /// One bucket is searched, and no more; nil: no table lies there.
  private func entry(of address: UInt64, in table: UInt64) -> Finding? {
    guard let mask = memory.word64(table), mask < NameLayout.mostBuckets, mask & (mask &+ 1) == 0 else { return nil }
    let start = table &+ NameLayout.place(ofBucket: NameLayout.bucket(address, mask: mask)) &* 8
    guard let words = memory.words(start, NameLayout.bucketWords) else { return nil }
    for first in stride(from: 0, to: words.count, by: NameLayout.entryWords) where words[first + 1] == address {
      if words[first] & 1 == 1 { return .moves }
      return .words(place: start &+ UInt64(first) &* 8, Array(words[first..<first + NameLayout.entryWords]))
    }
    // One that is just being written has no address that could be relied on.
    let changes = stride(from: 0, to: words.count, by: NameLayout.entryWords).contains { words[$0] & 1 == 1 }
    return changes ? .moves : .absent
  }
}
