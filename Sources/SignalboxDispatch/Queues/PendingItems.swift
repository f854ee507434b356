// PendingItems.swift: what lies in a queue: in one that starts nothing, for reports; whether members of a group do (KnownMembers); and of which
// classes it is (PendingUrgency); and what comes next, for who inspects the process. Read by a thread that does not own the list, while it may be changed: every word by way of the kernel, which
// refuses what is gone.
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// The items of a stopped queue, and of queues that lie in it as items.
struct PendingItems {
  /// How many items are described, and how many are counted.
  private static let mostDescribed = 8, mostCounted = 10_000

  private(set) var count = 0
  private(set) var items: [RunningItem] = []
  private(set) var members: [UInt: Int] = [:]
  /// The classes that the items were given, in their order.
  private(set) var classes: [DispatchQoS.QoSClass] = []
  private let groups: Set<UInt>
  private let most: Int
  private let describes: Bool
  private var wantsClasses = false
  private var followsQueues = true

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

  /// The classes of the first `most` items of the queue itself: a queue or thread that lies in it has none.
  init(classesIn queue: UInt, atMost most: Int) {
    (groups, self.most, describes, wantsClasses) = ([], most, false, true)
    read(queue, depth: 0)
  }

  /// The first `most` items of the queue itself: a queue that lies in it is none.
  init(firstIn queue: UInt, atMost most: Int) {
    (groups, self.most, describes, followsQueues) = ([], most, true, false)
    read(queue, depth: 0)
  }

  // MARK: the list

  private mutating func read(_ queue: UInt, depth: Int) {
    guard depth < 8, let end = Self.word(queue, Self.offsets.tail), var place = Self.word(queue, Self.offsets.head)
    else { return }
    while place != end, count < most {
      let position = ListPosition(word: place)
      let page = position.page
      guard position.isOnPage else {
        guard let next = Self.word(page == 0 ? queue + Self.offsets.next : UInt(page), 0), next != 0 else { return }
        place = ListPosition(page: next).word
        continue
      }
      let slot = (page == 0 ? queue + Self.offsets.slots : UInt(page) + 16) + UInt(position.index) * 16
      // 0: a pusher has not written yet.
      guard let first = Self.word(slot, 0), let second = Self.word(slot, 8), first != 0 else { return }
      if wantsClasses {
        addClass(Slot(first, second))
      } else if first == SlotKind.queue {
        if followsQueues { read(UInt(second), depth: depth + 1) }
      } else {
        add(queue, Slot(first, second))
      }
      place = position.next.word
    }
  }

  private mutating func add(_ queue: UInt, _ slot: Slot) {
    var slot = slot
    if slot.first == SlotKind.node {
      let node = UInt(slot.second), audience = Self.word(node, Self.audienceOffset) ?? 1
      slot.first = Self.word(node, 0) ?? 0
      slot.second = Self.word(node, 8) ?? 0
      if audience & 1 == 0, groups.contains(UInt(audience)) { members[UInt(audience), default: 0] += 1 }
    }
    count += 1
    if describes, items.count < Self.mostDescribed, slot.first != SlotKind.waiter { items.append(ItemWords.pending(slot)) }
  }

  private mutating func addClass(_ slot: Slot) {
    count += 1
    classes.append(ItemWords.givenClass(slot))
  }

  // MARK: where things lie

  private static func word(_ address: UInt, _ offset: UInt) -> UInt64? { SafeMemory.word64(address + offset) }
  private static let audienceOffset = UInt(MemoryLayout<ItemNode>.offset(of: \.audience)!)

  /// How far behind a queue's address its words lie.
  private static let offsets: (tail: UInt, head: UInt, slots: UInt, next: UInt) = {
    let queue = MainQueue.queue
    func offset<Word: ~Copyable>(_ word: borrowing Word) -> UInt {
      withUnsafePointer(to: word) { UInt(bitPattern: $0) - queue.address }
    }
    return (offset(queue.list.tail), offset(queue.list.head), offset(queue.list.inside), offset(queue.list.firstPage))
  }()
}
