// SampleReader.swift: what a process has noted of itself once a second (SampleLayout): since when its threads run what
// they run, and how many items its queues had had. Which item that is, ItemStamp.swift says.
import SignalboxWords

/// Reads the tables of samples.
///
/// An entry counts if its sequence is even, and the whole entry is the same before and after: so it was noted whole.
package struct SampleReader {
  private let memory: ReadMemory
  /// The head's words; nil: the process does not sample itself, or the head makes no sense.
  private let head: [UInt64]?

  package init(_ memory: ReadMemory) {
    self.memory = memory
    let place = memory.described(.samples)
    head = place == 0 ? nil : memory.words(place, SampleLayout.headWords)
  }

  private func word(_ word: SampleHead) -> UInt64 { head?[word.rawValue] ?? 0 }

  /// Whether the process samples itself.
  package var isThere: Bool { word(.last) != 0 }
  /// When it last did, in nanoseconds of uptime.
  package var last: UInt64 { word(.last) }

  /// Since when the thread of that owner value has run the item of this stamp; nil: it began after the last sample.
  package func since(_ stamp: ItemStamp, of owner: UInt64) -> UInt64? {
    let slot = OwnerValue.slot(of: owner)
    guard word(.threads) != 0, slot < word(.threadCount) else { return nil }
    let place = word(.threads) &+ slot &* UInt64(SampleLayout.threadWords * 8)
    guard let words = memory.words(place, SampleLayout.threadWords), words[0] & 1 == 0, words[1] == owner,
      memory.words(place, SampleLayout.threadWords) == words
    else { return nil }
    let noted = ItemStamp(progress: words[2], frame: words[3], done: words[4])
    return noted == stamp ? words[5] : nil
  }

  /// What was counted of queues, by the addresses of their figures, which the process keeps as long as an entry names
  /// them.
  ///
  /// To be read after the queues: what is noted later says nothing false of them.
  package var queues: [UInt64: PendingHistory] {
    var found: [UInt64: PendingHistory] = [:]
    let size = SampleLayout.queueWords, used = Int(min(word(.queuesUsed), UInt64(SampleLayout.mostQueues)))
    guard word(.queues) != 0 else { return [:] }
    for first in stride(from: 0, to: used, by: 64) {
      let place = word(.queues) &+ UInt64(first * size * 8), count = min(64, used - first) * size
      guard let one = memory.words(place, count), let other = memory.words(place, count) else { continue }
      for start in stride(from: 0, to: count, by: size) {
        let words = one[start..<start + size]
        guard words.elementsEqual(other[start..<start + size]), let history = Self.history(Array(words)) else { continue }
        found[words[start + 1]] = history
      }
    }
    return found
  }

  private static func history(_ words: [UInt64]) -> PendingHistory? {
    guard words[0] & 1 == 0, words[1] != 0, (1...UInt64(SampleLayout.mostSamples)).contains(words[2]) else { return nil }
    return PendingHistory(
      (0..<Int(words[2])).map { number in
        let place = SampleLayout.firstSample + 2 * number
        return .init(submitted: words[place], at: words[place + 1])
      })
  }
}
