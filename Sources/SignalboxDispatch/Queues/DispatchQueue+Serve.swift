// DispatchQueue+Serve.swift: what an owner that will not run the items itself does with the list: hands turns to sleeping
// threads, or leaves the rest to the target. Running items is DispatchQueue+Drain.swift.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  /// Takes the list if nobody is bound to check it, and serves it. Called after joining the list and after leaving.
  @inline(never) @usableFromInline
  final func serveIfFree() {
    let me = ThreadSlot.owner()
    // Only a drainer holds the target's turn too.
    guard let items = takeOver(alone: isSerial, unless: { isNested($0) }, me) else { return wakeIfNeeded() }
    serveAndLeave(items)
  }

  /// The caller goes, and leaves the list to others. It keeps the queue alive.
  final func serveAndLeave(_ items: consuming OwnedList) {
    serve(items)
    KnownMembers.isLeft(self)
  }

  /// Takes the list without having been enqueued; nil when somebody else is bound to check, or `isWrong`.
  @inline(__always)
  final func takeOver(alone: Bool, unless isWrong: (QueueState) -> Bool = { _ in false }, _ me: UInt64) -> OwnedList? {
    let isTaken: Bool? = tryUpdate { state in
      isWrong(state) ? nil : state.afterTakeOver(me, alone: alone).map { ($0, true) }
    }
    return isTaken == true ? OwnedList(owned: listWords) : nil
  }

  /// What the calling thread has by a turn of its own: its sync that ends, or a drain's that its end has cut short. SAFETY: the state's
  /// owner is this thread.
  @inline(__always) final func itemsOfOwnTurn() -> OwnedList { OwnedList(owned: listWords) }

  /// The caller runs none of the list. Returns when it owns it no more.
  final func serve(_ items: consuming OwnedList) {
    while true {
      // relaxed: a stop that comes later is seen before the next item
      let first = state.hint().isStopped ? 0 : items.first()
      if first == 0 { return releaseAndRecheck(items) }
      guard first == SlotKind.waiter, !hasNestedTarget else { return requeue(items) }
      guard let still = grantFirstWaiter(items) else { return }
      items = still
    }
  }

  /// The first item is a waiter: lets it run, if it may. Root-level queues only. nil: the list is another's now, or nobody's.
  final func grantFirstWaiter(_ items: consuming OwnedList) -> OwnedList? {
    let waiter = SyncWaiter.at(items.secondOfFirst())
    let owner = waiter.pointee.owner
    if isConcurrent {
      guard waiter.pointee.isAlone else { return grantShared(items, waiter) }
      guard let alone = waitForReaders(items) else { return nil }
      items = alone
    }
    _ = items.removeFirst()
    let others = takeWaitersForGate(items)
    items.rewind()
    set { $0.afterHandOff(to: owner) }
    SyncWaiter.grant(waiter, self)
    SyncWaiter.sendToGate(others)
    return nil
  }

  /// The waiters right behind the first need no order among themselves: at the gate they may barge, which is many times quicker
  /// than passing the queue from sleeper to sleeper, and what stood before them in the list has run. Serial queues only. Takes them off
  /// the list, as a chain, before any is answered: one that came back while others still lie there would join the list again, and an
  /// owner that stands behind it on its processor would never come to the end.
  final func takeWaitersForGate(_ items: borrowing OwnedList) -> UInt64 {
    guard isSerial else { return 0 }
    var (first, last): (UInt64, UInt64) = (0, 0)
    while items.first() == SlotKind.waiter {
      let next = items.removeFirst()
      if last == 0 { first = next } else { SyncWaiter.at(last).pointee.next.store(next) }
      last = next
    }
    return first
  }

  private final func grantShared(_ items: consuming OwnedList, _ waiter: UnsafePointer<SyncWaiter>) -> OwnedList? {
    if state.hint().isFull {  // relaxed: while the list is owned readers only leave
      guard let alone = waitForReaders(items) else { return nil }
      items = alone
      set { $0.afterBarrierRan() }  // the readers left just now
    }
    _ = items.removeFirst()
    set { $0.afterGrantShared() }
    SyncWaiter.grant(waiter, self)
    return items
  }

  /// A barrier heads the list. The list again if no reader is left: the owner is alone now. nil: the last reader will check.
  final func waitForReaders(_ items: consuming OwnedList) -> OwnedList? {
    if update({ $0.afterBarrierReached() }) == .run { return items }
    // From now on nobody gets in. Whoever is inside and waits for something may never come out.
    Diagnosis.above?.isClosed(address)
    return nil
  }

  // MARK: going

  /// The owner goes, and checks once more: what was added while it owned, nobody else has noticed.
  final func releaseAndRecheck(_ items: consuming OwnedList) {
    items.rewind()
    if handToInsistent() { return }
    let wakeSleeper = update { $0.afterRelease() }
    if wakeSleeper { wakeGate() }
    if !list.isEmpty { wakeIfNeeded() }
  }

  /// The sleeper's bit came off with the owner: one sleeper at the gate checks for itself, and so does one that began to insist
  /// after the owner had checked for its record.
  final func wakeGate() {
    openGate(count: 1)
    let bits = insistent.exchangeAcqRel(0)  // acquire: the record is whole; pairs with the release in insist()
    if bits != 0 { SyncWaiter.sendAgain(SyncWaiter.at(bits)) }
  }

  /// A thread whose patience at the gate has run out gets the queue from the owner that goes. True: it has.
  private final func handToInsistent() -> Bool {
    // relaxed: who leaves a record that is not seen here sets the sleeper's bit after it, and then waits: the release takes that off,
    // and wakeGate() answers.
    guard isSerial, insistent.loadRelaxed() != 0 else { return false }
    let bits = insistent.exchangeAcqRel(0)  // acquire: the record is whole; pairs with the release in insist()
    guard bits != 0 else { return false }
    let waiter = SyncWaiter.at(bits)
    if state.hint().isStopped {  // relaxed: a stop that comes later lets this thread in first
      SyncWaiter.sendAgain(waiter)
      return false
    }
    let owner = waiter.pointee.owner
    set { $0.afterHandOff(to: owner) }
    SyncWaiter.grant(waiter, self)
    return true
  }

  /// The owner goes and leaves the rest to the target.
  final func requeue(_ items: consuming OwnedList) {
    if handToInsistent() { return }
    let (tell, wakeSleeper) = update { state in
      let (next, tell, wakeSleeper) = state.afterRequeue()
      return (next, (tell, wakeSleeper))
    }
    if wakeSleeper { wakeGate() }
    if tell { return tellTarget(.later) }
    // Stopped meanwhile: whoever starts the queue again checks, unless it did so before we let go.
    wakeIfNeeded()
  }

  /// Tells the target that items are pending, unless somebody is bound to check.
  @inline(never)
  final func wakeIfNeeded() {
    guard !isRoot else { return Pools.serving(self).use { $0.workArrived(class: serviceClass) } }
    if list.isEmpty { return }
    let told: Bool? = tryUpdate { state in state.afterPush().map { ($0, true) } }
    if told == true { tellTarget(.soon) }
  }

  /// Whether the thread that now puts a queue on its target's list is likely to get to it next.
  enum Urgency { case soon, later }

  /// We have just become enqueued: puts us on the target's list.
  final func tellTarget(_ urgency: Urgency) {
    keepForTarget()
    tellTargetKept(urgency)
  }

  /// Takes the reference that goes with a place on the target's list. The main queue lives forever, and lies on none.
  @inline(__always) final func keepForTarget() { if !isShared { _ = Unmanaged.passUnretained(self).retain() } }

  /// Puts us on the target's list, with the reference that `keepForTarget` has taken: with that it is given away, and nothing here is
  /// touched afterwards. The target, should it have become enqueued by that, is put on its own target's list, and so on.
  final func tellTargetKept(_ urgency: Urgency) {
    var queue = Lent<DispatchQueue>(self)
    var urgency = urgency
    while let target = queue.use({ $0.notifyOfItems(urgency) }) { (queue, urgency) = (target, .soon) }
  }

  /// One level of it; returns the target if that is to be put on a list next.
  final func lieOnTarget(_ urgency: Urgency) -> Lent<DispatchQueue>? {
    guard isLegacy else { return lie(on: ownTarget, urgency) }
    let target = heldOwnTarget()
    defer { target.letGo() }
    return lie(on: target.queue, urgency)
  }

  private final func lie(on target: Lent<DispatchQueue>, _ urgency: Urgency) -> Lent<DispatchQueue>? {
    target.use { queue in
      if queue.isRoot {
        let serviceClass = servingClass(on: queue, isNew: urgency == .soon)
        Pools.serving(serviceClass).use { $0.submit(self, as: serviceClass, urgency) }
        return nil
      }
      let claimed = queue.list.claim()
      return queue.fill(claimed, .turn(UInt64(address))) ? target : nil
    }
  }

  /// Whether the target is itself a queue with turns, so that a turn here is not enough to run. For whoever has a turn here.
  final var hasNestedTarget: Bool { isNested(state.hint()) }  // relaxed: changes with the target

  /// What the word says of the same. A workloop, which always has the bit, lies on a global queue.
  private final func isNested(_ state: QueueState) -> Bool {
    state[QueueState.complex] == 1 && !isRoot && !isWorkloop
  }

  /// Stops the program if the queue at the end of the targets, this one perhaps, belongs to the calling thread. Whether that queue's
  /// items run on one thread only.
  final func isBoundToOtherThread() -> Bool {
    firstInChain { queue -> Bool? in
      guard queue.isThreadBound else { return nil }
      stopIfThread(of: queue)
      return true
    } ?? false
  }
}
