// MainQueue+Limit.swift: how long an item of the main queue may run before it is reported. Who reports it is
// MainItemMonitor.swift (SignalboxObservers).
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension MainQueue {
  /// Reports each item of the main queue that runs longer than `limit`, once, while it runs, with the main thread's stack.
  /// `.never` turns these reports off.
  ///
  /// Reports go to standard error, to the file that `SIGNALBOX_REPORT_JSON` names, and to the handlers of `onReport(_:)`. The program
  /// goes on. Items of queues that target the main queue, handlers of sources and bodies of `sync` on it count as well.
  /// `SIGNALBOX_MAIN_LIMIT=MILLISECONDS` and `signalbox run --main-limit=MILLISECONDS` do the same from the start of the program.
  ///
  /// Reports are off when a program starts, and then cost nothing. While they are on, operations of queues and locks take some nanoseconds longer. The
  /// stack of a thread that sleeps is read without waking it; only a thread that runs is interrupted, by a signal.
  ///
  /// Thread safety: any thread. An item that runs already counts from the next one on.
  /// - Precondition: `limit` is from 1 ms to a day, or `.never`; otherwise the program is stopped.
  public static func reportItems(longerThan limit: DispatchTimeInterval) {
    if case .never = limit { return set(limit: 0) }
    let nanoseconds = limit.clampedNanoseconds
    guard nanoseconds > 0, MainLimit.range.contains(UInt64(nanoseconds)) else {
      Misuse.stop("MainQueue.reportItems(longerThan:) is given \(limit): give a time from 1 ms to a day, or .never")
    }
    set(limit: UInt64(nanoseconds))
  }

  /// In nanoseconds; 0: none.
  private static func set(limit nanoseconds: UInt64) {
    _ = ThreadSlot.owner()  // the environment has been read; what is printed here comes after it
    if nanoseconds != 0 { Instruments.set(Instruments.mainLimit, mask: Instruments.mainLimit) }
    Events.emit(.mainLimitSet, 0, nanoseconds)
    if nanoseconds == 0 { Instruments.set(0, mask: Instruments.mainLimit) }
  }
}
