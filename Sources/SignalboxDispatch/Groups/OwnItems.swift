// OwnItems.swift: a wait for items that only the waiting thread itself could run, or is running. How it is recognised,
// when it is checked, and when and as what it is reported.
//
// While a thread holds a queue's turn nobody else runs that queue's items. So whoever waits without limit checks the
// pending items of the queues it is inside of alone, and on the main thread at those of the main queue. A work item
// that is waited for may be executed once only, as the header of blocks says: submitted, nobody else may perform it,
// and while it runs nobody may run it again. But a group has no owner: any thread may leave for a member that lies in
// such a queue.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum OwnItems {
  /// The queue in which every member left in `group` lies, the last one found, if only this thread could run them; nil if there are
  /// others, or none.
  static func place(ofAllIn group: DispatchGroup) -> DispatchQueue? {
    let wanted = Lent(group)
    var found: UInt64 = 0
    var place: DispatchQueue?
    forEachOwn { queue in
      queue.forEachPending(queue.itemsOfOwnTurn()) { slot in
        guard slot.first == SlotKind.node, node(slot).pointee.group == wanted else { return }
        found += 1
        place = queue
      }
    }
    return found == group.memberCount ? place : nil
  }

  /// Reports a wait for `group`, whose members all lie in `place`. `doubt`: what could still end it; nil: nothing could.
  static func tell(_ group: DispatchGroup, in place: DispatchQueue, doubt: String?) {
    tell(.ownMembers, .group, group.address, "whose remaining members are items of the \(place.title)", place, doubt: doubt)
  }

  /// Tells when `workItem` lies where only this thread could run it.
  static func check(workItem: DispatchWorkItem) {
    // Submitted twice: the other one may end the wait.
    guard !workItem.isUnclear else { return }
    let wanted = Unmanaged.passUnretained(workItem).toOpaque()
    if workItem.isRunningHere { return tellOwnRun(UInt(bitPattern: wanted)) }
    var place: DispatchQueue?
    forEachOwn { queue in
      queue.forEachPending(queue.itemsOfOwnTurn()) { slot in
        if slot.first == SlotKind.workItem, UnsafeMutableRawPointer(bitPattern: UInt(slot.second)) == wanted { place = queue }
        if slot.first == SlotKind.node, node(slot).pointee.workItem?.toOpaque() == wanted { place = queue }
      }
    }
    guard let place else { return }
    tell(.ownItem, .workItem, UInt(bitPattern: wanted), "which lies in the \(place.title)", place)
  }

  private static func node(_ slot: Slot) -> ItemNodePointer { .at(UInt(slot.second)) }

  /// Calls `body` with each queue whose pending items only this thread could run; it owns their lists.
  private static func forEachOwn(_ body: (DispatchQueue) -> Void) {
    let isMain = MainThreadHost.isMainThread
    if isMain { body(MainQueue.queue) }
    let me = ThreadSlot.owner()
    _ = ThreadFrames.contains { queue, kind in
      let word = queue.state.hint()  // relaxed: our own swap
      let isOurs = word[QueueState.exclusive] == 1 && word[QueueState.owner] == me
      if isOurs, kind == .syncAlone || kind == .drainAlone, !(isMain && queue.isMain) { body(queue) }
      return false
    }
  }

  private static func tellOwnRun(_ item: UInt) {
    Diagnosis.above?.tell(
      SelfWait(
        .workItem, .ownRun, object: item, detail: "whose block this thread runs",
        hint: "pass what should follow the work item to its notify(), or call it in the block itself"))
  }

  private static func tell(
    _ basis: CertaintyBasis, _ kind: WaitKind, _ object: UInt, _ what: String, _ place: DispatchQueue, doubt: String? = nil
  ) {
    Diagnosis.above?.tell(
      SelfWait(
        kind, basis, object: object, detail: "\(what), which only this thread could run",
        holds: .init(kind: .sync, address: place.address, name: place.title), doubt: doubt,
        hint: "use notify() instead of wait(), or submit the items to a queue that this thread is not inside of"))
  }
}

// MARK: a group whose members all lie in the thread's own queues

// When such a wait is reported, and as what. Whether anything else could still end it is NobodyElse.swift.
//
// The waiting thread does all of this itself, between two sleeps: only it may read the lists. So the process may be one
// with a single thread, and nothing races with the wait's end.

/// What one wait without limit knows of itself from one check to the next.
struct OwnMembersWatch {
  /// How long other threads may take to come to rest before the wait is reported as suspected, in nanoseconds.
  private static let patience: UInt64 = 1_000_000_000
  /// How many checks in a row must find that all threads sleep and something may come nevertheless.
  private static let enoughQuiet = 2

  /// Whether an explorer, in the process or around it, chooses when the threads go on: then it says that none can.
  static var isExplored: Bool { Exploration.isOfCaller || Exploration.isOfProgram }

  private var since: UInt64?
  private var quiet = 0
  private var isSuspected = false, isCertain = false

  /// Checks a wait for `group` that has lasted for a moment.
  mutating func check(_ group: DispatchGroup) {
    guard !isCertain, Diagnosis.above?.reportsDeadlocks == true, !Self.isExplored else { return }
    guard OwnItems.place(ofAllIn: group) != nil else {
      (since, quiet) = (nil, 0)
      return
    }
    let now = Clock.uptime(), start = since ?? now
    since = start
    switch Diagnosis.above?.standstill() ?? .moving {
    case .nobody:
      // Where nobody else can act, what the lists say stays so.
      guard let place = OwnItems.place(ofAllIn: group) else { return }
      isCertain = true
      OwnItems.tell(group, in: place, doubt: nil)
    case .quiet:
      quiet += 1
      if quiet >= Self.enoughQuiet { suspect(group) }
    case .moving:
      quiet = 0
      if now &- start >= Self.patience { suspect(group) }
    }
  }

  private mutating func suspect(_ group: DispatchGroup) {
    guard !isSuspected, let place = OwnItems.place(ofAllIn: group) else { return }
    isSuspected = true
    OwnItems.tell(group, in: place, doubt: "unless something else leaves the group")
  }
}

// MARK: waits without limit, checked again and again

enum MainThreadWait {
  /// When an unlimited wait is checked: after 10 ms, then twice as late each time, at last every second.
  struct Polls {
    private var interval: UInt64 = 10_000_000
    mutating func next() -> Deadline {
      defer { interval = min(interval * 2, 1_000_000_000) }
      return .uptime(Clock.uptime() &+ interval)
    }
  }

  /// When an unlimited semaphore wait of the main thread is to be checked; nil on other threads.
  static func semaphoreWarning() -> Warning? {
    MainThreadHost.isMainThread ? Warning(due: Clock.uptime() &+ 1_000_000_000) : nil
  }

  struct Warning {
    let due: UInt64
    /// Due now: warns if the main queue holds items; never again in this wait.
    func next() -> Warning? {
      if !MainQueue.queue.list.isEmpty {
        Misuse.report(
          "the main thread has waited for a semaphore for 1 s while the main queue holds items: if one of them is to signal, "
            + "this wait never ends")
      }
      return nil
    }
  }
}
