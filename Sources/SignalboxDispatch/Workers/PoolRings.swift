// PoolRings.swift: when a worker keeps an item for itself, and when others take it from there. The ring is OwnRing.swift; README.md, "Own
// rings". What keeps a worker's submissions in order is RingOrder.swift.
import SignalboxSystem
import SignalboxWords

extension Pool {
  /// Puts an item into the calling worker's ring, if it may keep it. False: it goes to the shared lists.
  ///
  /// On few processors it may while nothing of the item's class waits on those: so items begin in the order of their submission. On many it
  /// may always, but for what keeps its own submissions in order (RingOrder).
  ///
  /// While somebody observes (an explorer, a recorder, figures) all items go to the shared lists. So do helpers of a parallel apply, which
  /// are made for others.
  @inline(__always) func keeps(_ one: Slot, of serviceClass: ServiceClass, for worker: Worker) -> Bool {
    guard usesRings, worker.isOf(self), classes.contains(serviceClass) else { return false }
    guard one.first != SlotKind.helper, Instruments.areOff else { return false }
    if isWide { return keepsInOrder(one, of: serviceClass, worker) }
    guard lists.isEmpty(.items, of: serviceClass), lists.isEmpty(.turns, of: serviceClass) else { return false }
    return worker.ring.put(one, of: serviceClass)
  }

  @inline(never) private func keepsInOrder(_ one: Slot, of serviceClass: ServiceClass, _ worker: Worker) -> Bool {
    if worker.ring.put(one, of: serviceClass) { return true }
    // It is full, or holds items of another class.
    if worker.ring.serviceClass == serviceClass { shareRing(of: worker) }
    worker.order.goesToList(serviceClass)
    return false
  }

  /// Items of lower bands may be asked for by others, who search the lists alone (RaisedRoots.swift).
  var usesRings: Bool { band == .normal && !isPrivate }

  /// An item lies in a ring, and somebody without work is to take it.
  // seq_cst, both: after the item; pairs with the check by a worker that goes to sleep (ringsAreToBeServed)
  @inline(__always) func ringHoldsWork() { if ringsHoldWork.loadSeqCst() == 0 { ringsHoldWork.storeSeqCst(1) } }

  /// Whether a ring holds what a worker without work is to take.
  ///
  /// Who finds none takes the mark off and checks again: an item that is put in by then is found, and who puts one in later sets the mark
  /// again and finds the worker gone to sleep.
  var ringsAreToBeServed: Bool {
    // seq_cst, all: in one order with the marks, and after the caller's swap of the pool's word
    if _fastPath(ringsHoldWork.loadSeqCst() == 0) { return false }
    if isAnyRingFilled { return true }
    ringsHoldWork.storeSeqCst(0)  // seq_cst: as above
    guard isAnyRingFilled else { return false }
    ringsHoldWork.storeSeqCst(1)  // seq_cst: as above
    return true
  }
  private var isAnyRingFilled: Bool { rings.first(from: 0) { !$0.isEmpty } }

  /// Takes from the ring of another worker: the older half. The first is the thief's next job, the others go to its own ring.
  func stealItems(for thief: Worker) -> PoolJob? {
    // relaxed: a hint; a worker that goes to sleep checks again (ringsAreToBeServed)
    if _fastPath(ringsHoldWork.loadRelaxed() == 0) { return nil }
    var job: PoolJob?
    let isCrowded = isCrowded
    _ = rings.first(from: thief.nextVictim()) { ring in
      guard ring !== thief.ring, !ring.isEmpty else { return false }
      // As with lists: one worker too many, which has run a serial queue, adds no thread to those that compute. The ring's own comes to it.
      if isCrowded, case let serviceClass = ring.serviceClass, !hasRoom(for: serviceClass, after: thief.servedClass),
        !useAllowance(of: serviceClass)
      {
        return false
      }
      let haul = ring.take(atMost: OwnRing.most) { one, serviceClass in
        // Full, or of another class.
        if !thief.ring.put(one, of: serviceClass) { lists.shard(.items, of: serviceClass, for: thief).append(one) }
      }
      job = haul.map { PoolJob($0.one, root: rootAddress(of: $0.serviceClass)) }
      return job != nil
    }
    return job
  }
}
