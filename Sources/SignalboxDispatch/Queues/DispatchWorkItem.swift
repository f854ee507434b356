// DispatchWorkItem.swift: a piece of work as an object: to be run, cancelled, followed by another. What asks for its
// end is WorkItemCompletion.swift; waiting for it is DispatchWorkItem+Face.swift (Groups/).
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

/// A closure that can be submitted, cancelled and waited for. Intended to run once: waits and notifications complete with its
/// first run.
///
/// Thread safety: every method may be called from any thread.
///
/// ```swift
/// let queue = DispatchQueue(label: "work")
/// let item = DispatchWorkItem { print("runs once") }, late = DispatchWorkItem { print("never") }
/// late.cancel()  // before it has begun: it does not run
/// queue.async(execute: item)
/// queue.async(execute: late)
/// item.wait()
/// late.wait()
/// ```
public class DispatchWorkItem: @unchecked Sendable {
  // SAFETY of @unchecked: the block never changes; the rest is atomic or in the completion, which is safe by itself.
  private final let block: () -> Void
  package final let flags: DispatchWorkItemFlags
  package final let qos: DispatchQoS
  private final let cancelled = Atomic32(0)
  /// Unmanaged `WorkItemCompletion`, +1, once somebody asks for the end; 0 before, 1 when the end came before anybody asked.
  private final let completionBits = Atomic64(0)
  private static let ended: UInt64 = 1
  /// Where the item is: WorkItemWaits.
  final let whereabouts = Atomic64(0)

  /// Creates the item without running it.
  public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], block: @escaping () -> Void) {
    self.block = block
    self.flags = flags
    self.qos = flags.isEmpty ? qos : flags.ownClass(qos)
  }

  package final var isBarrier: Bool { flags.contains(.barrier) }

  /// Runs the block now on the calling thread, unless the item is cancelled.
  public final func perform() {
    if Events.areWanted(.workItemPerformed) { return performTelling() }
    runUnnoted()
    endSeen()?.use { $0.finish(of: address) }
  }

  /// The same while a subscriber hears of it: one reading of their byte is all that the other path has of it.
  @inline(never) private final func performTelling() {
    run()
    Events.emit(.touched, address)
    endSeen()?.use { $0.finish(of: address) }
  }

  /// Cancels the item: a run that has not started will not call the block. A run in progress continues.
  public final func cancel() {
    if Events.areWanted(.workItemCancelled) { Events.tell(.workItemCancelled, address, WorkItemWaits.queue(of: self), 0) }
    cancelled.storeRelease(1)  // release: pairs with isCancelled
  }

  /// Whether `cancel()` was called.
  public final var isCancelled: Bool { cancelled.loadAcquire() != 0 }  // acquire: pairs with cancel()

  /// Runs the item for a queue, which gives its reference up: gone before anybody hears of the end.
  static func performForQueue(_ reference: Unmanaged<DispatchWorkItem>, _ worker: Lent<Worker>?) {
    worker?.use { $0.runningWorkItem = reference }
    Lent(reference).use { $0.run() }
    worker?.use { $0.runningWorkItem = nil }
    endForQueue(reference)
  }

  /// The run for a queue is over.
  static func endForQueue(_ reference: Unmanaged<DispatchWorkItem>) {
    Events.emit(.touched, UInt(bitPattern: reference.toOpaque()))
    var item = reference.takeRetainedValue()
    // Nobody else holds the item: nobody can ask for its end any more, unless somebody already did, or does by a weak reference.
    // acquire-release: pairs with completionMade(): this run finds the record, or who asks finds the end and what came before
    if isKnownUniquelyReferenced(&item), item.completionBits.casAcqRel(0, Self.ended).exchanged { return }
    guard let completion = item.completionMade() else { return }
    _ = completion.reference.retain()
    withExtendedLifetime(consume item) {}
    completion.use { $0.finish(of: UInt(bitPattern: reference.toOpaque())) }
    completion.reference.release()
  }

  deinit {
    Events.emit(.gone, address, UInt64(WaitKind.workItem.rawValue))
    let bits = completionBits.loadAlone()
    if bits > Self.ended { Self.completion(bits).reference.release() }
  }

  private static func completion(_ bits: UInt64) -> Lent<WorkItemCompletion> { Lent(at: bits) }

  /// The end came: notes it if nobody has asked; else returns who is to be notified.
  private final func endSeen() -> Lent<WorkItemCompletion>? {
    let swap = completionBits.casAcqRel(0, Self.ended)  // acquire-release: as in endForQueue()
    return swap.exchanged || swap.original == Self.ended ? nil : Self.completion(swap.original)
  }

  /// The record of who asks for the end, made at first need; nil when the end came before anybody asked.
  final func completionMade() -> Lent<WorkItemCompletion>? {
    var bits = completionBits.loadAcquire()  // acquire: the record behind the bits is whole; pairs with the swap below
    if bits == 0 {
      let made = Unmanaged.passRetained(WorkItemCompletion())
      // release: publishes the record. acquire, when it fails: another's record, or what the run did
      let swap = completionBits.casAcqRel(0, UInt64(UInt(bitPattern: made.toOpaque())))
      if swap.exchanged { return Lent(made) }
      made.release()
      bits = swap.original
    }
    return bits == Self.ended ? nil : Self.completion(bits)
  }

  private final func run() {
    Events.emit(.workItemPerformed, address)
    runUnnoted()
  }
  private final func runUnnoted() {
    noteRun()
    if !isCancelled { block() }
    noteRunEnd()
  }

  /// Whether a run has ended; for those who only want to tell.
  final var hasEnded: Bool {
    let bits = completionBits.loadAcquire()  // acquire: the record behind the bits is whole; pairs with completionMade()
    return bits == Self.ended || bits > Self.ended && Self.completion(bits).use { $0.isDone }
  }

  // MARK: notifications

  /// Submits `execute` to `queue` when this item has run, or was skipped because it is cancelled; at once if that has already
  /// happened. `qos` and `flags` apply to the submitted item as in `async`.
  public final func notify(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
    execute: @escaping () -> Void
  ) {
    if flags.contains(.barrier) || qos.qosClass != .unspecified {
      return notify(queue: queue, execute: DispatchWorkItem(qos: qos, flags: flags, block: execute))
    }
    register(queue, Slot(RawWork(taking: execute)))
  }

  /// Submits `execute` to `queue` when this item has run; at once if it already has.
  public final func notify(queue: DispatchQueue, execute: DispatchWorkItem) {
    register(queue, .workItem(Unmanaged.passRetained(execute).toOpaque()))
  }

  final var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  final func register(_ queue: DispatchQueue, _ slot: Slot) {
    Events.emit(.notifyAsked, address)
    guard let completion = completionMade() else { return queue.pushEither(slot) }
    completion.use { $0.notify(queue, slot) }
  }
}
