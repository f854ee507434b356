// Item.swift: one item, whatever kind of slot it came in: its run, its class, and what its node has: a group, a work
// item. How a node lies in memory is ItemNode.swift (Items/).
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum Item {
  /// Runs and destroys the item. The list it came from is the caller's business.
  @inline(__always)
  static func run(_ slot: Slot, _ thread: ThreadPointer) -> DrainOutcome {
    if Events.areWanted(.started) { return runSeen(slot, thread) }
    return runPlainly(slot, thread)
  }

  /// The same, while a subscriber hears of it.
  @inline(never)
  private static func runSeen(_ slot: Slot, _ thread: ThreadPointer) -> DrainOutcome {
    // A job is no closure.
    if slot.isClosure, Events.areForJobsAlone { return runPlainly(slot, thread) }
    let told = Events.tellBegin(.started, 0, slot.first, slot.second)
    // A queue is no item: its own are.
    defer { if slot.first != SlotKind.queue { Events.tellEnd(.ended, 0, to: told) } }
    return runPlainly(slot, thread)
  }

  @inline(__always)
  private static func runPlainly(_ slot: Slot, _ thread: ThreadPointer) -> DrainOutcome {
    if _fastPath(SlotKind.isClosure(slot.first)) {
      slot.work.take().body()
      return .finished
    }
    return runSpecial(slot, thread)
  }

  @inline(never)
  private static func runSpecial(_ slot: Slot, _ thread: ThreadPointer) -> DrainOutcome {
    if slot.first & SlotKind.cFunction != 0 {
      CWork.call(slot)
      return .finished
    }
    let raw = UnsafeMutableRawPointer.at(UInt(slot.second))
    switch slot.first {
    case SlotKind.node: runNode(raw.assumingMemoryBound(to: ItemNode.self), Pool.worker(thread))
    case SlotKind.workItem: DispatchWorkItem.performForQueue(.fromOpaque(raw), Pool.worker(thread))
    case SlotKind.helper:
      let apply = Unmanaged<ParallelApply>.fromOpaque(raw)
      Lent(apply).use { $0.participate() }
      apply.release()
    case SlotKind.queue:
      // The slot's reference is consumed by the drain.
      return Lent<DispatchQueue>(at: raw).use { $0.drain(thread) }
    default: fatalError("a slot of kind \(slot.first) cannot be run")
    }
    return .finished
  }

  private static func runNode(_ node: ItemNodePointer, _ worker: Lent<Worker>?) {
    let item = node.pointee
    NodeCache.give(node)
    if _slowPath(item.home != nil) { runAtHome(item, worker) } else { run(item, worker) }
  }

  /// It lies in the list of its class, and is an item of the queue that it was submitted to all the same.
  @inline(never) private static func runAtHome(_ item: ItemNode, _ worker: Lent<Worker>?) {
    let home = GlobalQueues.queue(of: item.home ?? .standard)
    ThreadSlot.current.insideDrain(of: UInt(home.address), .drainShared) { _ in run(item, worker) }
  }

  @inline(__always) private static func run(_ item: ItemNode, _ worker: Lent<Worker>?) {
    ItemWords.note(item)
    if _slowPath(item.submitted != 0) { DispatchQueue.sampleBegins(item.submitted) }
    if _slowPath(item.hasRaised) { DispatchQueue.raisingItemBegins(item) }
    // An item may end its thread: whoever waits for it is then notified by the thread's end.
    worker?.use { $0.runs(item) }
    if let workItem = item.workItem {
      DispatchWorkItem.performForQueue(workItem, worker)
    } else {
      runAndDestroy(item.work)
    }
    worker?.use { $0.ran(item) }
    // Only now, when nothing of the item is left, whoever waits for it may go on.
    if let completion = item.completion { CompletionWaiter.complete(completion) }
    // Before any other item's function begins: that may wait for the end of the group.
    item.group?.use { $0.leave() }
  }

  @inline(never) private static func runAndDestroy(_ work: RawWork) {
    if SlotKind.isClosure(work.function) { return work.take().body() }
    CWork.call(Slot(work))
  }

  /// Whether an item of a concurrent queue must run alone.
  static func isBarrier(_ slot: Slot) -> Bool {
    if slot.first >= SlotKind.specialLimit { return false }
    let raw = UnsafeMutableRawPointer.at(UInt(slot.second))
    switch slot.first {
    case SlotKind.node: return raw.assumingMemoryBound(to: ItemNode.self).pointee.isBarrier
    case SlotKind.workItem: return Lent<DispatchWorkItem>(at: raw).use { $0.isBarrier }
    default: return false
    }
  }
}

// MARK: which class it is served as

// Its own, its queue's or its submitter's. Pure. What a class means is Workers/.

enum ItemClass {
  /// Who wins: the item's class or that of the queue it is submitted to. `.unspecified`: neither has one.
  ///
  /// - Parameter queue: what the queue was made with. A global queue of the default class has none of its own: it takes what comes.
  static func winner(
    item: DispatchQoS.QoSClass, _ flags: DispatchWorkItemFlags, queue: DispatchQoS.QoSClass
  ) -> DispatchQoS.QoSClass {
    let own = flags.contains(.noQoS) ? .unspecified : item
    if queue == .unspecified { return own }
    let enforces = flags.contains(.enforceQoS) && !flags.contains(.inheritQoS)
    return enforces && own.rawValue > queue.rawValue ? own : queue
  }

  /// The class as which a queue is served that was made without a class, and that an item of class `submitter` has made
  /// runnable: as urgent as that, but not more than `.userInitiated`; never less urgent than by itself, since others
  /// may submit to it meanwhile.
  static func propagated(submitter: ServiceClass?, own: ServiceClass) -> ServiceClass {
    own.raised(to: submitter.map { max($0, .initiated) })
  }
}

extension DispatchWorkItemFlags {
  /// The class that an item has which is created with these flags here and now.
  func ownClass(_ qos: DispatchQoS) -> DispatchQoS {
    guard contains(.assignCurrentContext), qos.qosClass == .unspecified, !contains(.noQoS) else { return qos }
    return Pool.worker(ThreadSlot.current)?.use { $0.servedClass }?.qos ?? qos
  }
}

// MARK: what its node has

extension ItemNode {
  /// The class and rank that the item was given; a work item has its own.
  var qos: DispatchQoS {
    get {
      if let workItem { return Lent(workItem).use { $0.qos } }
      return givenQoS
    }
    set { givenQoS = newValue }
  }

  /// The class that the item was given, and whether it takes precedence.
  mutating func takeClass(_ given: DispatchQoS, _ flags: DispatchWorkItemFlags) {
    if flags.contains(.noQoS) { return }
    qos = given
    isEnforced = flags.contains(.enforceQoS) && !flags.contains(.inheritQoS)
  }

  var group: Lent<DispatchGroup>? {
    get { audience & 1 == 0 ? .inWord(audience) : nil }
    set { audience = newValue.map { $0.address } ?? 0 }
  }
  var workItem: Unmanaged<DispatchWorkItem>? {
    work.function == SlotKind.workItem ? .at(UInt(work.context)) : nil
  }
  /// The item is a work item, whose reference it takes over.
  mutating func take(_ workItem: Unmanaged<DispatchWorkItem>) {
    work = RawWork(function: SlotKind.workItem, context: UInt64(UInt(bitPattern: workItem.toOpaque())))
  }
}
