// CReferences.swift: references that C has to a queue. All of them together hold one reference of Swift's, so that most steps are one
// addition to a word, and no call of the runtime.
//
//   retain    0 → 1: a reference of Swift's is taken; else nothing
//   release   1 → 0: it is given back; else nothing
//
// Who retains has the queue by some reference or is called by it (an item of the queue). So at 0 → 1 there is another of Swift's, until that
// step is over: a release that goes to 0 at the same time gives its own back, in either order. Who releases what C does not have, because Swift
// has handed its own reference over, gives back one of Swift's.
public import SignalboxSystem

extension DispatchQueue {
  /// The caller's reference to a new queue becomes C's first.
  package final func referenceIsCs() { references.storeRelaxed(1) }  // relaxed: nobody else knows the queue

  /// C has one reference more. True: the caller takes one of Swift's for it.
  @inlinable @inline(__always) package final func isFirstOfC() -> Bool {
    references.addRelaxed(1) == 0  // relaxed: whoever hands a reference over orders that
  }

  /// C has one reference less. True: the caller gives one of Swift's back.
  @inlinable @inline(__always) package final func isLastOfC() -> Bool {
    var count = references.loadRelaxed()  // relaxed: the swap re-checks
    // Where C has none, the number stays as it is: who retains at the same time is the first then, and takes one of Swift's.
    while count > 0 {
      // seq_cst (acquire-release would do): what anybody did by a reference of C's comes before the queue's end
      let swap = references.casSeqCst(count, count - 1)
      if swap.exchanged { return count == 1 }
      count = swap.original
    }
    return true
  }
}
