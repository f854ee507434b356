// WorkItemCompletion.swift: the end of a work item's first run: who asks for it, what follows it. An object of its own,
// so that it can be reported after the item is gone. Its word is CompletionState; waiting is
// DispatchWorkItem+Face.swift (Groups/).
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

final class WorkItemCompletion: Sendable {
  let state = AtomicState(CompletionState(rawValue: 0))
  /// A ticket for who sleeps until the end: the run that takes their flag off changes it.
  let gate = Atomic32(0)
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private var notifications: [Notification]?

  var isDone: Bool { state.load().isDone }

  func isTouched() { Events.emit(.touched, UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }
  deinit {
    Events.emit(.gone, UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), UInt64(WaitKind.workItem.rawValue))
  }

  /// The first run of the item that was at `address` has ended; later calls do nothing. The swap releases the block's effects to waits and
  /// notifications.
  func finish(of address: UInt) {
    isTouched()
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
      Events.emit(.notified, address, notification.slot.second)
      notification.submit()
    }
  }

  /// A few instructions of other threads.
  private func awaitFinders() {
    var spinner = Spinner()
    while state.load()[CompletionState.finders] != 0 { spinner.wait() }
  }

  /// Submits the item of the two words to `queue` after the end; at once when it has come.
  func notify(_ queue: DispatchQueue, _ slot: Slot) {
    isTouched()
    let added = lock.withLock { () -> Bool in
      // The flag while locked: the run that takes it off waits for the lock, and finds the record.
      guard ask(CompletionState.notifies) else { return false }
      notifications = (notifications ?? []) + [Notification(queue: queue, slot: slot, generation: 0)]
      return true
    }
    if !added { queue.pushEither(slot) }
  }

  /// Asks for the end; false when it has come.
  func ask(_ flag: Field) -> Bool { state.moved { $0.afterAsk(flag) } }
}
