// DispatchQueue+Limits.swift: what keeps a queue from starting further items: it is suspended, or inactive, or as many
// run as its width allows.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

extension DispatchQueue {
  final func suspendSelf() {
    guard canStop else { return }
    Events.emit(.suspended, address)
    let done: Bool? = tryUpdate { state in state.afterSuspend().map { ($0, true) } }
    if done == nil { Misuse.stop("queue \"\(name)\" is suspended more than \(QueueState.suspendCount.mask) times at once") }
    Events.emit(.queueStopped, address)
  }

  final func resumeSelf() {
    guard canStop else { return }
    Events.emit(.resumed, address)
    let recheck: Bool? = tryUpdate { state in state.afterResume().map { ($0.next, $0.recheck) } }
    guard let recheck else {
      Misuse.stop(
        "queue \"\(name)\" is resumed more often than suspended: every resume() needs an earlier suspend(); "
          + "an inactive queue starts with activate()")
    }
    if recheck { recheckAfterStop() }
  }

  final func activateSelf() {
    guard canStop else { return }
    Events.emit(.activated, address)
    Events.emit(.queueTouched, address)
    let recheck: Bool? = tryUpdate { state in state.afterActivate().map { ($0.next, $0.recheck) } }
    if recheck == true { recheckAfterStop() }
  }

  private final func recheckAfterStop() {
    Events.emit(.queueGoesOn, address)
    if !list.isEmpty { wakeIfNeeded() }
  }
}

// MARK: a limited width

// A concurrent queue may run a limited number of items at once, as Swift's own executor asks for.
//
// The owner of the list takes a place before it runs an item beside others. Finding none it goes, and leaves the list
// to whoever gives a place back. A lost item would need both to miss each other:
//
//     owner O   O1 check: no place   O2 release `state`   O3 check the places again, tell the target if one is free
//     holder H  H1 give back        H2 check `state`: take the list (or tell the target) unless somebody owns it
//
// All but O1 are sequentially consistent. If H2 finds O owning, H2 comes before O2, so H1 before O3, which finds the
// place. O1 may miss a place that was given back, and never sees one too many: only owners add, and each knows of those
// before it. Readers that come by `sync` and barriers need no place.

extension DispatchQueue {
  /// Limits how many items run at once; for concurrent queues without items yet. 0 and less: as many as there are processors.
  /// False, without effect, for any other kind of queue.
  @discardableResult
  package final func setWidth(_ width: Int) -> Bool {
    guard isConcurrent else { return false }
    let limit = UInt32(width > 0 ? min(width, Int(Int32.max)) : Tuning.processors)
    widthLimit.storeRelaxed(limit)  // relaxed: before the first item, which orders it
    tellSanitizer(width: limit)
    return true
  }

  /// Takes a place for an item; false when all are taken. The owner of the list alone adds.
  @inline(__always) final func takePlace(_ items: borrowing OwnedList) -> Bool {
    let limit = widthLimit.loadRelaxed()  // relaxed: set before the first item
    if limit == 0 { return true }
    guard widthInUse.loadRelaxed() < limit else { return false }  // relaxed O1: O3 checks again
    _ = widthInUse.addRelaxed(1)  // relaxed: the owner alone adds, and the state's swaps order owners
    return true
  }

  /// The owner has found no place: it goes.
  @inline(never) final func releaseForWantOfPlace(_ items: consuming OwnedList) {
    let wakeSleeper = update { $0.afterRelease() }  // O2
    if wakeSleeper { wakeGate() }
    if widthInUse.loadSeqCst() < widthLimit.loadRelaxed(), !list.isEmpty { wakeIfNeeded() }  // O3
  }

  /// The item has ended: before the caller checks the state.
  @inline(__always) final func givePlace() {
    if widthLimit.loadRelaxed() != 0 { _ = widthInUse.addSeqCst(~0) }  // H1
  }

  /// Like `givePlace()`, when the caller does not take the list again.
  final func givePlaceAndTell() {
    guard widthLimit.loadRelaxed() != 0 else { return }  // relaxed: set before the first item
    givePlace()
    if !list.isEmpty { wakeIfNeeded() }
  }
}
