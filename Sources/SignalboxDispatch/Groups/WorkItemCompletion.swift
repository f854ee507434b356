// WorkItemCompletion.swift: the end of a work item's first run: who waits for it, what follows it. An object of its own, so that
// it can be told of after the item is gone.
//
//   word bit 0 has run   bit 1 threads wait   bit 2 notifications wait
// Bits 1 and 2 are set only while bit 0 is clear; the run that sets bit 0 takes them off in the same swap.
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

final class WorkItemCompletion: Sendable {
  private let word = Atomic32(0)
  private let gate = Atomic32(0)
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private var notifications: [Notification]?

  private static let done: UInt32 = 1, waiters: UInt32 = 2, notifies: UInt32 = 4

  var isDone: Bool { word.loadAcquire() & Self.done != 0 }

  /// The first run has ended; later calls do nothing.
  func finish() {
    var old = word.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      if old & Self.done != 0 { return }
      // release K1: the block's effects are visible to waits and notifications; pairs with K2.
      let swap = word.casAcqRel(old, Self.done)
      if swap.exchanged { break }
      old = swap.original
    }
    if old & Self.waiters != 0 {
      _ = gate.addSeqCst(1)
      gate.wake(count: .max)
    }
    guard old & Self.notifies != 0 else { return }
    let due = lock.withLock { () -> [Notification] in
      defer { notifications = nil }
      return notifications ?? []
    }
    for notification in due { notification.submit() }
  }

  /// Submits the item of the two words to `queue` after the end; at once when it has come.
  func notify(_ queue: DispatchQueue, _ first: UInt64, _ second: UInt64) {
    let added = lock.withLock { () -> Bool in
      // The flag while locked: the run that takes it off waits for the lock, and finds the record.
      guard ask(Self.notifies) else { return false }
      notifications = (notifications ?? []) + [Notification(queue: queue, first: first, second: second, generation: 0)]
      return true
    }
    if !added { queue.push(first, second) }
  }

  /// Asks for the end; false when it has come.
  private func ask(_ bit: UInt32) -> Bool {
    var old = word.loadAcquire()  // acquire K2: pairs with K1
    while true {
      if old & Self.done != 0 { return false }
      let swap = word.casAcqRel(old, old | bit)
      if swap.exchanged { return true }
      old = swap.original
    }
  }

  /// Blocks until the end of `item`'s first run, or `deadline`.
  func wait(_ deadline: Deadline, for item: DispatchWorkItem) -> DispatchTimeoutResult {
    if isDone { return .success }
    if deadline.hasPassed() { return .timedOut }
    if AdaptiveSpin.wait({ isDone }) { return .success }
    WorkItemWaits.begin(UInt(bitPattern: Unmanaged.passUnretained(item).toOpaque()), isTimed: deadline != .forever)
    defer { WaitRecord.withdraw() }
    guard deadline == .forever else { return sleep(until: deadline) }
    OwnItems.check(workItem: item)
    if MainThreadHost.isMainThread {
      // Looked at again and again: the item may be submitted to the main queue meanwhile.
      var looks = MainThreadWait.Polls()
      while true {
        OwnItems.check(workItem: item)
        if sleep(until: looks.next()) == .success { return .success }
      }
    }
    return sleep(until: deadline)
  }

  private func sleep(until deadline: Deadline) -> DispatchTimeoutResult {
    Blocking.whileBlocked { () -> DispatchTimeoutResult in
      while true {
        let ticket = gate.loadAcquire()
        guard ask(Self.waiters) else { return .success }
        let outcome = withUnsafePointer(to: gate) {
          Parking.park($0, expected: ticket, deadline: deadline.parkDeadline())
        }
        if isDone { return .success }
        if outcome == .timedOut, deadline.hasPassed() { return .timedOut }
      }
    }
  }
}
