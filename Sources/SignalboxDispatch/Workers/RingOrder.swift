// RingOrder.swift: what keeps the items in order that one worker submits, where some lie in its ring and others on a shared list. For pools with
// many workers; with few nothing is kept while the list holds something.
//
//   plain        its shard of the list holds nothing of this worker's that is older than its ring: the ring comes first
//   list first   the list holds older items: it comes first, until it is empty
//
// The next item always goes to the ring. Where it cannot, what lies there goes to the list before it, in order: so what lies on the list is always
// older than what lies in the ring. One bit for each class, since a ring holds items of one.
import SignalboxSystem

struct RingOrder: ~Copyable, Sendable {
  /// The classes whose list comes first, by their places.
  private let listsFirst = Atomic64(0)

  /// Items of that class, or one that the ring could not take, have gone to the list: by the worker, or by a thread that empties its ring.
  // seq_cst, as there is no weaker form: bits come and go by swaps; nothing is read through them
  func goesToList(at place: Int) { if !isListFirst(at: place) { _ = listsFirst.orSeqCst(1 << UInt64(place)) } }

  // relaxed: set by the worker, or, before the ring shows to be empty, by who empties it
  func isListFirst(at place: Int) -> Bool { listsFirst.loadRelaxed() & 1 << UInt64(place) != 0 }

  /// The worker has found its shard of the list empty.
  func listIsEmpty(at place: Int) {
    var old = listsFirst.loadRelaxed()  // relaxed: the swap re-checks
    while old & 1 << UInt64(place) != 0 {
      let swap = listsFirst.casAcqRel(old, old & ~(1 << UInt64(place)))  // acquire-release: as told above
      if swap.exchanged { return }
      old = swap.original
    }
  }
}
