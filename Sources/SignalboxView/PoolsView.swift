// PoolsView.swift: all pools of a process, and what lies in its global queues. How each is read is PoolView.swift and
// SharedItems.swift.
import SignalboxSystem
import SignalboxWords

/// What is read of a process's pools.
package struct PoolsView {
  /// Whether the process has described them; and whether it has workers, and could not describe these.
  package let isDescribed: Bool, lacksWorkers: Bool
  package let pools: [PoolView]
  /// How many pools could not be read.
  package let unread: Int
  /// The global queues, by their addresses.
  private let items: [ReadNumber: SharedItems]
  /// Of how many of them a list or ring is like none that there is.
  package var brokenLists: Int { items.values.filter(\.isBroken).count }

  /// As many items of a queue are shown.
  private static let shownItems = 3

  package init(_ copy: DescribedCopy) {
    let reader = PoolReader(copy.reading)
    // The table of threads is read anew: workers come and go.
    let found = reader.knowsPools ? reader.pools(copy.slots) : []
    (isDescribed, lacksWorkers) = (reader.knowsPools, reader.lacksWorkers)
    pools = found.compactMap { $0 }
    unread = found.count - pools.count
    let shared = SharedItemsReader(copy.reading, copy.items)?.all(first: Self.shownItems) ?? []
    items = Dictionary(shared.map { (ReadNumber($0.queue), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The queues, with what lies in the global ones.
  package func filled(_ queues: [ReadNumber: QueueView]) -> [ReadNumber: QueueView] {
    var queues = queues
    for (address, items) in items where queues[address]?.kind == .global {
      queues[address]?.pending = items.pending.map { ReadNumber($0) }
      queues[address]?.done = items.done.map { ReadNumber($0) }
      queues[address]?.next = items.next
    }
    return queues
  }
}
