// WorkItemCompletion.swift: the end of a work item's first run: who waits for it, what follows it. An object of its own, so that
// it can be reported after the item is gone.
//
// Its word is CompletionState.
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxRecorder
import SignalboxSystem

final class WorkItemCompletion: Sendable {
  private let state = AtomicState(CompletionState(rawValue: 0))
  private let gate = Atomic32(0)
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private var notifications: [Notification]?

  var isDone: Bool { state.load().isDone }

  private func touch() {
    if _slowPath(!Instruments.areOff) {
      ExplorerLink.touch(instance: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
    }
  }
  deinit {
    if _slowPath(!Instruments.areOff) { ExplorerLink.gone(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }
  }

  /// The first run of the item that was at `address` has ended; later calls do nothing. The swap releases the block's effects to waits and
  /// notifications.
  func finish(of address: UInt) {
    touch()
    // Whichever run it was: its drain, which holds the queue, goes on after finders have gone. After the end none begins.
    guard let asked = state.tryUpdate({ old in old.afterRun().map { ($0, old) } }) else { return awaitFinders() }
    defer { if asked[CompletionState.finders] != 0 { awaitFinders() } }
    if asked[CompletionState.waiters] != 0 {
      // relaxed: the swap that took the flags off has acquired the one that asked, before which the ticket was read; who is woken
      // reads the state
      _ = gate.addRelaxed(1)
      gate.wake(count: .max)
    }
    guard asked[CompletionState.notifies] != 0 else { return }
    let due = lock.withLock { () -> [Notification] in
      defer { notifications = nil }
      return notifications ?? []
    }
    for notification in due {
      if RecordHooks.isOn { RecordHooks.write(.notified, UInt64(address), notification.second) }
      notification.submit()
    }
  }

  /// A few instructions of other threads.
  private func awaitFinders() {
    var spinner = Spinner()
    while state.load()[CompletionState.finders] != 0 { spinner.wait() }
  }

  /// Where `item` lies or who runs it, for a thread that waits for its end.
  private func findWhereabouts(of item: DispatchWorkItem) -> WorkItemWaits.Finding {
    guard state.moved({ $0.afterFind() }) else { return .nothing }
    // The queue lives: the item that lies there has not run, or its run waits for us in finish().
    let found = WorkItemWaits.find(item)
    state.update { ($0.afterFound(), ()) }
    return found
  }

  /// Submits the item of the two words to `queue` after the end; at once when it has come.
  func notify(_ queue: DispatchQueue, _ first: UInt64, _ second: UInt64) {
    touch()
    let added = lock.withLock { () -> Bool in
      // The flag while locked: the run that takes it off waits for the lock, and finds the record.
      guard ask(CompletionState.notifies) else { return false }
      notifications = (notifications ?? []) + [Notification(queue: queue, first: first, second: second, generation: 0)]
      return true
    }
    if !added { queue.pushEither(first, second) }
  }

  /// Asks for the end; false when it has come.
  private func ask(_ flag: Field) -> Bool { state.moved { $0.afterAsk(flag) } }

  /// Blocks until the end of `item`'s first run, or `deadline`.
  func wait(_ deadline: Deadline, for item: DispatchWorkItem) -> DispatchTimeoutResult {
    touch()
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
}
