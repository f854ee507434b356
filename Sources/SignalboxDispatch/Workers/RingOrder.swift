// RingOrder.swift: what keeps the items in order that one worker submits, where some lie in its ring and others on a shared list. For pools with
// many workers; with few nothing is kept while the list holds something.
//
//   plain        its shard of the list holds nothing of this worker's that is older than its ring: the ring comes first
//   list first   the list holds older items: it comes first, until it is empty
//
// The next item always goes to the ring. Where it cannot, what lies there goes to the list before it, in order: so what lies on the list is always
// older than what lies in the ring. One bit for each class, since a ring holds items of one.
import SignalboxSystem
import SignalboxWords

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
