// DispatchWorkItem.swift: a piece of work as an object: to be run, waited for, cancelled, followed by another.
//
//   word bit 0 cancelled   bit 1 has run   bit 2 threads wait   bit 3 notifications wait
// Bits 2 and 3 are set only while bit 1 is clear; the run that sets bit 1 takes them off in the same swap.
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

/// A closure with an identity. Meant to run once: waits and notifications end with its first run.
///
/// Thread safety: every method may be called from any thread.
public class DispatchWorkItem: @unchecked Sendable {
  // SAFETY of @unchecked: the block never changes; the rest is atomic or behind the list's lock.
  private final let block: () -> Void
  package final let flags: DispatchWorkItemFlags
  package final let qos: DispatchQoS
  private final let word = Atomic64(0)
  private final let gate = Atomic32(0)
  private final let listLock = UnfairLock()
  // SAFETY: guarded by `listLock`.
  nonisolated(unsafe) private final var notifications: [Notification]?

  private static let cancelled: UInt64 = 1, done: UInt64 = 2, waiters: UInt64 = 4, notifies: UInt64 = 8

  /// Creates the item; nothing runs yet.
  public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], block: @escaping () -> Void) {
    self.block = block
    self.flags = flags
    self.qos = qos
  }

  final var isBarrier: Bool { flags.contains(.barrier) }

  /// Runs the block on the calling thread, now, unless the item is cancelled.
  public final func perform() { performOnQueue() }

  /// Keeps a run that has not begun from running the block; one under way is not disturbed.
  public final func cancel() { set(Self.cancelled) }

  /// Whether `cancel()` was called.
  public final var isCancelled: Bool { word.loadAcquire() & Self.cancelled != 0 }

  private final func set(_ bits: UInt64) {
    var old = word.loadRelaxed()
    while old & bits != bits {
      let swap = word.casAcqRel(old, old | bits)
      if swap.exchanged { return }
      old = swap.original
    }
  }

  final func performOnQueue() {
    if !Instruments.areOff {
      InstrumentHooks.pass(.workItemPerform, object: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
    }
    if word.loadAcquire() & Self.cancelled == 0 { block() }
    finish()
  }

  private final func finish() {
    var old = word.loadRelaxed()
    while true {
      if old & Self.done != 0 { return }
      // release K1: the block's effects are visible to waits and notifications; pairs with K2.
      let swap = word.casAcqRel(old, (old | Self.done) & ~(Self.waiters | Self.notifies))
      if swap.exchanged { break }
      old = swap.original
    }
    if old & Self.waiters != 0 {
      _ = gate.addSeqCst(1)
      withUnsafePointer(to: gate) { _ = Parking.wake($0, count: .max) }
    }
    guard old & Self.notifies != 0 else { return }
    let due = listLock.withLock { () -> [Notification] in
      defer { notifications = nil }
      return notifications ?? []
    }
    for notification in due { notification.submit() }
  }

  // MARK: notifications

  /// Submits `execute` to `queue` once the item has run, or been passed over as cancelled; at once when it already has.
  public final func notify(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
    execute: @escaping @Sendable () -> Void
  ) {
    if flags.contains(.barrier) {
      return notify(queue: queue, execute: DispatchWorkItem(qos: qos, flags: flags, block: execute))
    }
    let words = RawWork(taking: execute)
    register(queue, words.function, words.context)
  }

  /// Submits `execute` to `queue` once this item has run; at once when it already has.
  public final func notify(queue: DispatchQueue, execute: DispatchWorkItem) {
    register(queue, SlotKind.workItem, UInt64(UInt(bitPattern: Unmanaged.passRetained(execute).toOpaque())))
  }

  private final func register(_ queue: DispatchQueue, _ first: UInt64, _ second: UInt64) {
    let added = listLock.withLock { () -> Bool in
      // The flag while locked: the run that takes it off waits for the lock, and finds the record.
      guard ask(Self.notifies) else { return false }
      notifications = (notifications ?? []) + [Notification(queue: queue, first: first, second: second, generation: 0)]
      return true
    }
    if !added { queue.push(first, second) }
  }

  /// Asks for the end of the run; false when it has come.
  private final func ask(_ bit: UInt64) -> Bool {
    var old = word.loadAcquire()  // acquire K2: pairs with K1
    while true {
      if old & Self.done != 0 { return false }
      let swap = word.casAcqRel(old, old | bit)
      if swap.exchanged { return true }
      old = swap.original
    }
  }

  // MARK: waiting

  /// Blocks until the item has run once.
  ///
  /// On the main thread, when the item lies in the main queue, the program is stopped: nobody could run it.
  public final func wait() { _ = wait(.forever) }

  /// Blocks until the item has run once, or until `timeout`.
  public final func wait(timeout: DispatchTime) -> DispatchTimeoutResult { wait(Deadline(timeout.rawValue)) }

  /// Blocks until the item has run once, or until the wall clock shows `wallTimeout`.
  public final func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { wait(Deadline(wallTimeout.rawValue)) }

  private final var isDone: Bool { word.loadAcquire() & Self.done != 0 }

  package final func wait(_ deadline: Deadline) -> DispatchTimeoutResult {
    if isDone { return .success }
    if deadline.hasPassed() { return .timedOut }
    for _ in 0..<Tuning.spins {
      if isDone { return .success }
      spinPause()
    }
    if deadline == .forever { MainThreadWait.check(workItem: self) }
    return Blocking.whileBlocked { () -> DispatchTimeoutResult in
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
