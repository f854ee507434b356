// DispatchWorkloop.swift: a queue that runs the most urgent pending item next. Choosing is all that is here; the rest is a serial
// queue's. README.md: "Workloops".
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

/// A serial queue that runs its items by quality of service, and items of the same class in order of submission. After each
/// item, the next one is chosen from all that are queued by then, in the workloop and in queues that target it.
///
/// An item's class is that of its work item, or of the queue that targets the workloop; an item without a class counts as
/// `.default`. Thread safety: every method may be called from any thread. `sync` stops the program: use `asyncAndWait` to wait
/// for work.
///
/// ```swift
/// let requests = DispatchWorkloop(label: "requests"), done = DispatchGroup()
/// requests.suspend()
/// requests.async(group: done, qos: .background) { print("second") }
/// requests.async(group: done, qos: .userInitiated) { print("first: more urgent") }
/// requests.resume()
/// done.wait()
/// ```
public final class DispatchWorkloop: DispatchQueue, @unchecked Sendable {
  // SAFETY of @unchecked: `sorted` belongs to whoever owns the queue's list; `floor` and `ownClass` change only while the queue
  // is inactive, and activation orders the rest.
  @exclusivity(unchecked) private var sorted = SortedItems()
  private var floor = DispatchQoS.QoSClass.unspecified
  private var ownClass = DispatchQoS.QoSClass.unspecified

  /// The options for creating a workloop.
  ///
  /// ```swift
  /// let requests = DispatchWorkloop(label: "requests", attributes: .initiallyInactive)
  /// requests.async { print("runs after activate()") }
  /// requests.activate()
  /// requests.asyncAndWait { print(DispatchWorkloop.Attributes.initiallyInactive.rawValue) }  // 4
  /// ```
  public struct Attributes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt64
    /// Creates the set from its bits.
    ///
    /// ```swift
    /// let attributes = DispatchWorkloop.Attributes(rawValue: 4)
    /// print(attributes == .initiallyInactive, attributes.rawValue)  // true 4
    /// ```
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// The workloop runs no items until `activate()`.
    ///
    /// ```swift
    /// let requests = DispatchWorkloop(label: "requests", attributes: .initiallyInactive)
    /// requests.setTarget(queue: .global(qos: .utility))  // only possible before the activation
    /// requests.activate()
    /// requests.asyncAndWait { print("runs") }
    /// ```
    public static let initiallyInactive = Attributes(rawValue: 1 << 2)
  }

  /// Creates a workloop on the default global queue; parameters as for `DispatchQueue`.
  ///
  /// ```swift
  /// let requests = DispatchWorkloop(label: "requests")
  /// requests.asyncAndWait { print("in turn with the other requests") }
  /// ```
  public convenience init(
    label: String, attributes: DispatchWorkloop.Attributes = [],
    autoreleaseFrequency: DispatchQueue.AutoreleaseFrequency = .workItem
  ) {
    Events.emit(.untoldUsed, 0)
    self.init(
      name: label, kind: .serial, qos: .unspecified, isInactive: attributes.contains(.initiallyInactive),
      target: .root(.unspecified))
    set { $0.with(QueueState.complex, 1) }  // a sync that asks for a turn gets a report (checkMaySync)
  }

  package override var isWorkloop: Bool { true }
  override var turnLimit: Int? { .max }

  // MARK: the owner of the list

  /// Runs items, the most urgent first. As DispatchQueue+Drain does on other serial queues, but never lingers.
  override func runItems(
    _ items: consuming OwnedList, _ thread: ThreadPointer, _ frame: UnsafeMutablePointer<DrainFrame>
  ) -> DrainOutcome {
    var budget = DrainBudget(turn: .max)
    var left = budget.stretch
    while true {
      // relaxed: a stop that comes later is seen before the next item
      if state.hint().isStopped || items.first() == 0 {
        releaseAndRecheck(items)
        return .finished
      }
      if left == 0 || Pool.wantsYield(thread) {
        left = recheck(&budget, left, thread, items)
        if left == 0 {
          requeue(items)
          return .finished
        }
      }
      left -= 1
      sortPending(items)
      let item = sorted.takeMostUrgent()
      _ = items.removeFirst()  // one mark for one item, whichever it was
      if item.first == SlotKind.waiter { return handOff(items, to: SyncWaiter.at(item.second), thread) }
      frame.pointee.runs(item)
      if Item.run(item, thread) == .handedOff { return .handedOff }
    }
  }

  /// Takes what was submitted since the last check out of its slots.
  private func sortPending(_ items: borrowing OwnedList) {
    sorted.end = items.markPending(from: sorted.isEmpty ? nil : sorted.end, as: SlotKind.sorted) { item in
      sorted.add(item, rank: rank(item))
    }
  }

  /// Whether something more urgent than the running item is pending. For that item only, whose thread owns the list.
  package var holdsMoreUrgent: Bool {
    sortPending(itemsOfOwnTurn())
    return sorted.highest > sorted.running
  }

  override func forEachPending(_ items: borrowing OwnedList, _ body: (Slot) -> Void) {
    sorted.forEach(body)
    items.forEach(body)
  }

  private func rank(_ slot: Slot) -> Int {
    let asked = Self.qosClass(slot)
    let effective = asked != .unspecified ? asked : ownClass != .unspecified ? ownClass : .default
    return max(SortedItems.rank(effective), floor == .unspecified ? 0 : SortedItems.rank(floor))
  }

  private static func qosClass(_ slot: Slot) -> DispatchQoS.QoSClass {
    guard slot.first < SlotKind.specialLimit, let raw = UnsafeMutableRawPointer(bitPattern: UInt(slot.second)) else {
      return .unspecified
    }
    switch slot.first {
    case SlotKind.workItem:
      return Lent<DispatchWorkItem>(at: raw).use { $0.qos.qosClass }
    case SlotKind.node:
      return raw.assumingMemoryBound(to: ItemNode.self).pointee.qos.qosClass
    case SlotKind.queue: return Lent<DispatchQueue>(at: raw).use { $0.ownQoS.qosClass }
    default: return .unspecified
    }
  }

  // MARK: for the C faces

  /// Items count as at least this urgent; before activation only.
  package override func setFloor(_ qos: DispatchQoS, _ function: String) {
    checkIsInactive(function)
    floor = qos.qosClass
  }

  /// What items without a class of their own count as; before activation only.
  package func setClass(_ qosClass: DispatchQoS.QoSClass) {
    checkIsInactive("dispatch_workloop_set_qos_class")
    ownClass = qosClass
  }

  /// Stops the program when the workloop has been activated: `function` comes too late.
  package func checkIsInactive(_ function: String) {
    // relaxed: who sets a workloop up and who activates it are ordered by the caller
    guard state.hint()[QueueState.inactive] == 0 else { return }
    Misuse.stop(
      "\(function) is called on workloop \"\(name)\" after it was activated: make it inactive, set it up, activate it")
  }

  /// The innermost workloop that the calling code runs on, directly or through targets; nil if there is none.
  package static var currentWorkloop: DispatchWorkloop? {
    var found: DispatchWorkloop?
    _ = ThreadFrames.contains { queue, _ in
      var next: DispatchQueue? = queue
      while let here = next, found == nil {
        found = here as? DispatchWorkloop
        next = here.target
      }
      return found != nil
    }
    return found
  }

  override func checkMaySync() {
    Misuse.stop("sync onto workloop \"\(name)\": a workloop's turn cannot be taken by a thread; use asyncAndWait, or async")
  }
}

/// Items by urgency; in order among equals. As many slots of the queue bear the mark `SlotKind.sorted` as there are items here,
/// and they are its first ones: so the list is as long as it was, and every rule about empty lists holds.
private struct SortedItems {
  private static let classes = 6
  private var lists: [Fifo] = Array(repeating: Fifo(), count: classes)
  /// How far the slots were searched; means something while there are items here.
  var end = ListPosition.start
  /// The rank of the item that was taken last.
  private(set) var running = 0

  static func rank(_ qosClass: DispatchQoS.QoSClass) -> Int {
    switch qosClass {
    case .unspecified: 0
    case .background: 1
    case .utility: 2
    case .default: 3
    case .userInitiated: 4
    case .userInteractive: 5
    }
  }

  /// The rank of the most urgent item, -1 if there is none.
  var highest: Int { lists.lastIndex { !$0.isEmpty } ?? -1 }
  var isEmpty: Bool { highest < 0 }

  mutating func add(_ slot: Slot, rank: Int) { lists[rank].add(slot) }

  /// There is one: the owner has seen a filled slot and sorted it.
  mutating func takeMostUrgent() -> Slot {
    running = highest
    return lists[running].take()
  }

  func forEach(_ body: (Slot) -> Void) { for list in lists { list.forEach(body) } }
}

/// First in, first out, in amortised constant time.
private struct Fifo {
  private var items: [Slot] = []
  private var taken = 0

  var isEmpty: Bool { taken == items.count }
  mutating func add(_ item: Slot) { items.append(item) }

  mutating func take() -> Slot {
    let item = items[taken]
    taken += 1
    if taken == items.count {
      items.removeAll(keepingCapacity: taken <= 64)
      taken = 0
    } else if taken > 64, taken > items.count / 2 {
      items.removeFirst(taken)
      taken = 0
    }
    return item
  }

  func forEach(_ body: (Slot) -> Void) { for item in items[taken...] { body(item) } }
}
