// Summary.swift: what a count comes to. Values only; two counts of the same tree have equal summaries.

struct RankedWord: Sendable, Equatable, Comparable {
  let word: [UInt8]
  let count: UInt64

  /// The more frequent first, then in the order of the bytes.
  static func < (left: RankedWord, right: RankedWord) -> Bool {
    left.count != right.count ? left.count > right.count : left.word.lexicographicallyPrecedes(right.word)
  }
}

/// One table: how many words it has, the first of them, and a number that tells it from other tables.
struct TableSummary: Sendable, Equatable {
  private(set) var distinct = 0
  private(set) var checksum: UInt64 = 0
  private(set) var top: [RankedWord] = []

  init() {}

  init(_ table: WordTable, top limit: Int) {
    distinct = table.entries.count
    for entry in table.entries { checksum &+= entry.hash &* (2 &* entry.count &+ 1) }
    guard limit > 0 else { return }
    // Words as frequent as the last one shown compete by name; all others need not be checked.
    let counts = table.entries.map(\.count).sorted(by: >)
    let least = counts[..<min(limit, counts.count)].last ?? 0
    let candidates = table.entries.filter { $0.count >= least }.map { RankedWord(word: table.word($0), count: $0.count) }
    top = Array(candidates.sorted().prefix(limit))
  }

  init(_ parts: [TableSummary], top limit: Int) {
    for part in parts {
      distinct += part.distinct
      checksum &+= part.checksum
      top += part.top
    }
    top = Array(top.sorted().prefix(limit))
  }
}

struct Summary: Sendable, Equatable {
  let files: Int
  let bytes: Int
  let words: Int
  let unreadable: Int
  let vocabulary: TableSummary
}
