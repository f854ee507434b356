// DescriptorsView.swift: the descriptors that a process monitors for its program, in arrays of Swift's that change
// under locks no reader takes. Where they lie the process says (DescriptorDescription.swift of SignalboxDispatch).
//
// An entry of the table lives as long as the process. Its subscriptions count if two readings of them are the same, and
// the word of their array is too: the array kept them in between. What differs four times, or is of another type than
// the process names, is counted as unread.
import SignalboxSystem
import SignalboxWords

/// A descriptor that is monitored in one direction.
package struct WatchedDescriptor: Sendable, Equatable {
  package var number: Int
  package var isWritable: Bool
  /// Of the source or channel; empty: none.
  package var label: String
}

/// Reads monitored descriptors.
package struct DescriptorsView {
  private let memory: ReadMemory
  private static let tries = 4
  /// No process has more descriptors, and none of them more subscriptions.
  private static let mostDescriptors = 1 << 21, mostWatches = 1 << 10
  /// How many entries may lead nowhere: a table in order has few.
  private static let mostUnread = 1_000

  /// nil: the process has a version of Signalbox that does not say how its descriptors lie.
  package init?(_ memory: ReadMemory) {
    if memory.described(.wordCount) == 0 { return nil }
    self.memory = memory
  }

  /// All of them by their numbers, and of how many descriptors the subscriptions are not known; nil: the table is not
  /// to be had.
  package func read() -> (all: [WatchedDescriptor], unread: Int)? {
    guard let entries else { return nil }
    var all: [WatchedDescriptor] = [], unread = 0, seen: Set<UInt64> = []
    for (number, entry) in entries.enumerated() where entry != 0 && unread < Self.mostUnread {
      if seen.insert(entry).inserted, let watches = watches(of: entry) {
        all += watches.map { WatchedDescriptor(number: number, isWritable: $0.isWritable, label: $0.label) }
      } else {
        unread += 1
      }
    }
    return (all, unread)
  }

  /// The addresses of the entries, by number; 0: none.
  private var entries: [UInt64]? {
    let place = memory.described(.descriptors)
    if place == 0 { return [] }
    for _ in 0..<Self.tries {
      guard let array = memory.word64(place) else { return nil }
      // It may have been given back since, and another be in its place.
      if let all = elements(of: array, most: Self.mostDescriptors), memory.word64(place) == array { return all }
    }
    return nil
  }

  /// A subscription, as it was read.
  private struct Watch: Equatable {
    var address: UInt64
    var isWritable: Bool
    var label: String
  }

  private func watches(of entry: UInt64) -> [Watch]? {
    for _ in 0..<Self.tries {
      if let first = reading(of: entry), let second = reading(of: entry), first.array == second.array,
        first.watches == second.watches
      {
        return first.watches
      }
    }
    return nil
  }

  private func reading(of entry: UInt64) -> (array: UInt64, watches: [Watch])? {
    guard memory.word64(entry) == memory.described(.entryType),
      let array = memory.word64(entry &+ memory.described(.entryWatches)), let all = elements(of: array, most: Self.mostWatches)
    else { return nil }
    let watches = all.compactMap { watch($0) }
    // One stands there twice while those behind one that has gone are moved up.
    return watches.count == all.count && Set(all).count == all.count ? (array, watches) : nil
  }

  private func watch(_ address: UInt64) -> Watch? {
    guard memory.word64(address) == memory.described(.watchType),
      let direction = memory.byte(address &+ memory.described(.watchDirection)), direction < 2,
      let words = memory.words(address &+ memory.described(.watchLabel), 2)
    else { return nil }
    // No label is 0 in its second word, which no text has.
    let text = words[1] == 0 ? "" : StringForm.text(ReadNumber(words[0]), ReadNumber(words[1])) { memory.bytes($0.bits, $1) }
    return text.map { Watch(address: address, isWritable: direction == 1, label: $0) }
  }

  /// The elements of an array, copied in pieces; nil: not there, or no array's, or there are more or fewer by now.
  private func elements(of array: UInt64, most: Int) -> [UInt64]? {
    guard let said = memory.word64(array &+ ArrayForm.count), said <= UInt64(most) else { return nil }
    var all: [UInt64] = []
    while all.count < Int(said) {
      let piece = min(4096, Int(said) - all.count), place = array &+ ArrayForm.elements &+ UInt64(all.count) &* 8
      guard let words = memory.words(place, piece) else { return nil }
      all += words
    }
    return memory.word64(array &+ ArrayForm.count) == said ? all : nil
  }
}
