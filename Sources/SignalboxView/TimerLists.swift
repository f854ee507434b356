// TimerLists.swift: the lists of one clock's armed timers, in memory that may change while they are followed. What a
// timer is, is TimersView.swift.
//
// A list is circular, and its head lies among the heads of all lists, so a way that is in order ends there. Each link
// is followed once, names the one that led to it, and has a key that belongs into this list: else the rest of the list
// is left, and the lists are not whole.
import SignalboxWords

/// The words of a wheel that lead to its lists, and change with them.
struct WheelWords: Equatable {
  var heads: UInt64
  var base: UInt64
  var count: UInt64
  var moves: UInt64

  /// Those of the clock whose timers lie at an address, copied at once; nil: not there.
  init?(of clock: UInt64, _ memory: ReadMemory) {
    let places = [DescribedWord.timerHeads, .timerBase, .timerCount, .timerMoves].map { memory.described($0) }
    guard let last = places.max(), last < Self.farthest, places.allSatisfy({ $0 != 0 && $0 % 8 == 0 }),
      let words = memory.words(clock, Int(last / 8) + 1)
    else { return nil }
    let found = places.map { words[Int($0 / 8)] }
    (heads, base, count, moves) = (found[0], found[1], found[2], found[3])
  }
  /// No object with a wheel, and no entry, is longer.
  fileprivate static let farthest: UInt64 = 512
}

/// Follows the lists of a wheel.
struct TimerLists {
  /// An armed entry, copied.
  struct Entry: Equatable {
    let address: UInt64
    fileprivate let words: [UInt64]
    fileprivate let memory: ReadMemory

    static func == (one: Entry, other: Entry) -> Bool { one.address == other.address && one.words == other.words }

    /// The word at a distance from the beginning; 0 beyond the end.
    func word(_ distance: UInt64) -> UInt64 { distance / 8 < UInt64(words.count) ? words[Int(distance / 8)] : 0 }
    func byte(_ distance: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word(distance) >> (distance % 8 * 8)) }
    /// The word of which the process says how far from the beginning it lies.
    subscript(_ place: DescribedWord) -> UInt64 { word(memory.described(place)) }
    var next: UInt64 { word(0) }
  }

  private let memory: ReadMemory
  private let wheel: WheelWords
  /// Nothing was found that the lists of a wheel at rest do not have.
  private(set) var areWhole = true
  private var seen: Set<UInt64> = []
  private let wordsOfEntry: Int

  init(_ memory: ReadMemory, _ wheel: WheelWords) {
    (self.memory, self.wheel) = (memory, wheel)
    let places = [DescribedWord.timerPrevious, .timerLatest, .timerDeadline, .timerTag].map { memory.described($0) }
    wordsOfEntry = Int(min(places.max() ?? 0, WheelWords.farthest) / 8) + 1
  }

  /// This many entries at most: those that may be due, then those of the slots, the earliest first; of one slot in no
  /// order.
  mutating func first(_ most: Int) -> [Entry] {
    let size = memory.described(.timerHeadSize), previous = memory.described(.timerPrevious)
    guard size % 8 == 0, (16...64).contains(size), previous % 8 == 0, previous < size,
      let heads = memory.words(wheel.heads, (WheelLayout.opened + 1) * Int(size / 8))
    else {
      areWhole = false
      return []
    }
    var found: [Entry] = []
    let end = wheel.heads &+ UInt64(heads.count) &* 8
    for list in [WheelLayout.opened] + Array(0..<WheelLayout.opened) where found.count < most {
      let place = list * Int(size / 8), head = wheel.heads &+ UInt64(place) &* 8
      var (before, next) = (head, heads[place])
      // No head has 0: only memory that no code has written.
      while next != 0, next != head, found.count < most {
        // The head of another list: this one's links were moved there meanwhile.
        let isHead = wheel.heads <= next && next < end
        guard !isHead, seen.insert(next).inserted, let entry = copy(next), entry[.timerPrevious] == before, entry.next != 0,
          belongs(entry, list)
        else {
          areWhole = false
          break
        }
        found.append(entry)
        (before, next) = (next, entry.next)
      }
      if next == head, before != heads[place + Int(previous / 8)] { areWhole = false }
    }
    return found
  }

  /// Whether the entry is still the same: then it was armed since.
  mutating func stands(_ entry: Entry) -> Bool {
    if copy(entry.address) == entry { return true }
    areWhole = false
    return false
  }

  private func belongs(_ entry: Entry, _ list: Int) -> Bool {
    list == WheelLayout.opened || WheelLayout.list(of: entry[.timerLatest], after: wheel.base) == list
  }

  private func copy(_ address: UInt64) -> Entry? {
    memory.words(address, wordsOfEntry).map { Entry(address: address, words: $0, memory: memory) }
  }
}
