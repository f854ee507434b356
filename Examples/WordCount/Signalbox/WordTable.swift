// WordTable.swift: words and how often each was seen. Open addressing over one array of entries and one of their bytes:
// no allocation per word. Cutting bytes into words is WordScan.swift; sharing between threads is Totals.swift.

struct WordTable: Sendable {
  struct Entry: Sendable {
    let hash: UInt64
    let start: Int
    let length: Int
    var count: UInt64
  }

  private(set) var entries: [Entry] = []
  private var bytes: [UInt8] = []
  /// Index into `entries` plus one; 0 is free. A power of two long, at most half full.
  private var slots: [UInt32] = []

  /// Adds `count` sightings of the word, whose hash the caller made with `WordHash`.
  mutating func add(_ word: UnsafeBufferPointer<UInt8>, hash: UInt64, count: UInt64 = 1) {
    if slots.count < 2 * (entries.count + 1) { grow() }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if entries[index].hash == hash, matches(entries[index], word) {
        entries[index].count += count
        return
      }
      slot = (slot + 1) & mask
    }
    entries.append(Entry(hash: hash, start: bytes.count, length: word.count, count: count))
    bytes.append(contentsOf: word)
    slots[slot] = UInt32(entries.count)
  }

  mutating func add(_ other: WordTable) {
    other.bytes.withUnsafeBufferPointer { buffer in
      for entry in other.entries {
        let word = UnsafeBufferPointer(rebasing: buffer[entry.start..<entry.start + entry.length])
        add(word, hash: entry.hash, count: entry.count)
      }
    }
  }

  func word(_ entry: Entry) -> [UInt8] { Array(bytes[entry.start..<entry.start + entry.length]) }

  private func matches(_ entry: Entry, _ word: UnsafeBufferPointer<UInt8>) -> Bool {
    guard entry.length == word.count else { return false }
    // Byte by byte: `withUnsafeBufferPointer` would retain the array, which costs more than most words are long.
    for (offset, byte) in word.enumerated() where bytes[entry.start + offset] != byte { return false }
    return true
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: max(64, slots.count * 2))
    let mask = slots.count - 1
    for (index, entry) in entries.enumerated() {
      var slot = Int(truncatingIfNeeded: entry.hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(index + 1)
    }
  }
}

/// FNV-1a over the bytes, mixed once at the end: the same in every run, so that totals can be compared.
struct WordHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func combine(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }

  func finalized() -> UInt64 {
    var mixed = state
    mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return mixed ^ (mixed >> 33)
  }
}
