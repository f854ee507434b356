// InlineSlots.swift: the first slots of a list, which lie in the list itself.
import SignalboxSystem
import SignalboxWords

/// The six slots inside a queue: twelve words in a row. Fields, not an array: an array of atomics is destroyed word by word.
struct InlineSlots: ~Copyable, Sendable {
  static var count: UInt64 { ListPosition.slotsInside }
  let word0 = Atomic64(0), word1 = Atomic64(0), word2 = Atomic64(0), word3 = Atomic64(0)
  let word4 = Atomic64(0), word5 = Atomic64(0), word6 = Atomic64(0), word7 = Atomic64(0)
  let word8 = Atomic64(0), word9 = Atomic64(0), word10 = Atomic64(0), word11 = Atomic64(0)
}
