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
    // seq_cst (acquire-release would do): what anybody did by a reference of C's comes before the queue's end
    let before = references.addSeqCst(~0)
    return before == 1 || _slowPath(before == 0) && undoRelease()
  }

  @usableFromInline final func undoRelease() -> Bool {
    _ = references.addRelaxed(1)  // relaxed: a number alone
    return true
  }
}
