// Operation+Run.swift: from start to what follows from being finished, and the priority that a thread has meanwhile.
// Which operation is due is the queue's: OperationQueue+Runners.swift.
import Foundation
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

extension Operation {
  /// `start()` of the base class.
  final func startBase() {
    passPoint(.operationStartAsked, self)
    let before = state
    let isDue = OperationFrame.innermost?.pointee.isRunner(of: self) ?? false
    let tells = before.isObserved && before.afterStart(isDue: isDue).action == .runMain
    if tells { announce(.isExecuting) }
    let action = update { $0.afterStart(isDue: isDue) }
    if tells { tell(.isExecuting) }
    switch action {
    case .runMain:
      runMain()
      finishBase(wasRun: true)
    case .finishUnrun: finishBase(wasRun: false)
    case .alreadyFinished: break
    case .refuseExecuting:
      Misuse.stop("\(title) is started while it executes: start an operation once, or let a queue do it")
    case .refuseNotReady:
      Misuse.stop("\(title) is started before it is ready: wait for its dependencies, or let a queue start it")
    }
  }

  private final func runMain() {
    if let frame = OperationFrame.innermost, frame.pointee.isRunner(of: self) {
      frame.pointee.isInMain = true
      callMain()
      frame.pointee.isInMain = false
      return
    }
    _ = OperationFrame.endIsNoticed
    OperationFrame.inside(self, of: OperationFrame.innermost?.pointee.queue) { frame in
      frame.pointee.isInMain = true
      runner.storeRelaxed(ThreadSlot.owner())  // relaxed: for reports, and for this thread itself
      guard Events.areWanted(.operationBegan) else { return callMain() }
      OperationEvents.run(self, of: nil) { callMain() }
    }
  }

  private final func callMain() {
    guard state[OperationState.prioritized] == 1 else { return main() }
    OperationPriority.with(ifExtras { $0.threadPriority } ?? 0.5) { main() }
  }

  /// After `main()`, or in its place: finished, unless the subclass has said so already.
  final func finishBase(wasRun: Bool) {
    let tells = state.isObserved
    if tells {
      if wasRun { announce(.isExecuting) }
      announce(.isFinished)
    }
    let isFirst = moved { $0.afterFinish() }
    if tells {
      if wasRun { tell(.isExecuting) }
      tell(.isFinished)
    }
    if isFirst { settle(contributes: wasRun) }
  }

  /// A subclass says that it is finished. The observers have been called by then.
  final func finishFromOutside() {
    if moved({ $0.afterFinish() }) { settle(contributes: false) }
  }

  /// What follows from being finished, once: dependents, the queue, sleeping threads, the completion block; in this order.
  private final func settle(contributes: Bool) {
    let me = ThreadSlot.owner()
    if Events.areWanted(.operationFinished) { OperationEvents.finished(self) }
    runner.storeRelaxed(me)  // relaxed: only this thread itself relies on it (waitBase)
    // The runner that started it searches for the next one itself.
    let frame = OperationFrame.innermost.flatMap { $0.pointee.isRunner(of: self) ? $0 : nil }
    frame?.pointee.isSettling = true
    defer { frame?.pointee.isSettling = false }
    let state = state
    if state[OperationState.dependents] == 1 { tellDependents() }
    let keeper = state.isQueued ? leaveQueue(contributes: contributes) : nil
    let (wakes, hasCompletion) = update { state in
      let (next, wake) = state.afterSettled()
      return (next, (wake, state[OperationState.completes] == 1))
    }
    if wakes {
      // seq_cst O3 (a release would do): after the settled state; pairs with O4 in Waits/OperationWaits.swift.
      _ = gate.addSeqCst(1)
      gate.wake(count: .max)
    }
    if hasCompletion { submitCompletionBlock() }
    if state.isQueued, state[OperationState.unmet] != 0 { passDependencies() }
    keeper?.release()
  }

  /// Out of the queue; returns the reference that the queue had.
  private final func leaveQueue(contributes: Bool) -> Unmanaged<Operation>? {
    // The queue is alive: it keeps itself while it has operations, and this is one. Once this has left it another may be the last, so it is kept.
    guard let queue = queueReference?.kept else { return nil }
    if contributes { queue.countsProgress() }
    return queue.leave(self)
  }

  private final func submitCompletionBlock() {
    let block = ifExtras { extras in
      defer { extras.completionBlock = nil }
      return extras.completionBlock
    }
    if let block { DispatchQueue.global().async(execute: block) }
  }

  final func setCompletionBlock(_ block: (@Sendable () -> Void)?) {
    passPoint(.operationSet, self)
    if block == nil && lock.withLock({ extras == nil }) { return }
    let old = withExtras { extras -> (@Sendable () -> Void)? in
      defer { extras.completionBlock = block }
      return extras.completionBlock
    }
    _ = consume old  // destroyed outside the lock
    // Either the swap that settles the state finds the bit, or the operation was settled by then.
    if block != nil { set(OperationState.completes, 1) }
  }

  // MARK: cancelling

  final func cancelBase() {
    passPoint(.operationCancelAsked, self)
    let before = state
    let expected = before.afterCancel().action
    let tells = before.isObserved && expected != .nothing
    if tells {
      announce(.isCancelled)
      if expected == .cancelledAndReady { announce(.isReady) }
    }
    let action = update { $0.afterCancel() }
    if tells {
      if expected == .cancelledAndReady { tell(.isReady) }
      tell(.isCancelled)
    }
    guard action != .nothing else { return }
    Events.emit(.operationCancelled, OperationEvents.address(self))
    offerToQueue()
  }

  // MARK: the queue

  @inline(__always) final var queueReference: Lent<OperationQueue>? {
    let bits = queueBits.loadAcquire()  // acquire O5: pairs with the release O6 in `admit` (OperationQueue+Adding.swift)
    return bits == 0 ? nil : Lent(at: bits)
  }

  /// Calls `body` with the queue it is in, if it is in one. The queue lives as long as the call.
  final func withQueue(_ body: (OperationQueue) -> Void) {
    guard queueBits.loadRelaxed() != 0 else { return }  // relaxed: asked again under the lock
    if let queue = lock.withLock({ queueReference?.kept }) { body(queue) }
  }

  /// Whether it is ready, and its queue may not know yet. One that waits for nothing and is not ready its queue takes a note of.
  final func isToBeOffered() -> Bool {
    let state = state
    guard state.isQueued, !state.isListed, state.isWaiting else { return false }
    if isReady { return true }
    if state.isReady { withQueue { $0.noteReluctant(self) } }
    return false
  }

  /// It may have become ready: if it has, its queue is to know.
  final func offerToQueue() {
    guard isToBeOffered() else { return }
    withQueue { queue in withUnsafePointer(to: Lent(self)) { queue.offer(.init(start: $0, count: 1)) } }
  }

  final func setPriority(_ level: UInt64) {
    passPoint(.operationSet, self)
    set(OperationState.priority, level)
    withQueue { $0.reorder(self) }
  }
}

// MARK: the priority that a thread has while it runs a `main()`, and its own again afterwards

enum OperationPriority {
  /// Calls `body` with the thread's niceness at what `priority`, from 0 to 1, stands for; as far as the kernel permits.
  static func with(_ priority: Double, _ body: () -> Void) {
    let thread = ThreadSlot.kernelID()
    let wanted = Thread.niceness(of: priority)
    guard let before = Threads.niceness(ofThread: thread), before != wanted else { return body() }
    guard before > wanted || mayGoBack(thread, before) else { return body() }
    try? Threads.setNiceness(wanted, ofThread: thread)  // refused: as it was
    body()
    try? Threads.setNiceness(before, ofThread: thread)
  }

  /// Whether a niceness can be made less again, asked by doing it: a thread of the pool must not be left behind the others forever.
  private static func mayGoBack(_ thread: Int32, _ niceness: Int) -> Bool {
    do {
      try Threads.setNiceness(niceness - 1, ofThread: thread)
    } catch { return false }
    try? Threads.setNiceness(niceness, ofThread: thread)  // more is never refused
    return true
  }
}
