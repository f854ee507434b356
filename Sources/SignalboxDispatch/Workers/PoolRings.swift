// PoolRings.swift: when a worker keeps an item for itself, when others take it from there, and what keeps a worker's
// submissions in order. The ring is OwnRing.swift; README.md, "Own rings".
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

// MARK: what keeps submissions in order

// Some of the items that one worker submits may lie in its ring and others on a shared list. For pools with many
// workers; with few nothing is kept while the list holds something.
//
//   plain        its shard of the list holds nothing of this worker's that is older than its ring: the ring comes first
//   list first   the list holds older items: it comes first, until it is empty
//
// The next item always goes to the ring. Where it cannot, what lies there goes to the list before it, in order: so what
// lies on the list is always older than what lies in the ring. One bit for each class, since a ring holds items of one.

struct RingOrder: ~Copyable, Sendable {
  /// The classes whose list comes first, by their bits.
  private let listsFirst = Atomic64(0)

  /// Items of that class, or one that the ring could not take, have gone to the list: by the worker, or by a thread that empties its ring.
  // seq_cst, as there is no weaker form: bits come and go by swaps; nothing is read through them
  func goesToList(_ serviceClass: ServiceClass) {
    if !isListFirst(serviceClass) { _ = listsFirst.orSeqCst(Self.bit(serviceClass)) }
  }

  // relaxed: set by the worker, or, before the ring shows to be empty, by who empties it
  func isListFirst(_ serviceClass: ServiceClass) -> Bool { listsFirst.loadRelaxed() & Self.bit(serviceClass) != 0 }

  /// The worker has found its shard of the list empty.
  func listIsEmpty(_ serviceClass: ServiceClass) {
    var old = listsFirst.loadRelaxed()  // relaxed: the swap re-checks
    while old & Self.bit(serviceClass) != 0 {
      let swap = listsFirst.casAcqRel(old, old & ~Self.bit(serviceClass))  // acquire-release: as told above
      if swap.exchanged { return }
      old = swap.original
    }
  }

  private static func bit(_ serviceClass: ServiceClass) -> UInt64 { 1 << UInt64(serviceClass.rawValue) }
}
