// MadePools.swift: pools, workers, lists and rings in memory that is made up word by word, and may change while it is
// read.
import SignalboxSystem
import SignalboxWords
import Synchronization

@testable import SignalboxView

/// Words at addresses; all else is not there. A word may be another at each reading.
final class MovingWords: ProcessMemory {
  private let words: [UInt64: UInt64]
  private let readings = Mutex<[UInt64: Int]>([:])
  private let change: @Sendable (_ address: UInt64, _ word: UInt64, _ reading: Int) -> UInt64

  init(
    _ words: [UInt64: UInt64], change: @escaping @Sendable (UInt64, UInt64, Int) -> UInt64 = { _, word, _ in word }
  ) {
    (self.words, self.change) = (words, change)
  }

  func bytes(_ address: ReadNumber, _ count: Int) -> [UInt8]? {
    var found: [UInt8] = []
    for place in stride(from: address.bits & ~7, to: address.bits &+ UInt64(count), by: 8) {
      guard let word = words[place] else { return nil }
      let reading = readings.withLock { all in
        all[place, default: 0] += 1
        return all[place] ?? 0
      }
      withUnsafeBytes(of: change(place, word, reading).littleEndian) { found += $0 }
    }
    return Array(found.dropFirst(Int(address.bits & 7)).prefix(count))
  }
}

/// A process with two pools, and a global queue of each class with two shards.
struct MadePools {
  enum Place {
    static let slots: UInt64 = 0x1000, records: UInt64 = 0x2000, workers: UInt64 = 0x3000, pools: UInt64 = 0x4000
    static let states: UInt64 = 0x5000, shared: UInt64 = 0x6000, lists: UInt64 = 0x1_0000, rings: UInt64 = 0x7000
    static let pages: UInt64 = 0x2_0000
  }
  var words: [UInt64: UInt64] = [:]
  private var description = [ReadNumber](repeating: 0, count: DescribedWord.allCases.count)
  /// How far behind a queue's address its list begins.
  static let start: UInt64 = 0x40

  init() {
    for (word, value) in [
      (.slots, Place.slots), (.slotSize, 16), (.threadWorker, 16), (.workerStatus, 20), (.workerThread, 24),
      (.workerProgress, 32), (.workerPool, 40), (.pools, Place.pools), (.poolCount, 2), (.sharedLists, Place.shared),
      (.sharedShards, 2), (.listStart, Self.start), (.listTail, Self.start), (.listLink, Self.start + 8),
      (.listHead, Self.start + 0x60), (.listTaken, Self.start + 0x68), (.listSlots, Self.start + 0x10), (.itemsInside, 4),
      (.itemsOnPage, 8), (.ringWords, 16), (.ringTail, 8), (.ringClass, 16), (.ringSlots, 32), (.ringCapacity, 4),
      (.pageSlots, 16),
    ] as [(DescribedWord, UInt64)] {
      describe(word, value)
    }
    pool(0, band: 0, PoolState(rawValue: 0).adding(PoolState.total, 3).adding(PoolState.running, 1), bound: 512)
    pool(1, band: 2, PoolState(rawValue: 0).adding(PoolState.total, 1).adding(PoolState.idle, 1), bound: 64)
    for number in UInt64(0)..<10 {
      words[Place.shared + number * 8] = list(number)
      for word in UInt64(0)..<16 { words[list(number) + word * 8] = 0 }
    }
  }

  mutating func describe(_ word: DescribedWord, _ value: UInt64) { description[word.rawValue] = ReadNumber(value) }

  func reading(change: @escaping @Sendable (UInt64, UInt64, Int) -> UInt64 = { _, word, _ in word }) -> ReadMemory {
    .other(MovingWords(words, change: change), description: description)
  }

  // MARK: workers

  static func address(ofPool number: UInt64) -> UInt64 { 0xA000 + number * 0x100 }

  mutating func pool(_ number: UInt64, band: UInt64, _ state: PoolState, bound: UInt64) {
    let table = Place.pools + number * PoolWord.size
    words[Place.states + number * 8] = state.rawValue
    words[Place.states + 0x100 + number * 8] = 0
    for (word, value) in [
      (.address, Self.address(ofPool: number)), (.state, Place.states + number * 8), (.bound, bound), (.band, band),
      (.rings, Place.rings + number * 0x100), (.ringCount, Place.states + 0x100 + number * 8),
    ] as [(PoolWord, UInt64)] {
      words[table + word.offset] = value
    }
  }

  /// A thread with a worker, which pool's, or with none.
  @discardableResult mutating func thread(
    _ number: UInt64, _ id: Int32, status: UInt32 = WorkerStatus.running, progress: UInt64 = 1, pool: UInt64? = 0
  ) -> ThreadPlace {
    let record = Place.records + number * 0x40, worker = pool == nil ? 0 : Place.workers + number * 0x40
    words[Place.slots + number * 16] = SlotHolder(owner: number, kernel: UInt32(bitPattern: id)).rawValue
    words[record + 16] = worker
    if let pool {
      words[worker + 16] = UInt64(status) << 32
      words[worker + 24] = UInt64(UInt32(bitPattern: id))
      words[worker + 32] = progress
      words[worker + 40] = Self.address(ofPool: pool)
    }
    return ThreadPlace(owner: number, thread: id, record: record)
  }

  // MARK: items

  /// The list of a class and a shard.
  func list(_ number: UInt64) -> UInt64 { Place.lists + number * 0x100 + Self.start }
  func list(_ place: UInt64, _ shard: UInt64) -> UInt64 { list(place * 2 + shard) }
  func queue(_ place: UInt64) -> UInt64 { list(place, 0) - Self.start }

  mutating func ends(_ list: UInt64, head: ListPosition, tail: ListPosition, taken: UInt64 = 0) {
    (words[list], words[list + 0x60], words[list + 0x68]) = (tail.word, head.word, taken)
  }
  mutating func put(_ slot: Slot, at place: UInt64) { (words[place], words[place + 8]) = (slot.first, slot.second) }
  /// In the slot of a list itself.
  mutating func put(_ slot: Slot, in list: UInt64, _ number: UInt64) { put(slot, at: list + 0x10 + number * 16) }
  /// In the slot of a page.
  mutating func put(_ slot: Slot, on page: UInt64, _ number: UInt64) { put(slot, at: page + 16 + number * 16) }

  /// A ring of a pool.
  mutating func ring(_ pool: UInt64, _ number: UInt64, of place: UInt64, taken: UInt64, put slots: [Slot]) {
    let object = 0xC000 + pool * 0x1000 + number * 0x200, ring = object + 0x40
    words[Place.rings + pool * 0x100 + number * 8] = object
    words[Place.states + 0x100 + pool * 8] = number + 1
    (words[object + 16], words[ring], words[ring + 8], words[ring + 16]) = (ring, taken, taken + UInt64(slots.count), place)
    for (index, slot) in slots.enumerated() { put(slot, at: ring + 32 + (taken + UInt64(index)) % 4 * 16) }
  }
}
