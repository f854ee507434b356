// OldestItems.swift: for how long the oldest item of each queue has waited at least, by what the tables of `signalbox
// top` have counted one after the other: of a process that does not note that itself. How it follows is PendingHistory
// (SignalboxView).
import SignalboxView

/// What was counted of queues in the inspections so far. A queue goes by its address and label, as its rate does.
package struct OldestItems: Sendable {
  private struct Key: Hashable {
    var copy: Int, address: String, label: String
  }
  private struct Counted {
    var history = PendingHistory()
    var done = 0
    var seconds: Double?
  }
  private var counted: [Key: Counted] = [:]

  package init() {}

  /// Notes inspections of all copies, which were made from one moment of uptime to another.
  package mutating func note(_ inspections: [Inspection], from begin: UInt64, to end: UInt64) {
    var found: [Key: Counted] = [:]
    for (copy, inspection) in inspections.enumerated() {
      for queue in inspection.queues where queue.isTimed {
        let key = Key(copy: copy, address: queue.address, label: queue.label)
        var known = counted[key] ?? Counted()
        // A count that has gone back is another queue's.
        if known.done > queue.done { known = Counted() }
        let since = known.history.since(taken: UInt64(queue.done))
        known.seconds = since.map { Double(begin - min(begin, $0)) / 1e9 }
        known.history.note(taken: UInt64(queue.done), pending: UInt64(queue.pending), at: end)
        known.done = queue.done
        found[key] = known
      }
    }
    counted = found
  }

  /// How long the oldest item of a queue of the last inspections had waited at least; nil: not for a moment, or not
  /// known.
  func seconds(_ queue: Inspection.Queue, copy: Int) -> Double? {
    counted[Key(copy: copy, address: queue.address, label: queue.label)]?.seconds.flatMap { $0 > 0 ? $0 : nil }
  }
}

extension Inspection.Queue {
  /// Whether its numbers are of one moment: those of global queues may count what moves twice.
  fileprivate var isTimed: Bool { isCounted && knowsDone && pending > 0 && kind != "global" }
}
