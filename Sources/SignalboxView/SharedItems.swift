// SharedItems.swift: what lies in the global queues of a process: in the lists that the pool's workers share, and in
// the rings in which workers keep some (SignalboxDispatch/Workers/README.md, "The lists").
import SignalboxWords

/// What lies in one global queue.
package struct SharedItems: Sendable {
  /// The queue's address.
  package var queue: UInt64
  /// How many items, and turns of queues, lie in it; nil: not known. Of one moment if `isOfOneMoment`, else nearly.
  package var pending: UInt64?
  /// How many were taken off since the process began; nil: not known. Workers that keep items do not count those apart
  /// which they took over from others.
  package var done: UInt64?
  /// The first items.
  package var next: [RunningItem] = []
  package var isOfOneMoment = false
  /// A list or a ring is like none that there is.
  package var isBroken = false
}

/// Reads global queues.
package struct SharedItemsReader {
  /// No pool has more shards, and no process more pages.
  private static let mostShards: UInt64 = 64, mostPages = 100_000
  private static let readings = 4

  private let memory: ReadMemory
  private let items: ItemReader
  private let lists: ListReader
  private let rings: RingReader

  /// nil: the process has not described its pools' lists.
  package init?(_ memory: ReadMemory, _ items: ItemReader) {
    guard let lists = ListReader(memory), memory.described(.sharedLists) != 0 else { return nil }
    (self.memory, self.items, self.lists, rings) = (memory, items, lists, RingReader(memory))
  }

  /// All global queues, the most urgent first, each with the first `most` items.
  package func all(first most: Int) -> [SharedItems] {
    var pages = Self.mostPages
    return (0..<UInt64(ServiceClass.count)).compactMap { queue(of: $0, most, pages: &pages) }
  }

  // MARK: one queue

  /// All in which items of a class lie. Items go from one list to another, or to a ring, and back: only what is the
  /// same in two readings of all of them was so between these.
  private struct Moment: Equatable {
    var lists: [ListEnds]
    /// Those with items of the class.
    var rings: [RingView]
    /// Whether any ring was ever used.
    var hasRings: Bool
    /// A ring is like none that there is.
    var isBroken: Bool

    /// Whether all that lay first here lies there still.
    func beginsAs(_ other: Moment) -> Bool {
      lists.count == other.lists.count && zip(lists, other.lists).allSatisfy { $0.beginsAs($1) }
        && rings.count == other.rings.count
        && zip(rings, other.rings).allSatisfy { $0.words == $1.words && $0.taken == $1.taken && $0.place == $1.place }
    }
  }

  private func moment(_ place: UInt64, _ addresses: [UInt64]) -> Moment? {
    let ends = addresses.compactMap { lists.ends(of: $0) }
    guard ends.count == addresses.count else { return nil }
    let all = rings.all
    return Moment(
      lists: ends, rings: all.filter { $0.place == place && $0.count != 0 }, hasRings: all.contains { $0.put != 0 },
      isBroken: !all.allSatisfy { rings.isWhole($0) })
  }

  private func queue(of place: UInt64, _ most: Int, pages: inout Int) -> SharedItems? {
    let shards = min(max(1, memory.described(.sharedShards)), Self.mostShards)
    let addresses = (0..<shards).compactMap { memory.word64(memory.described(.sharedLists) &+ (place &* shards &+ $0) &* 8) }
    // The first shard lies in the queue itself.
    guard addresses.count == Int(shards), let own = addresses.first, var before = moment(place, addresses) else { return nil }
    var found = SharedItems(queue: own &- memory.described(.listStart))
    for _ in 0..<Self.readings {
      let counted = count(addresses, before, pages: &pages)
      let next = first(most, addresses, before)
      guard let after = moment(place, addresses) else { return nil }
      if let sum = counted.sum { found.pending = sum }
      if !before.hasRings, let done = done(before) { found.done = done }
      if after.hasRings { found.done = nil }
      if before.beginsAs(after) { found.next = next }
      if before == after {
        (found.pending, found.isBroken, found.isOfOneMoment) = (counted.sum, counted.isBroken, counted.sum != nil)
        break
      }
      before = after
    }
    return found
  }

  /// How many lie there; nil: not known.
  private func count(_ addresses: [UInt64], _ moment: Moment, pages: inout Int) -> (sum: UInt64?, isBroken: Bool) {
    var sum: UInt64 = 0, isKnown = !moment.isBroken, isBroken = moment.isBroken
    for (list, ends) in zip(addresses, moment.lists) {
      switch lists.length(of: list, ends, pages: &pages) {
      case .known(let count): sum += count
      case .unknown: isKnown = false
      case .broken: (isKnown, isBroken) = (false, true)
      }
    }
    if isKnown { sum += moment.rings.reduce(0) { $0 + $1.count } }
    return (isKnown ? sum : nil, isBroken)
  }

  private func done(_ moment: Moment) -> UInt64? {
    var sum: UInt64 = 0
    for ends in moment.lists {
      guard let done = ends.done else { return nil }
      sum &+= done
    }
    return sum
  }

  // MARK: items

  /// The first items of the lists in their order, then those of the rings.
  private func first(_ most: Int, _ addresses: [UInt64], _ moment: Moment) -> [RunningItem] {
    var slots: [Slot] = []
    for (list, ends) in zip(addresses, moment.lists) where slots.count < most {
      slots += lists.first(most - slots.count, of: list, ends)
    }
    for ring in moment.rings where slots.count < most { slots += rings.first(most - slots.count, of: ring) }
    return slots.map { items.pending($0) ?? RunningItem(kind: "another item") }
  }
}
