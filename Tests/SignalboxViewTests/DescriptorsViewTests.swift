// DescriptorsViewTests.swift: monitored descriptors in memory that is made up: in order, damaged, and changing while it
// is read.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxView

/// A table of entries, each with subscriptions.
private struct MadeTable {
  static let place: UInt64 = 0x1_0000, array: UInt64 = 0x1_1000, entryType: UInt64 = 0x77, watchType: UInt64 = 0x99
  let memory = ChangingWords()

  init() {
    memory.describe([
      .wordCount: 128, .descriptors: Self.place, .entryType: Self.entryType, .entryWatches: 48, .watchLabel: 16,
      .watchDirection: 32,
      .watchType: Self.watchType,
    ])
    memory.words[Self.place] = Self.array
    memory.words[Self.array + 16] = 8
  }

  static func entry(_ number: Int) -> UInt64 { 0x2_0000 + UInt64(number) * 0x100 }
  static func watches(_ number: Int) -> UInt64 { 0x3_0000 + UInt64(number) * 0x100 }
  static func watch(_ number: Int, _ place: Int) -> UInt64 { 0x4_0000 + UInt64(number) * 0x400 + UInt64(place) * 0x40 }

  /// Monitors a descriptor for these labels, in the directions of the bytes.
  func add(_ number: Int, _ all: [(label: String?, direction: UInt64)]) {
    memory.words[Self.array + 32 + UInt64(number) * 8] = Self.entry(number)
    memory.words[Self.entry(number)] = Self.entryType
    memory.words[Self.entry(number) + 48] = Self.watches(number)
    memory.words[Self.watches(number) + 16] = UInt64(all.count)
    for (place, watch) in all.enumerated() {
      let address = Self.watch(number, place)
      memory.words[Self.watches(number) + 32 + UInt64(place) * 8] = address
      memory.words[address] = Self.watchType
      if let label = watch.label {
        let words = StringForm.words(label)
        (memory.words[address + 16], memory.words[address + 24]) = (words.first, words.second)
      }
      memory.words[address + 32] = 0xFF00 | watch.direction
    }
  }

  func read() -> (all: [WatchedDescriptor], unread: Int)? { DescriptorsView(memory.reading)?.read() }
  var shown: [String] {
    guard let found = read() else { return ["none"] }
    return found.all.map { "\($0.number) \($0.isWritable ? "w" : "r") \($0.label)" }
      + (found.unread > 0 ? ["unread \(found.unread)"] : [])
  }
}

@Suite("Monitored descriptors, in any memory") struct DescriptorsViewTests {
  @Test("Each subscription is read with its direction and its label, by the numbers of the descriptors")
  func order() {
    let made = MadeTable()
    made.add(5, [("sink", 1), (nil, 0)])
    made.add(2, [("pipe", 0)])
    made.add(6, [])
    #expect(made.shown == ["2 r pipe", "5 w sink", "5 r "])
  }

  @Test("Where nothing was monitored yet there is none; where the process does not say how they lie they are not read")
  func none() {
    let made = MadeTable()
    #expect(made.shown.isEmpty)
    for (place, shown) in [(0, []), (1, ["none"]), (0x9_0000, ["none"])] as [(UInt64, [String])] {
      made.memory.describe([.descriptors: place])
      #expect(made.shown == shown, "\(place)")
    }
    made.memory.describe([.wordCount: 0])
    #expect(DescriptorsView(made.memory.reading) == nil)
  }

  @Test(
    "An entry whose words say what none says is counted, and the others are read",
    arguments: ["entry", "array", "count", "type", "direction", "label", "twice", "same"])
  func broken(_ way: String) {
    let made = MadeTable(), memory = made.memory
    made.add(1, [("pipe", 0)])
    made.add(4, [("sink", 1), ("sink", 0)])
    switch way {
    case "entry": memory.words[MadeTable.entry(4)] = 3
    case "array": memory.words[MadeTable.entry(4) + 48] = 0x100
    case "count": memory.words[MadeTable.watches(4) + 16] = .max
    case "type": memory.words[MadeTable.watch(4, 1)] = MadeTable.entryType
    case "direction": memory.words[MadeTable.watch(4, 1) + 32] = 2
    case "label": memory.words[MadeTable.watch(4, 1) + 24] = 0xD << 60
    case "twice": memory.words[MadeTable.watches(4) + 40] = MadeTable.watch(4, 0)
    default: memory.words[MadeTable.array + 32 + 4 * 8] = MadeTable.entry(1)
    }
    #expect(made.shown == ["1 r pipe", "unread 1"])
  }

  @Test("A table that claims more than a process has, or leads round and round, ends")
  func claims() {
    let made = MadeTable()
    made.add(1, [("pipe", 0)])
    made.memory.words[MadeTable.array + 16] = .max
    #expect(made.shown == ["none"])
    made.memory.words[MadeTable.array + 16] = 5_000
    for number in 2..<5_000 as Range<UInt64> { made.memory.words[MadeTable.array + 32 + number * 8] = MadeTable.entry(1) }
    #expect(made.shown == ["1 r pipe", "unread 1000"])
  }

  @Test("What changes once while it is read is read again; what changes each time is counted")
  func changes() {
    for isOnce in [true, false] {
      let made = MadeTable(), memory = made.memory
      made.add(1, [("pipe", 0)])
      made.add(3, [("a", 0)])
      var changes: UInt64 = 0
      memory.afterReading = { address in
        guard address == MadeTable.watch(3, 0) + 16, changes == 0 || !isOnce else { return }
        changes += 1
        let words = StringForm.words("b\(changes)")
        (memory.words[address], memory.words[address + 8]) = (words.first, words.second)
      }
      #expect(made.shown == ["1 r pipe", isOnce ? "3 r b1" : "unread 1"])
    }
  }

  @Test("A table that moves to a longer array while it is read is read there")
  func moves() {
    let made = MadeTable(), memory = made.memory, longer: UInt64 = 0x6_0000
    made.add(1, [("pipe", 0)])
    memory.words[longer + 16] = 8
    memory.words[longer + 40] = MadeTable.entry(1)
    memory.afterReading = { address in
      if address == MadeTable.array + 32 {
        memory.words[MadeTable.array + 40] = 0x55
        memory.words[MadeTable.place] = longer
      }
    }
    #expect(made.shown == ["1 r pipe"])
  }
}
