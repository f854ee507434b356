// OwnItems.swift: a wait for items that only the waiting thread itself could run, or is running.
//
// While a thread holds a queue's turn nobody else runs that queue's items. So whoever waits without limit checks the pending
// items of the queues it is inside of alone, and on the main thread at those of the main queue. A work item that is waited
// for may be executed once only, as the header of blocks says: submitted, nobody else may perform it, and while it runs nobody
// may run it again. But a group has no owner: any thread may leave for a member that lies in such a queue (OwnMembersWatch.swift).
import SignalboxWaits
import SignalboxSystem
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
