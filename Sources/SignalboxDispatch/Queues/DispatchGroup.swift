// DispatchGroup.swift: knowing when several pieces of work have ended: which members are inside, and what follows the
// last one's leave. The word is GroupState.swift; waiting for the end is DispatchGroup+Wait.swift (Groups/).
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// Counts members that enter and leave. When the last one leaves, waiting threads wake up and notifications are submitted.
///
/// Thread safety: every method may be called from any thread. Work submitted with a group keeps the group alive until it has
/// left. Code that calls `enter()` needs a reference for its `leave()`, so a `leave()` never meets a deallocated group. A group
/// that is deallocated while entered can never be left: this is reported if notifications wait for it.
///
/// ```swift
/// let pages = DispatchGroup()
/// for page in 1...3 { DispatchQueue.global().async(group: pages) { print("page \(page)") } }
/// pages.wait()  // all three have been printed
/// ```
public class DispatchGroup: DispatchObject, @unchecked Sendable {
  // SAFETY of @unchecked: all state is atomic or behind the list's lock.
  final let state = AtomicState(GroupState(rawValue: 0))
  /// A ticket for who sleeps until the end: the last leave changes it.
  final let gate = Atomic32(0)
  /// 1 once an item has been submitted with the group. From then on each member finds or brings the members' reference: an item that leaves for
  /// itself and enters again has none of its own at its end.
  private final let hasItems = Atomic32(0)
  final let reportedName = ReportedName()
  private final let listLock = UnfairLock()
  // SAFETY: guarded by `listLock`.
  nonisolated(unsafe) private final var notifications: [Notification]?
  /// Whether `leave()` may be called without a reference, as in C: then who asks for the end sees to it that the members have one.
  private final let holdsItself: Bool

  /// Creates an empty group.
  public override init() {
    _ = ThreadSlot.owner()  // the environment is read with the first: enters are to be noted from the first on
    holdsItself = false
    super.init()
  }

  /// Creates an empty group for C: `leave()` may be called without a reference.
  package init(holdingItself: Void) {
    _ = ThreadSlot.owner()  // as above
    holdsItself = true
    super.init()
  }

  deinit {
    Events.emit(.gone, address, UInt64(WaitKind.group.rawValue))
    if _slowPath(state.load()[GroupState.notifies] != 0) { reportLostNotifications() }
    reportedName.isGone(address)
  }

  /// What `print` shows.
  override final func text(at address: UInt) -> String {
    ObjectText.plain("DispatchGroup", name, address, [memberCount == 0 ? "empty" : "\(memberCount) inside"])
  }

  /// Nobody is left who could leave: the notifications that wait for it are destroyed and reported.
  @inline(never) private final func reportLostNotifications() {
    let lost = listLock.withLock { () -> [Notification] in
      defer { notifications = nil }
      return notifications ?? []
    }
    Misuse.report(
      "group \(self.identity) is freed with \(lost.count) notification\(lost.count == 1 ? "" : "s") that can never run, "
        + "because no code can leave it any more: balance every enter() with a leave()")
    for notification in lost { notification.destroy() }
  }

  final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// How many members are inside; a moment's view.
  final var memberCount: UInt64 { state.hint()[GroupState.count] }

  /// Enters the group. Every call needs one matching `leave()`.
  /// - Complexity: one atomic swap.
  public final func enter() {
    // relaxed: whoever enters in the place of an item has seen it submitted, and so this
    if _slowPath(hasItems.loadRelaxed() != 0) { return enterKeeping() }
    if Events.areWanted(.groupEntered) { Events.tell(.groupEntered, address, 1, memberCount) }
    // relaxed: entering publishes nothing; the leave that empties the group does.
    if _slowPath(GroupState(rawValue: state.word.addRelaxed(GroupState.count.one)).isFull) { stopOverflow() }
  }

  /// Like `enter()`, and the group lives until it is empty again, whoever else lets go of it.
  ///
  /// The first such member brings a reference for all that follow; the leave that empties the group gives it back. So members
  /// cost no counting of references, which threads that submit and threads that run would quarrel over.
  package final func enterKeeping() {
    if Events.areWanted(.groupEntered) { Events.tell(.groupEntered, address, 1, memberCount) }
    var old = state.hint()
    while true {
      if _slowPath(old.isFull) { stopOverflow() }
      let (next, keep) = old.afterEnterKeeping()
      // Before the swap: from then on the last leave may give it back.
      if keep {
        hasItems.storeRelaxed(1)  // relaxed: released by the swap
        _ = Unmanaged.passUnretained(self).retain()
      }
      // Released by the swap: the reference, counted before a leave can see the bit. Nothing else is published, as in enter().
      let swap = state.exchange(old, for: next)
      if swap.exchanged { return }
      if keep { Unmanaged.passUnretained(self).release() }
      old = swap.original
    }
  }

  /// The caller is about to let go of a reference that others may count on to leave with: if members are inside, they get one.
  package final func keepIfEntered() {
    var old = state.hint()
    while let next = old.afterKeep() {
      // Before the swap, as in enterKeeping().
      _ = Unmanaged.passUnretained(self).retain()
      let swap = state.exchange(old, for: next)
      if swap.exchanged { return }
      Unmanaged.passUnretained(self).release()
      old = swap.original
    }
  }

  @inline(never) private final func stopOverflow() -> Never {
    Misuse.stop("group \(self.identity) is entered \(GroupState.count.mask) times without a leave: balance every enter()")
  }

  /// Leaves the group. When the last member leaves, waiting threads wake up and notifications are submitted.
  public final func leave() {
    if Events.areWanted(.groupLeft) { Events.tell(.groupLeft, address, 1, memberCount) }
    // The swap releases what members did to whoever sees the group empty (wait, the notification's submission).
    guard let step = state.tryUpdate({ old in old.afterLeave().map { ($0.next, (old: old, next: $0.next, $0.action)) } })
    else { stopUnbalanced() }
    // Whoever sees the group empty may let go of it: from here on it is touched only if the members have held it.
    if step.2 == .lastOutWithAudience { tell(step.old[GroupState.generation]) }
    if (step.next.rawValue ^ step.old.rawValue) & GroupState.kept.inPlace != 0 { Unmanaged.passUnretained(self).release() }
  }

  @inline(never) private final func stopUnbalanced() -> Never {
    Misuse.stop(
      "group \(self.identity) is left more often than entered: every leave() needs an earlier enter()",
      about: .init(.group, address))
  }

  @inline(never) private final func tell(_ generation: UInt64) {
    // seq_cst, of which the release counts: who reads this ticket for another park finds the new generation; pairs with sleep()
    _ = gate.addSeqCst(1)
    gate.wake(count: .max)
    let due = listLock.withLock { () -> [Notification] in
      let all = notifications ?? []
      notifications = nil
      let later = all.filter { !$0.isDue(atEndOf: generation) }
      if !later.isEmpty { notifications = later }
      return all.filter { $0.isDue(atEndOf: generation) }
    }
    for notification in due {
      Events.emit(.notified, address, notification.slot.second)
      notification.submit()
    }
  }

  // MARK: notifications

  /// Submits `work` to `queue` when all current members have left; at once if the group is empty. `qos` and `flags` apply to
  /// the submitted item as in `async`.
  public final func notify(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
    execute work: @escaping () -> Void
  ) {
    if flags.contains(.barrier) || qos.qosClass != .unspecified {
      return notify(queue: queue, work: DispatchWorkItem(qos: qos, flags: flags, block: work))
    }
    register(queue, Slot(RawWork(taking: work)))
  }

  /// Submits `work` to `queue` when all current members have left; at once if the group is empty.
  public final func notify(queue: DispatchQueue, work: DispatchWorkItem) {
    register(queue, .workItem(Unmanaged.passRetained(work).toOpaque()))
  }

  final func register(_ queue: DispatchQueue, _ slot: Slot) {
    Events.emit(.notifyAsked, address)
    let added = listLock.withLock { () -> Bool in
      // The flag while locked: the leave that takes it off waits for the lock, and finds the record.
      guard let generation = ask(GroupState.notifies) else { return false }
      notifications =
        (notifications ?? []) + [
          Notification(queue: queue, slot: slot, generation: generation)
        ]
      return true
    }
    if !added { queue.pushEither(slot) }
  }

  /// Asks for the end of this generation and returns it; nil when the group is empty.
  final func ask(_ flag: Field) -> UInt64? {
    var old = state.load()  // what it acquires when it refuses: what the members did that have left
    while true {
      guard let (next, keep) = old.afterAsk(flag, keeping: holdsItself) else { return nil }
      // Before the swap: from then on the last leave may give it back.
      if keep { _ = Unmanaged.passUnretained(self).retain() }
      let swap = state.exchange(old, for: next)
      if swap.exchanged { return old[GroupState.generation] }
      if keep { Unmanaged.passUnretained(self).release() }
      old = swap.original
    }
  }

  final var testsOnly_state: GroupState { state.load() }

  /// How messages name a group: by its name, else its address, with its count.
  final var identity: String { (name.map { "\"\($0)\"" } ?? "0x\(String(address, radix: 16))") + " (\(memberCount) inside)" }
}

// MARK: what follows

// Work to submit when something has ended: a group's generation, or a work item's run.

/// One registered notification.
struct Notification {
  let queue: DispatchQueue
  /// The item.
  let slot: Slot
  /// Which of the group's generations it waits for.
  let generation: UInt64

  func submit() { queue.pushEither(slot) }

  /// It will never be submitted: its closure or work item is released. A C function's argument is its caller's; the C face keeps
  /// a group while members are inside, so none is lost there.
  func destroy() {
    if slot.first == SlotKind.workItem {
      Unmanaged<DispatchWorkItem>.at(UInt(slot.second)).release()
    } else if slot.isClosure {
      _ = slot.work.take()
    }
  }

  /// Generations are 31 bits and wrap: order by distance, with the sign where 32 bits have it.
  func isDue(atEndOf ended: UInt64) -> Bool {
    Int32(truncatingIfNeeded: (ended &- generation) << 1) >= 0
  }
}
