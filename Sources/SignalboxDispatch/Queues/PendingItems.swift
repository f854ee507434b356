// PendingItems.swift: what lies in a queue: in one that starts nothing, for reports, and whether members of a group do
// (KnownMembers). Read by a thread that does not own the list, while it may be changed: every word by way of the
// kernel, which refuses what is gone (ListSlots of SignalboxView).
import SignalboxWaits
import SignalboxView
import SignalboxWords

/// The items of a stopped queue, and of queues that lie in it as items.
struct PendingItems {
  /// How many items are described, and how many are counted.
  private static let mostDescribed = 8, mostCounted = 10_000

  private(set) var count = 0
  private(set) var items: [RunningItem] = []
  private(set) var members: [UInt: Int] = [:]
  /// Whether items were taken off while these were read, so that some may have been missed.
  private(set) var hasMoved = false
  private let groups: Set<UInt>
  private let most: Int
  private let describes: Bool

  /// Members of `groups` are counted apart.
  init(of queue: UInt, groups: Set<UInt>) {
    (self.groups, most, describes) = (groups, Self.mostCounted, true)
    read(queue, depth: 0)
  }

  /// The same of the first `most` items, to see whether members of `groups` are among them.
  init(of queue: UInt, groups: Set<UInt>, atMost most: Int) {
    (self.groups, self.most, describes) = (groups, most, false)
    read(queue, depth: 0)
  }

  private mutating func read(_ queue: UInt, depth: Int) {
    guard depth < 8, let slots = ListSlots(ofQueue: UInt64(queue), in: .own) else { return }
    for slot in slots {
      if slot.isTurn { read(UInt(slot.second), depth: depth + 1) } else { add(slot) }
      if count >= most { return }
    }
    if slots.hasMoved { hasMoved = true }
  }

  private mutating func add(_ slot: Slot) {
    let reader = ItemReader.own, group = UInt(reader.group(slot))
    if group != 0, groups.contains(group) { members[group, default: 0] += 1 }
    count += 1
    guard describes, items.count < Self.mostDescribed, slot.first != SlotKind.waiter else { return }
    items.append(reader.pending(slot) ?? RunningItem(kind: "another item"))
  }
}
