// DispatchWorkItem.swift: a piece of work as an object: to be run, waited for, cancelled, followed by another. What waits for
// its end is WorkItemCompletion.swift.
import SignalboxDiagnosis
import SignalboxSystem

/// A closure with an identity. Meant to run once: waits and notifications end with its first run.
///
/// Thread safety: every method may be called from any thread.
public class DispatchWorkItem: @unchecked Sendable {
  // SAFETY of @unchecked: the block never changes; the rest is atomic or in the completion, which is safe by itself.
  private final let block: () -> Void
  package final let flags: DispatchWorkItemFlags
  package final let qos: DispatchQoS
  private final let cancelled = Atomic32(0)
  private final let completion = WorkItemCompletion()

  /// Creates the item; nothing runs yet.
  public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], block: @escaping () -> Void) {
    self.block = block
    self.flags = flags
    self.qos = qos
  }

  final var isBarrier: Bool { flags.contains(.barrier) }

  /// Runs the block on the calling thread, now, unless the item is cancelled.
  public final func perform() {
    run()
    completion.finish()
  }

  /// Keeps a run that has not begun from running the block; one under way is not disturbed.
  public final func cancel() { cancelled.storeRelease(1) }

  /// Whether `cancel()` was called.
  public final var isCancelled: Bool { cancelled.loadAcquire() != 0 }

  /// Runs the item for a queue, which gives its reference up: gone before anybody hears of the end.
  static func performForQueue(_ reference: Unmanaged<DispatchWorkItem>, _ worker: Worker?) {
    let completion = reference._withUnsafeGuaranteedRef { Unmanaged.passRetained($0.completion) }
    worker?.runningCompletion = completion
    reference._withUnsafeGuaranteedRef { $0.run() }
    worker?.runningCompletion = nil
    reference.release()
    completion._withUnsafeGuaranteedRef { $0.finish() }
    completion.release()
  }

  private final func run() {
    if !Instruments.areOff {
      InstrumentHooks.pass(.workItemPerform, object: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
    }
    if !isCancelled { block() }
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
    completion.notify(queue, words.function, words.context)
  }

  /// Submits `execute` to `queue` once this item has run; at once when it already has.
  public final func notify(queue: DispatchQueue, execute: DispatchWorkItem) {
    completion.notify(queue, SlotKind.workItem, UInt64(UInt(bitPattern: Unmanaged.passRetained(execute).toOpaque())))
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

  package final func wait(_ deadline: Deadline) -> DispatchTimeoutResult {
    completion.wait(deadline) { MainThreadWait.check(workItem: self) }
  }
}
