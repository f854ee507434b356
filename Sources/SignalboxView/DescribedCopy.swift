// DescribedCopy.swift: a copy of Signalbox in a process, as its table describes it: where its tables lie, and how. What
// the words mean is ProcessDescription.swift (SignalboxSystem); how a table is found, DescribedCopy+Search.swift
// (SignalboxInspector).
import SignalboxSystem
import SignalboxWords

/// One copy's table, copied.
package struct DescribedCopy: Sendable {
  /// The program or library that it lies in.
  package let image: String
  package let memory: any ProcessMemory
  private let words: [ReadNumber]
  /// Whether two functions are of one program or library.
  private let areOfOneImage: @Sendable (UInt, UInt) -> Bool
  /// The same for views.
  package var reading: ReadMemory { .other(memory, description: words) }
  /// Reads its items.
  package var items: ItemReader { ItemReader(reading, areOfOneImage: areOfOneImage) }

  /// The copy in `image` whose table lies at an address; nil: it has not been used yet, or its memory is not there.
  package init?(
    in image: String, table: ReadNumber, _ memory: any ProcessMemory, areOfOneImage: @escaping @Sendable (UInt, UInt) -> Bool
  ) {
    guard let words = Self.words(at: table, memory), words[0] == ReadNumber(ProcessDescription.mark) else { return nil }
    (self.image, self.memory, self.words, self.areOfOneImage) = (image, memory, words, areOfOneImage)
  }

  /// The table at an address, as it was at one moment: words are added while the process runs, and what is the same in
  /// two copies was so between them.
  private static func words(at place: ReadNumber, _ memory: any ProcessMemory) -> [ReadNumber]? {
    guard let said = memory.word64(place + ReadNumber(count: DescribedWord.wordCount.rawValue * 8)) else { return nil }
    let count = said == 0 ? ProcessDescription.firstCount : said.int(upTo: ProcessDescription.count)
    var last = memory.words(place, count)
    for _ in 0..<16 {
      guard let first = last, let second = memory.words(place, count) else { return nil }
      // What an older table has no word for is not known.
      if first == second { return first + Array(repeating: 0, count: ProcessDescription.count - count) }
      last = second
    }
    return nil
  }

  package subscript(_ word: DescribedWord) -> ReadNumber { words[word.rawValue] }

  /// Whether this is the child of a fork: nothing is known of it then.
  package var isForkedChild: Bool { memory.bytes(self[.forkedChild], 1).map { $0[0] != 0 } ?? false }

  /// Owner values name a slot by 16 bits.
  private static let mostSlots: ReadNumber = 1 << 16

  /// Of the version that is read here, and such that reading ends.
  package var isKnown: Bool {
    guard self[.version] == ReadNumber(ProcessDescription.version), self[.slotSize] == 16,
      self[.slotCount].isBetween(1, and: Self.mostSlots),
      self[.waitSize].isBetween(80, and: 65_536)
    else { return false }
    let lists: [(place: DescribedWord, count: DescribedWord)] = [
      (.waitWords, .waitWordCount), (.waitFrames, .waitFrameCount), (.waitShared, .waitSharedCount),
      (.waitStack, .waitStackCount),
    ]
    return lists.allSatisfy { list in
      self[list.place].isBetween(9, and: 8_192) && self[list.count] <= 255
        && (self[list.place] + self[list.count]) * 8 <= self[.waitSize]
    }
  }
}
