// LoopReports.swift: reports of loops and timers that are used in a way that cannot work; they do not stop the program.
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

enum LoopReports {
  /// A timer was not fired, or blocks were not run, because nobody runs the loop they lie on.
  static func unattended(_ loop: RunLoop, timer due: UInt64?) {
    let what =
      due.map { "a timer that was due \(seconds(since: $0)) s ago lies" } ?? "a block was left more than a second ago"
    let instead = loop.thread.isMain ? "DispatchQueue.asyncAfter" : "RunLoop.main or DispatchQueue.asyncAfter"
    Misuse.report(
      """
      \(what) on the run loop of \(loop.thread.title), which nobody runs: run that loop (RunLoop.current.run() on its thread), or \
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
