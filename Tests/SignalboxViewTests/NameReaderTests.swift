// NameReaderTests.swift: names in a table that is made up word by word, and that changes between two readings. How a
// process writes one is NameTableTests.swift (SignalboxDiagnosisTests).
import SignalboxSystem
import SignalboxView
import SignalboxWords
import Synchronization
import Testing

@Suite("Names of things that are waited for") struct NameReaderTests {
  private static let cell: UInt64 = 0x100, table: UInt64 = 0x1000, thing: UInt64 = 0x7f00_1230

  /// A table of four buckets with one entry.
  private static func made(sequence: UInt64 = 2, name: String = "a lock") -> WordProcess {
    var made = WordProcess()
    made.describe([.names: cell])
    made.memory.set(cell, [table])
    made.memory.set(table, [3] + [UInt64](repeating: 0, count: 4 * NameLayout.bucketWords))
    made.memory.set(entry, [sequence, thing, StringForm.words(name).first, StringForm.words(name).second])
    return made
  }
  private static var entry: UInt64 {
    let bucket = NameLayout.bucket(thing, mask: 3)
    return table + (NameLayout.place(ofBucket: bucket) + UInt64(3 * NameLayout.entryWords)) * 8
  }
  private func name(_ made: WordProcess, of address: UInt64 = Self.thing) -> String? {
    NameReader(made.reading).name(of: address)
  }

  @Test("The name of the address, of no other, and none where no table is")
  func found() {
    var made = Self.made()
    #expect(name(made) == "a lock" && name(made, of: Self.thing + 8) == nil && name(made, of: 0) == nil)
    // A text that lies elsewhere.
    made.memory.set(0x5020, [0x6c20_6120_7361_7720, 0x6568_7420_6e65_6b6f])
    made.memory.set(Self.entry + 16, [16, 0x8000_0000_0000_5000])
    #expect(name(made) == " was a l" + "oken the")
    made.memory.words[0x5028] = nil
    #expect(name(made) == nil)
    made.memory.set(Self.cell, [0])
    #expect(name(made) == nil)
    made.describe([.names: 0])
    #expect(name(made) == nil)
  }

  @Test(
    "A table that claims to be of a form that none has is not searched", arguments: [5, 1 << 24, .max, .max / 2] as [UInt64])
  func form(mask: UInt64) {
    var made = Self.made()
    made.memory.set(Self.table, [mask])
    #expect(name(made) == nil)
  }

  @Test("An entry that is being changed has no name")
  func odd() { #expect(name(Self.made(sequence: 3)) == nil) }

  @Test("A name that becomes another while its text is read is that other one")
  func renamed() {
    let other = StringForm.words("another"), readings = Mutex(0)
    var made = Self.made()
    // The entry is read with its bucket, then alone behind the text.
    made.memory.onReading = { address in
      let isNew = readings.withLock { count in
        if address == Self.entry { count += 1 }
        return count > 0
      }
      return isNew
        ? [Self.entry: 4, Self.entry + 16: other.first, Self.entry + 24: other.second] : [:]
    }
    #expect(name(made) == "another")
  }

  @Test("A table that is followed by another meanwhile is left for that")
  func grown() {
    let readings = Mutex(0), next: UInt64 = 0x9000
    var made = Self.made()
    made.memory.set(next, [3] + [UInt64](repeating: 0, count: 4 * NameLayout.bucketWords))
    made.memory.onReading = { address in
      let isNew = readings.withLock { count in
        if address == Self.cell { count += 1 }
        return count > 1
      }
      return isNew ? [Self.cell: next] : [:]
    }
    #expect(name(made) == nil)
  }
}
