// DispatchQueue+Sync.swift: running work on the caller's thread in the queue's turn: the inlined path. When the queue is not
// idle, DispatchQueue+Wait.swift takes over.
import SignalboxWaits
public import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  /// Runs `work` in the queue's turn and returns its result.
  ///
  /// The calling thread runs it, except for the main queue and queues that target it: their work runs on the main thread.
  /// - Throws: the error that `work` throws, with its type.
  /// - Complexity: two atomic swaps on an idle queue; no allocation and no system call.
  /// - Precondition: the calling code is not an item of this queue, or of a serial queue that targets it. Otherwise the program
  ///   is stopped, because it would hang.
  @inlinable @inline(__always)
  public final func sync<T, E: Error>(execute work: () throws(E) -> T) throws(E) -> T { try performInTurn(work) }

  @inlinable @inline(__always)
  final func performInTurn<T, E: Error>(_ work: () throws(E) -> T) throws(E) -> T {
    try performInTurn(isAlone: isSerial, work)
  }

  /// The body is called at one place, and this is inlined into the caller: what the body captures is then neither retained nor boxed.
  @inlinable @inline(__always)
  final func performInTurn<T, E: Error>(isAlone: Bool, _ work: () throws(E) -> T) throws(E) -> T {
    let thread = ThreadSlot.current
    guard isAlone ? enterAlone(thread) : enterShared(thread) else { return try performElsewhere(work) }
    defer { if isAlone { leaveAlone(thread) } else { leaveShared(thread) } }
    return try thread.inside(address, isAlone ? .syncAlone : .syncShared, work)
  }

  /// Runs `workItem` in the queue's turn; see the generic form.
  @inlinable @inline(__always)
  public final func sync(execute workItem: () -> Void) {
    performInTurn { () throws(Never) -> Void in workItem() }
  }

  /// Runs `work` in the queue's turn; with `.barrier` on a concurrent queue, alone.
  @inlinable @inline(__always)
  public final func sync<T, E: Error>(flags: DispatchWorkItemFlags, execute work: () throws(E) -> T) throws(E) -> T {
    try performInTurn(isAlone: isSerial || isConcurrent && flags.contains(.barrier), work)
  }

  /// Runs a work item in the queue's turn, on the calling thread.
  public final func sync(execute workItem: DispatchWorkItem) {
    sync(flags: workItem.flags) { () throws(Never) -> Void in workItem.perform() }
  }

  // MARK: one swap in, one swap out

  /// Takes the queue to run alone. False: the work must be run by another thread (the main one).
  @inlinable @inline(__always)
  final func enterAlone(_ thread: ThreadPointer) -> Bool {
    let me = thread.pointee.owner
    // acquire: pairs with the swap of the last owner's release; what ran before on this queue is visible.
    if _fastPath(Instruments.areOff && me != 0 && state.word.casAcquire(0, me | QueueState.exclusive.inPlace).exchanged) {
      // An item that this very thread submitted may lie there, seen by nobody yet: it goes first.
      if _fastPath(list.isEmpty) { return true }
      giveUpTurn()
    }
    return enterSlow(alone: true)
  }

  @inlinable @inline(__always)
  final func leaveAlone(_ thread: ThreadPointer) {
    let position = list.head.loadRelaxed()  // relaxed: only we move it, who run alone
    // seq_cst S2: the release comes before the check of `tail`; a pusher that saw us owning is seen here.
    if _fastPath(state.word.casSeqCst(thread.pointee.owner | QueueState.exclusive.inPlace, 0).exchanged) {
      if _fastPath(list.tail.loadSeqCst() == position) { return }
      return serveIfFree()
    }
    leaveAloneSlow()
  }

  /// Takes the queue beside other readers. False: the work must be run by another thread (the main one).
  @inlinable @inline(__always)
  final func enterShared(_ thread: ThreadPointer) -> Bool {
    let old = state.word.loadRelaxed()  // relaxed: the swap re-checks
    // acquire: pairs with the swap of the last owner's release, as in enterAlone.
    if _fastPath(
      Instruments.areOff && old & ~QueueState.width.inPlace == 0 && old != QueueState.width.inPlace && thread.pointee.owner != 0
        && state.word.casAcquire(old, old &+ QueueState.width.one).exchanged)
    {
      if _fastPath(list.isEmpty) { return true }
      leaveSharedSlow()
    }
    return enterSlow(alone: false)
  }

  @inlinable @inline(__always)
  final func leaveShared(_ thread: ThreadPointer) {
    let old = state.word.loadRelaxed()  // relaxed: the swap re-checks
    // Nothing but readers inside: one less. Anything else (a barrier waiting, a nested queue) is the slow way's.
    // release: what the reader has done comes before whoever runs alone next, and acquires. No pusher leaves an item to a reader, so
    // there is nothing to check.
    if _fastPath(old & ~QueueState.width.inPlace == 0 && state.word.casRelease(old, old &- QueueState.width.one).exchanged) {
      return
    }
    leaveSharedSlow()
  }
}
