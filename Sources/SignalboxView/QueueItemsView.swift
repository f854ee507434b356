// QueueItemsView.swift: what lies in the queues of a process: the next items, and urgent ones behind others. How many
// lie in each says RegisterView.swift; how a list is followed, ListSlots.swift.
import SignalboxSystem
import SignalboxWords

/// Reads items that have not run.
package struct QueueItemsView {
  private let copy: DescribedCopy
  private let reader: ItemReader

  /// For how many queues the next items are read, those with most; for how many urgent items are searched for.
  private static let mostDescribed = 50, mostSearched = 5_000
  /// How many items are shown of each.
  private static let shown = 3

  package init(_ copy: DescribedCopy) { (self.copy, reader) = (copy, copy.items) }

  /// The queues, with what lies in them.
  package func described(_ queues: [ReadNumber: QueueView]) -> [ReadNumber: QueueView] {
    var queues = queues
    let full = queues.values.filter { ($0.pending ?? 0) > 0 && $0.place != 0 && $0.kind != .global }
      .sorted { ($0.pending ?? 0, $1.address) > ($1.pending ?? 0, $0.address) }
    for (number, queue) in full.prefix(Self.mostSearched).enumerated() {
      guard number < Self.mostDescribed || (queue.pending ?? 0) > 1 else { continue }
      queues[queue.address] = read(queue, isDescribed: number < Self.mostDescribed)
    }
    return queues
  }

  /// Items that lay in the queue together: none was taken off meanwhile, and the queue stands in its place still.
  private func read(_ queue: QueueView, isDescribed: Bool) -> QueueView {
    let address = queue.address.bits
    for _ in 0..<4 {
      var found = queue
      guard let before = taken(queue) else { return queue }
      if isDescribed, let slots = ListSlots(ofQueue: address, in: copy.reading) {
        found.next = slots.lazy.compactMap { reader.pending($0) }.prefix(Self.shown).map { $0 }
      }
      found.urgency = PendingUrgency(inQueue: address, of: queue.given, by: reader)
      guard let after = taken(queue) else { return queue }
      if before == after { return found }
    }
    return queue
  }

  /// What changes with each item that is taken off; nil: the queue has gone.
  private func taken(_ queue: QueueView) -> [ReadNumber]? {
    guard let head = copy.memory.word64(queue.address + copy[.listHead]),
      let taken = copy.memory.word64(queue.address + copy[.listTaken]), copy.memory.word64(queue.place) == queue.address
    else { return nil }
    return [head, taken]
  }
}
