// DispatchQueue+AsyncAndWait.swift: submit and wait: on an idle queue on the caller's thread, else on the drainer's.
import SignalboxWaits
public import SignalboxSystem
import SignalboxWords

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
