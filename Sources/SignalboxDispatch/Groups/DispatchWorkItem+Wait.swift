// DispatchWorkItem+Wait.swift: blocking until a work item has run. The item is DispatchWorkItem.swift, its end WorkItemCompletion.swift (both
// in Queues/).
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension DispatchWorkItem {
  /// Blocks until the item has run once.
  ///
  /// On the main thread, if the item is waiting in the main queue, the program is stopped: nothing could run it.
  public final func wait() { _ = wait(.forever) }

  /// Blocks until the item has run once, or until `timeout`; returns `.success` if it has run.
  public final func wait(timeout: DispatchTime) -> DispatchTimeoutResult { wait(Deadline(timeout.rawValue)) }

  /// Blocks until the item has run once, or until the wall clock reaches `wallTimeout`; returns `.success` if it has run.
  public final func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { wait(Deadline(wallTimeout.rawValue)) }

  package final func wait(_ deadline: Deadline) -> DispatchTimeoutResult {
    if Events.areWanted(.workItemWaitAsked) { Events.tell(.workItemWaitAsked, address, deadline.patience, 0) }
    guard let completion = completionMade() else { return .success }
    return completion.use { $0.wait(deadline, for: self) }
  }
}

extension WorkItemCompletion {
  /// Blocks until the end of `item`'s first run, or `deadline`.
  func wait(_ deadline: Deadline, for item: DispatchWorkItem) -> DispatchTimeoutResult {
    isTouched()
    if isDone { return .success }
    if deadline.hasPassed() { return .timedOut }
    if AdaptiveSpin.wait({ isDone }) { return .success }
    WorkItemWaits.begin(UInt(bitPattern: Unmanaged.passUnretained(item).toOpaque()), isTimed: deadline != .forever)
    defer { WaitRecord.withdraw() }
    return Raising.around({ findWhereabouts(of: item).raise($0) }) { sleepRecorded(deadline, for: item) }
  }

  private func sleepRecorded(_ deadline: Deadline, for item: DispatchWorkItem) -> DispatchTimeoutResult {
    guard deadline == .forever else { return sleep(until: deadline) }
    OwnItems.check(workItem: item)
    if MainThreadHost.isMainThread {
      // Checked again and again: the item may be submitted to the main queue meanwhile.
      var polls = MainThreadWait.Polls()
      while true {
        OwnItems.check(workItem: item)
        if sleep(until: polls.next()) == .success { return .success }
      }
    }
    return sleep(until: deadline)
  }

  private func sleep(until deadline: Deadline) -> DispatchTimeoutResult {
    Blocking.whileBlocked { () -> DispatchTimeoutResult in
      while true {
        // relaxed: before the swap that asks for the flag; a run that takes it off changes this ticket afterwards
        let ticket = gate.loadRelaxed()
        guard ask(CompletionState.waiters) else { return .success }
        let outcome = withUnsafePointer(to: gate) {
          Parking.park($0, expected: ticket, deadline: deadline.parkDeadline())
        }
        if isDone { return .success }
        if outcome == .timedOut, deadline.hasPassed() { return .timedOut }
      }
    }
  }

  /// Where `item` lies or who runs it, for a thread that waits for its end.
  private func findWhereabouts(of item: DispatchWorkItem) -> WorkItemWaits.Finding {
    guard state.moved({ $0.afterFind() }) else { return .nothing }
    // The queue lives: the item that lies there has not run, or its run waits for us in finish().
    let found = WorkItemWaits.find(item)
    state.update { ($0.afterFound(), ()) }
    return found
  }
}
