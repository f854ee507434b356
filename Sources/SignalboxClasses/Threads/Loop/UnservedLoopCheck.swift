// UnservedLoopCheck.swift: noticing that something was left with a loop that nobody runs. What is then said is LoopReports.swift.
import Signalbox
import SignalboxLocks
import SignalboxSystem

/// One look at a time lies ahead for each loop, and none for a loop that runs.
struct UnservedLoopCheck: ~Copyable, Sendable {
  /// How long something may be overdue before it is told of: a second.
  static let patience: UInt64 = 1_000_000_000
  /// The uptime of the next look; 0: none lies ahead.
  fileprivate let next = Atomic64(0)
  fileprivate let hasTold = Atomic32(0)

  /// Whether the caller is the first to tell of this loop.
  func claim() -> Bool { hasTold.casAcqRel(0, 1).exchanged }
}

extension RunLoop {
  /// Something that is due at `due` was left with the loop: if nobody runs it, somebody looks later what has become of it.
  final func noteUnattended(_ due: @autoclosure () -> UInt64) {
    guard isRunning.loadRelaxed() == 0, watch.hasTold.loadRelaxed() == 0 else { return }  // relaxed: hints both
    let look = due().addingReportingOverflow(UnservedLoopCheck.patience)
    guard !look.overflow, look.partialValue < UInt64(Int64.max) else { return }
    let next = watch.next.loadRelaxed()  // relaxed: the swap re-checks
    guard next == 0 || look.partialValue < next, watch.next.casAcqRel(next, look.partialValue).exchanged else { return }
    let point = DispatchTime(uptimeNanoseconds: look.partialValue)
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: point) { [weak self] in self?.look(look.partialValue) }
  }

  /// Is what was due by now still there, and has nobody served the loop since?
  private final func look(_ point: UInt64) {
    // Another look was set for earlier, and has set the next.
    guard watch.next.casAcqRel(point, 0).exchanged, isRunning.loadRelaxed() == 0 else { return }
    let served = lastServed.loadRelaxed()  // relaxed: a hint, as isRunning
    let due = lock.withLock { modes.flatMap { $0.heap.live.map(\.due) }.min() }
    let hasBlocks = hasEntries(.max)
    let overdue = due.map { $0 + UnservedLoopCheck.patience <= Clock.uptime() && served < $0 } ?? false
    if overdue || hasBlocks && served + UnservedLoopCheck.patience <= Clock.uptime() {
      guard watch.claim() else { return }
      return LoopReports.unattended(self, timer: overdue ? due : nil)
    }
    if let due { noteUnattended(max(due, Clock.uptime())) }
  }
}
