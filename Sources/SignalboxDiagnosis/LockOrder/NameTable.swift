// NameTable.swift: the names of locks in a table that readers from outside find without a lock (NameLayout,
// SignalboxWords). LockRegistry.swift decides which names there are; a table that this process's own fast paths search
// is AddressTable.swift.
import SignalboxSystem
import SignalboxWords

/// The table. All of it is called with the registry's lock held.
///
/// A string stays where an entry says for as long as the entry says so: the registry keeps it. An entry's sequence is
/// odd while it changes, and another afterwards.
enum NameTable {
  private typealias Words = UnsafeMutablePointer<UnseenWord>
  /// Where the present table stands; 0: there is none yet.
  private static let current = UnseenWord(0)
  private static let firstBuckets = 16

  /// The thing at `address` is called so from now on; nil: it has no name.
  static func set(_ address: UInt, _ name: String?) {
    // Strings that lie otherwise than readers know cannot be shown to them.
    guard StringForm.isKnown, address != 0 else { return }
    // relaxed: the registry's lock orders all changes
    let table = words(current.loadRelaxed()) ?? begin()
    if let entry = entry(of: UInt64(address), in: table) {
      return fill(entry, name == nil ? 0 : UInt64(address), name)
    }
    guard let name else { return }
    var present = table
    while true {
      if let free = entry(of: 0, near: UInt64(address), in: present) { return fill(free, UInt64(address), name) }
      present = grown(present)
    }
  }

  private static func words(_ bits: UInt64) -> Words? {
    UnsafeMutableRawPointer(bitPattern: UInt(bits))?.assumingMemoryBound(to: UnseenWord.self)
  }

  private static func begin() -> Words {
    let table = make(buckets: firstBuckets)
    publish(table)
    ProcessDescription.write(.names, withUnsafePointer(to: current) { UInt(bitPattern: $0) })
    return table
  }

  // MARK: entries

  /// The entry in the bucket of `address` that has `key`.
  private static func entry(of key: UInt64, near address: UInt64, in table: Words) -> Words? {
    // relaxed, both: as in `set`
    let bucket = table + Int(NameLayout.place(ofBucket: NameLayout.bucket(address, mask: table[0].loadRelaxed())))
    let entries = (0..<NameLayout.bucketEntries).lazy.map { bucket + $0 * NameLayout.entryWords }
    return entries.first { $0[1].loadRelaxed() == key }
  }
  private static func entry(of address: UInt64, in table: Words) -> Words? { entry(of: address, near: address, in: table) }

  private static func fill(_ entry: Words, _ key: UInt64, _ name: String?) {
    let words: (first: UInt64, second: UInt64) = name.map { StringForm.words($0) } ?? (0, 0)
    fill(entry, [key, words.first, words.second])
  }

  private static func fill(_ entry: Words, _ words: [UInt64]) {
    let sequence = entry[0].loadRelaxed()  // relaxed: as in `set`
    entry[0].storeRelease(sequence &+ 1)  // release: a reader of a word below finds this one odd afterwards, or another
    for (place, word) in words.enumerated() { entry[1 + place].storeRelease(word) }  // release: as above
    entry[0].storeRelease(sequence &+ 2)  // release: behind all of them
  }

  // MARK: tables

  /// The same names in a table in which each bucket has room. The old one stays for readers, together at most as much
  /// again.
  private static func grown(_ old: Words) -> Words {
    // relaxed, all: as in `set`
    let count = Int(old[0].loadRelaxed()) + 1
    var buckets = count * 2
    while true {
      let table = make(buckets: buckets)
      if copy(old, count, to: table) {
        publish(table)
        return table
      }
      UnsafeMutableRawPointer(table).deallocate()
      buckets *= 2
    }
  }

  private static func copy(_ old: Words, _ buckets: Int, to table: Words) -> Bool {
    for number in 0..<buckets * NameLayout.bucketEntries {
      let entry = old + NameLayout.headWords + number * NameLayout.entryWords
      // relaxed, all: as in `set`
      let words = (1..<NameLayout.entryWords).map { entry[$0].loadRelaxed() }
      if words[0] == 0 { continue }
      guard let free = Self.entry(of: 0, near: words[0], in: table) else { return false }
      fill(free, words)
    }
    return true
  }

  private static func make(buckets: Int) -> Words {
    let count = NameLayout.headWords + buckets * NameLayout.bucketWords
    let raw = UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: 64)
    raw.initializeMemory(as: UInt64.self, repeating: 0, count: count)
    // SAFETY: an atomic word that no explorer sees has the layout of its integer.
    let table = raw.assumingMemoryBound(to: UnseenWord.self)
    table[0].storeRelaxed(UInt64(buckets - 1))  // relaxed: the table is published afterwards
    return table
  }

  private static func publish(_ table: Words) {
    current.storeRelease(UInt64(UInt(bitPattern: UnsafeRawPointer(table))))  // release: its entries come with it
  }
}
