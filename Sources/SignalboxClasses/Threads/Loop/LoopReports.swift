// LoopReports.swift: loops and timers that are used in a way that cannot work. The reports do not stop the program.
// Also noticed is what was left with a loop that no thread runs.
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem

// MARK: the reports

enum LoopReports {
  /// A timer was not fired, or blocks were not run, because no thread runs the loop on which they lie.
  static func unattended(_ loop: RunLoop, timer due: UInt64?) {
    let what =
      due.map { "a timer that was due \(seconds(since: $0)) s ago lies" } ?? "a block was left more than a second ago"
    let instead = loop.thread.isMain ? "DispatchQueue.asyncAfter" : "RunLoop.main or DispatchQueue.asyncAfter"
    Misuse.report(
      """
      \(what) on the run loop of \(loop.thread.title), which no thread runs: run that loop (RunLoop.current.run() on its thread), or \
      use \(instead)
      """)
  }

  /// A thread ends that never ran its loop, with timers on it.
  static func threadEnds(_ loop: RunLoop) {
    // relaxed: this thread is the loop's, which alone writes it.
    guard loop.hasTimers(.max), loop.lastServed.loadRelaxed() == 0, !loop.hasRun, loop.unserved.claim() else { return }
    Misuse.report(
      """
      \(loop.thread.title) ends with a timer on its run loop, which it never ran: the timer never fires. Run the loop \
      (RunLoop.current.run()), or use RunLoop.main or DispatchQueue.asyncAfter
      """)
  }

  /// Something comes to a loop whose thread has ended.
  static func performAfterEnd(_ loop: RunLoop) {
    guard loop.unserved.claim() else { return }
    Misuse.report("a block was left with the run loop of a thread that has ended: it never runs. Keep that thread running")
  }
  static func timerAfterEnd(_ loop: RunLoop) {
    guard loop.unserved.claim() else { return }
    Misuse.report("a timer was added to the run loop of a thread that has ended: it never fires. Keep that thread running")
  }

  /// A timer belongs to one loop.
  static func timerOnTwoLoops(_ first: RunLoop, _ second: RunLoop) {
    Misuse.report(
      """
      a timer that lies on the run loop of \(first.thread.title) was added to that of \(second.thread.title): it stays where it \
      is. Make a second timer
      """)
  }

  /// A timer was invalidated by another thread than the loop's; obeyed.
  static func invalidatedByStranger(_ timer: Timer, _ loop: RunLoop) {
    Misuse.report(
      """
      a timer on the run loop of \(loop.thread.title) was invalidated by \(LoopThread.current.title): it is invalid now, but may \
      have been firing at that moment. Invalidate it on its own thread: RunLoop.perform(_:) gets there
      """)
  }

  private static func seconds(since due: UInt64) -> String {
    let now = Clock.uptime()
    let tenths = now > due ? (now - due) / 100_000_000 : 0
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension RunLoop {
  /// A timer of this loop was invalidated; reported once for each loop when a stranger did it.
  final func noteInvalidation(of timer: Timer) {
    // acquire-release: only that one of several finds 0 counts; nothing is read through it.
    guard !thread.isCurrent, toldOfStranger.casAcqRel(0, 1).exchanged else { return }
    LoopReports.invalidatedByStranger(timer, self)
  }
}

// MARK: noticing that something was left with a loop that no thread runs

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
  /// Something that is due at `due` was left with the loop: if no thread runs it, a later check says what has become of
  /// it.
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

  /// Is what was due by now still there, and has no thread served the loop since?
  private final func checkServed(_ point: UInt64) {
    // Another check was planned for earlier, and has planned the next.
    // acquire-release: pairs with the swap that planned it; relaxed: a hint, the thread that runs the loop serves it.
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
