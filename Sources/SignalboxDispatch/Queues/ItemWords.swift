// ItemWords.swift: what a report says of items. One that a thread runs is known by the two words that its drain keeps
// in its frame. Those in a stopped queue are read there.
//
// The two words are the slot's (Slot.swift). A node is given back before its item runs, so its item's own words take
// their place, and marks above the address say what else the node said.
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

extension DrainFrame {
  /// The item of these words begins.
  @inline(__always) mutating func runs(_ slot: Slot) {
    item = slot
  }
}

extension UnsafeMutablePointer where Pointee == ThreadRecord {
  /// The calling thread's innermost frame is this drain's. SAFETY: as for other frames; a drain's begins with one.
  @inline(__always) var innermostDrain: UnsafeMutablePointer<DrainFrame>? {
    get { pointee.frames?.assumingMemoryBound(to: DrainFrame.self) }
    nonmutating set { pointee.frames = UnsafeMutableRawPointer(newValue) }
  }

  /// Runs `body` inside of a drain of the object: as `inside`, with the frame for the words of its items.
  @inline(__always)
  func insideDrain<Result>(
    of object: UInt, _ kind: FrameKind, _ body: (UnsafeMutablePointer<DrainFrame>) -> Result
  ) -> Result {
    var frame = DrainFrame(object: object, kind: kind, previous: innermostFrame)
    return withUnsafeMutablePointer(to: &frame) { pointer in
      innermostDrain = pointer
      defer { innermostFrame = pointer.pointee.frame.previous }
      return body(pointer)
    }
  }

  /// The same, with a right that `body` uses up.
  @inline(__always)
  func insideDrain<Right: ~Copyable, Result>(
    of object: UInt, _ kind: FrameKind, with right: consuming Right,
    _ body: (UnsafeMutablePointer<DrainFrame>, consuming Right) -> Result
  ) -> Result {
    var held = Optional(right)  // a closure may take out of a variable what it may not use up
    return insideDrain(of: object, kind) { frame in body(frame, held.take()!) }
  }
}

/// Reading and writing the words.
package enum ItemWords {
  /// The calling thread is about to run an item out of a node: under a drain, whose frame is the innermost.
  @inline(__always) static func note(_ item: ItemNode) {
    guard let frame = ThreadSlot.current.innermostDrain else { return }
    let awaited = item.completion == nil ? 0 : SlotKind.awaited
    frame.pointee.runs(Slot(item.work.function | awaited, item.work.context))
  }

  /// How far behind a work item's address its closure lies; 0: not found.
  package static let blockOffset: UInt = {
    let known: () -> Void = {}
    let sample = DispatchWorkItem(block: known)
    // SAFETY: a closure is two words, of which the first is its function; the object is as large as its class says.
    let function = withUnsafeBytes(of: Work(known)) { $0.load(as: UInt.self) }  // as it is: not as a generic argument
    let object = UInt(bitPattern: Unmanaged.passUnretained(sample).toOpaque())
    return (2..<8).first { SafeMemory.word64(object + $0 * 8) == UInt64(function) }.map { $0 * 8 } ?? 0
  }()

  /// How far behind a work item's address the byte of its class lies; 0: not found.
  static let classOffset: UInt = {
    let rank = -13_579, sample = DispatchWorkItem(qos: DispatchQoS(qosClass: .utility, relativePriority: rank)) {}
    let object = UInt(bitPattern: Unmanaged.passUnretained(sample).toOpaque())
    let rankOffset = UInt(MemoryLayout<DispatchQoS>.offset(of: \.relativePriority)!)
    return withExtendedLifetime(sample) {
      let found = (2..<16).first { SafeMemory.word64(object + $0 * 8) == UInt64(bitPattern: Int64(rank)) }
      return found.map { $0 * 8 - rankOffset } ?? 0
    }
  }()

  /// What can be kept of an item that is about to run, from the words of its slot.
  package static func essence(_ slot: Slot) -> Essence {
    guard slot.first == SlotKind.node, let node = ItemNodePointer(bitPattern: UInt(slot.second)) else {
      return Essence(slot, blockOffset)
    }
    if let item = node.pointee.workItem {
      return Essence(.workItem(item.toOpaque()), blockOffset)
    }
    return Essence(Slot(node.pointee.work), blockOffset)
  }

  /// The kind of an item and its function, if that is known. Nothing of the item's is referred to.
  package struct Essence {
    package var kind: UInt64
    /// Kinds that no slot has.
    static let jobOfActor: UInt64 = 64, jobOfTask: UInt64 = 65
    package var function: UInt64 = 0
    /// What the function may call, if it is a thunk.
    package var inner: UInt64 = 0

    package init(kind: UInt64, function: UInt64 = 0, inner: UInt64 = 0) {
      (self.kind, self.function, self.inner) = (kind, function, inner)
    }
  }

  /// What an item that has not run was submitted with: its class, and whether it runs alone. nil: a plain closure or
  /// function.
  package static func traits(_ slot: Slot) -> (qos: DispatchQoS, isBarrier: Bool)? {
    switch slot.first {
    case SlotKind.node:
      let node = ItemNodePointer.at(UInt(slot.second))
      return (node.pointee.qos, node.pointee.isBarrier)
    case SlotKind.workItem: return Lent<DispatchWorkItem>(at: slot.second).use { ($0.qos, $0.isBarrier) }
    default: return nil
    }
  }

  /// The words of what an item that has not run will do: those in its node, if it has one.
  @inline(__always) package static func work(_ slot: Slot) -> Slot {
    slot.first == SlotKind.node ? Slot(ItemNodePointer.at(UInt(slot.second)).pointee.work) : slot
  }

  /// Whether the item is a job of Swift's tasks, with its executor's role in its slot.
  package static func isJob(_ slot: Slot) -> Bool { QueueJob.role(slot.first) != nil }

  /// The item of which these were kept.
  package static func item(_ words: Essence) -> RunningItem {
    var item = RunningItem(kind: "another item")
    item.function = isOwn(UInt(words.function)) ? 0 : UInt(words.function)
    if words.inner != 0 { item.inner = [UInt(words.inner)] }
    switch words.kind {
    case SlotKind.workItem: item.kind = "work item"
    case SlotKind.helper: item.kind = "iterations of a parallel loop"
    case SlotKind.specialLimit: item.kind = "async"
    case Essence.jobOfActor: item.kind = RunningItem.jobOfActor
    case Essence.jobOfTask: item.kind = RunningItem.jobOfTask
    default: break
    }
    return item
  }

  /// Whether the function is the C face's own: it stands before a block that was made a work item, of which nothing is known.
  private static func isOwn(_ function: UInt) -> Bool {
    CCall.blockCaller != 0 && MappedImages.areInOne(function, CCall.blockCaller)
  }
}

extension ItemWords.Essence {
  /// Of an item without a node. Reads little: it runs for each item.
  fileprivate init(_ slot: Slot, _ blockOffset: UInt) {
    kind = min(slot.first, SlotKind.specialLimit)
    switch slot.first {
    case SlotKind.workItem: function = blockOffset == 0 ? 0 : SafeMemory.word64(UInt(slot.second) + blockOffset) ?? 0
    case ..<SlotKind.specialLimit: break
    case UInt64(CCall.blockCaller) | SlotKind.cFunction:
      function = SafeMemory.word64(UInt(slot.second) &+ 16) ?? 0
      inner = SafeMemory.word64(UInt(slot.second) &+ 32) ?? 0
    default:
      if let role = QueueJob.role(slot.first) {
        kind = role == .isolated ? Self.jobOfActor : Self.jobOfTask
        function = SafeMemory.word64(JobLayout.address(slot.second) &+ JobLayout.resume) ?? 0
        return
      }
      function = slot.first & ~SlotKind.cFunction
      if slot.first == function, slot.second != 0 { inner = SafeMemory.word64(UInt(slot.second) &+ 16) ?? 0 }
    }
  }
}

// MARK: what lies in a queue

// In one that starts nothing, for reports, and whether members of a group do (KnownMembers). Read by a thread that does
// not own the list, while it may be changed. So every word is read by way of the kernel, which refuses what is gone
// (ListSlots of SignalboxView).

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
