// UnservedLoopCheck.swift: noticing that something was left with a loop that nobody runs. What is then reported is LoopReports.swift.
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

/// One check at a time lies ahead for each loop, and none for a loop that runs.
struct UnservedLoopCheck: ~Copyable, Sendable {
  /// How long something may be overdue before it is reported: a second.
  static let patience: UInt64 = 1_000_000_000
  /// The uptime of the next check; 0: none lies ahead.
  fileprivate let next = Atomic64(0)
  fileprivate let hasTold = Atomic32(0)

  /// Whether the caller is the first to report this loop.
  // acquire-release: only that one of several finds 0 counts; nothing is read through it.
  func claim() -> Bool { hasTold.casAcqRel(0, 1).exchanged }
}

extension RunLoop {
  /// Something that is due at `due` was left with the loop: if nobody runs it, somebody checks later what has become of it.
  final func noteUnattended(_ due: @autoclosure () -> UInt64) {
    guard isRunning.loadRelaxed() == 0, unserved.hasTold.loadRelaxed() == 0 else { return }  // relaxed: hints both
    let (point, isTooFar) = due().addingReportingOverflow(UnservedLoopCheck.patience)
    guard !isTooFar, point < UInt64(Int64.max) else { return }
    // In a body that is explored it would be a timer that the body leaves behind.
    guard !Exploration.isOfCaller else { return }
    let next = unserved.next.loadRelaxed()  // relaxed: the swap re-checks
    // acquire-release: of two that plan a check one does; what the check reads lies under the loop's lock.
    guard next == 0 || point < next, unserved.next.casAcqRel(next, point).exchanged else { return }
    let time = DispatchTime(uptimeNanoseconds: point)
    DispatchQueue.global(qos: .default).asyncAfter(deadline: time) { [weak self] in self?.checkServed(point) }
  }

  /// Is what was due by now still there, and has nobody served the loop since?
  private final func checkServed(_ point: UInt64) {
    // Another check was planned for earlier, and has planned the next.
    // acquire-release: pairs with the swap that planned it; relaxed: a hint, whoever runs the loop serves it.
    guard unserved.next.casAcqRel(point, 0).exchanged, isRunning.loadRelaxed() == 0 else { return }
    let served = lastServed.loadRelaxed()  // relaxed: a hint, as isRunning
    let left = isServedByItems ? ~RunLoop.servedByItems : .max
    let due = lock.withLock { modes.filter { $0.bit & left != 0 }.flatMap { $0.heap.live.map(\.due) }.min() }
    let hasBlocks = lock.withLock { entries[firstEntry...].contains { $0.modes != 0 && $0.modes & ~left == 0 } }
    // A timer of the distant future has the last number there is: nothing is added to it.
    let now = Clock.uptime(), latest = now - min(now, UnservedLoopCheck.patience)
    let overdue = due.map { $0 <= latest && served < $0 } ?? false
    if overdue || hasBlocks && served <= latest {
      guard unserved.claim() else { return }
      return LoopReports.unattended(self, timer: overdue ? due : nil)
    }
    if let due { noteUnattended(max(due, now)) }
  }
}
