// RingView.swift: the rings in which workers keep items of a global queue (SignalboxDispatch/Workers/OwnRing.swift), as
// their words had them.
import SignalboxWords

/// A ring at one moment, if two readings find the same: both numbers only grow, and the class stays while items lie
/// there.
package struct RingView: Sendable, Equatable {
  /// Where its words lie.
  package var words: UInt64
  /// How many items were taken out, and put in.
  package var taken: UInt64, put: UInt64
  /// The place of the class of what lies there.
  package var place: UInt64

  package var count: UInt64 { put &- taken }
}

/// Reads rings.
package struct RingReader: Sendable {
  /// More rings than workers there are not.
  private static let mostRings: UInt64 = 4_096
  private let memory: ReadMemory
  private let pools: PoolReader

  package init(_ memory: ReadMemory) { (self.memory, pools) = (memory, PoolReader(memory)) }

  /// All rings of the pools. Rings live forever, and none is taken off its table.
  package var all: [RingView] { pools.rings.flatMap { rings(at: $0.places, count: $0.count) } }

  /// The rings whose addresses stand in a table, up to the first whose memory is not there.
  package func rings(at places: UInt64, count: UInt64) -> [RingView] {
    guard memory.described(.ringWords) != 0 else { return [] }
    var found: [RingView] = []
    for number in 0..<min(count, Self.mostRings) {
      guard let ring = memory.word64(places &+ number &* 8).flatMap({ self.ring(at: $0) }) else { break }
      found.append(ring)
    }
    return found
  }

  private func ring(at address: UInt64) -> RingView? {
    // What was taken out is read first: it is never more than what was put in.
    guard let words = memory.word64(address &+ memory.described(.ringWords)), let taken = memory.word64(words),
      let put = memory.word64(words &+ memory.described(.ringTail)),
      let place = memory.word64(words &+ memory.described(.ringClass))
    else { return nil }
    return RingView(words: words, taken: taken, put: put, place: place)
  }

  /// How many slots a ring has.
  private var capacity: UInt64 { min(memory.described(.ringCapacity), 1 << 16) }

  /// Whether a ring may be one: it holds no more than it has slots.
  package func isWhole(_ ring: RingView) -> Bool { ring.count <= capacity }

  /// The first `most` items. They lay there if no more were taken out afterwards.
  package func first(_ most: Int, of ring: RingView) -> [Slot] {
    let capacity = capacity
    guard capacity != 0, isWhole(ring) else { return [] }
    return (0..<min(ring.count, UInt64(max(0, most)))).compactMap { number in
      let slot = ring.words &+ memory.described(.ringSlots) &+ (ring.taken &+ number) % capacity &* 16
      guard let first = memory.word64(slot), let second = memory.word64(slot &+ 8) else { return nil }
      return Slot(first, second)
    }
  }
}
