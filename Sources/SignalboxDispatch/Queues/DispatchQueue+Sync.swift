// DispatchQueue+Sync.swift: running work in a queue's turn, and waiting for its end: the inlined paths. `sync` runs it
// on the caller's thread; `asyncAndWait` there on an idle queue, else on the drainer's. When the queue is not idle,
// DispatchQueue+Wait.swift takes over.
public import SignalboxSystem
import SignalboxWaits
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

// MARK: submit and wait

extension DispatchQueue {
  /// Runs `work` in the queue's turn and returns its result. If another thread is running the queue's items, it runs `work`
  /// too, which saves a thread switch; otherwise the calling thread does.
  @inlinable @inline(__always)
  public final func asyncAndWait<T, E: Error>(execute work: () throws(E) -> T) throws(E) -> T {
    try performOrSubmit(isAlone: isSerial, flags: [], work)
  }

  /// Runs `block` in the queue's turn and returns when it has finished; see the generic form.
  @inlinable @inline(__always)
  public final func asyncAndWait(execute block: () -> Void) {
    performOrSubmit(isAlone: isSerial, flags: []) { () throws(Never) -> Void in block() }
  }

  /// Runs `work` in the queue's turn; with `.barrier`, alone on a concurrent queue. See the form without flags.
  @inlinable @inline(__always)
  public final func asyncAndWait<T, E: Error>(flags: DispatchWorkItemFlags, execute work: () throws(E) -> T) throws(E) -> T {
    try performOrSubmit(isAlone: isSerial || isConcurrent && flags.contains(.barrier), flags: flags, work)
  }

  /// Runs a work item in the queue's turn and returns when it has finished.
  public final func asyncAndWait(execute workItem: DispatchWorkItem) {
    if isWorkloop { return submitAndWait(workItem) }  // as itself: its class decides when it runs
    asyncAndWait(flags: workItem.flags) { () throws(Never) -> Void in workItem.perform() }
  }

  /// On a queue that is idle, or has readers only: as `sync`. The body is called at one place, as there.
  @inlinable @inline(__always)
  final func performOrSubmit<T, E: Error>(
    isAlone: Bool, flags: DispatchWorkItemFlags, _ work: () throws(E) -> T
  ) throws(E) -> T {
    let thread = ThreadSlot.current
    // relaxed: a moment's view; either way takes its turn by a swap
    let isFree = Instruments.areOff && state.hint().rawValue & ~QueueState.width.inPlace == 0 && list.isEmpty
    guard _fastPath(isFree), isAlone ? enterAlone(thread) : enterShared(thread) else { return try submitOrPerform(flags, work) }
    defer { if isAlone { leaveAlone(thread) } else { leaveShared(thread) } }
    return try thread.inside(address, isAlone ? .syncAlone : .syncShared, work)
  }

  @inline(never) @usableFromInline
  final func submitOrPerform<T, E: Error>(_ flags: DispatchWorkItemFlags, _ work: () throws(E) -> T) throws(E) -> T {
    Events.emit(.queueTouched, address)
    let isBarrier = flags.contains(.barrier)
    let word = state.hint()  // relaxed: a moment's view; either way takes its turn by a swap
    let isIdle = list.isEmpty && !word.isOwned && !word.isStopped && word[QueueState.enqueued] == 0
    guard !isIdle || isWorkloop, !isRoot else { return try sync(flags: flags, execute: work) }
    if Events.areWanted(.turnAsked) { turnIsAsked(alone: isBarrier || isSerial) }
    stopIfInsideChain(alone: isBarrier || isSerial)
    _ = isBoundToOtherThread()
    return try resultOfItem(isBarrier: isBarrier, work)
  }
}
