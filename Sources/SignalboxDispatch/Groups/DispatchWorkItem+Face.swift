// DispatchWorkItem+Face.swift: what programs do with a work item beside submitting it: waiting until it has run, a
// later time, print. The item is DispatchWorkItem.swift, its end WorkItemCompletion.swift (both in Queues/).
import SignalboxSystem
import SignalboxWaits
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

// MARK: at a later time

// Closures: DispatchQueue+After.swift.

extension DispatchQueue {
  /// Submits a work item when `deadline` has passed.
  public final func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {
    asyncAfter(raw: deadline.rawValue, execute)
  }

  /// Submits a work item when the wall clock reaches `wallDeadline`.
  public final func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {
    asyncAfter(raw: wallDeadline.rawValue, execute)
  }

  /// Submits a work item at a raw time.
  package final func asyncAfter(raw: dispatch_time_t, _ workItem: DispatchWorkItem) {
    after(raw, .workItem(Unmanaged.passRetained(workItem).toOpaque())) {
      Unmanaged.passUnretained(workItem).release()
    }
  }
}

// MARK: what `print` and reports show

// The form is ObjectText's.

extension DispatchWorkItem: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of item, its address and its current state: `<DispatchWorkItem 0x… submitted>`.
  ///
  /// ```swift
  /// let item = DispatchWorkItem { print("uploaded") }
  /// print(item)  // <DispatchWorkItem 0x… not submitted>
  /// ```
  ///
  /// - Note: Thread safety: any thread. Meant for people: the wording may change.
  public final var description: String {
    ObjectText.plain("DispatchWorkItem", nil, UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), facts)
  }

  /// The same as `description`.
  ///
  /// ```swift
  /// let item = DispatchWorkItem { print("uploaded") }
  /// item.perform()
  /// debugPrint(item)  // <DispatchWorkItem 0x… has run>
  /// ```
  public final var debugDescription: String { description }

  private final var facts: [String] { (hasEnded ? ["has run"] : [place]) + (isCancelled ? ["cancelled"] : []) }

  private final var place: String {
    switch Whereabouts(rawValue: whereabouts.loadRelaxed()).place {  // relaxed: for people
    case .notSubmitted: "not submitted"
    case .thread(let owner): "runs on \(ObjectText.thread(owner))"
    case .unclear: "submitted more than once, or just over"
    case .queue: "submitted"
    }
  }
}
