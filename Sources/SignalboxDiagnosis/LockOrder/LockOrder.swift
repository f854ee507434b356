// LockOrder.swift: validating the order in which locks are taken: its switch and its findings. What is checked when a
// lock is taken is LockOrderCheck.swift.
import SignalboxSystem

/// Lock-order validation: two locks that are taken in both orders are reported without the deadlock that this can become.
///
/// It covers the locks of Signalbox, `sync` on queues, items that run alone on a queue, and running something once. A lock that
/// was only tried for, or asked for until a deadline, comes after nothing: who asks so does not wait for ever. Not reported
/// are orders that cannot block: those under one common outer lock, those of one single thread, and readers among readers.
///
/// Thread safety: every member may be used from any thread.
public enum LockOrder {
  /// What happens when two orders contradict each other.
  public enum Mode: UInt32, Sendable {
    /// Nothing is validated, and locks have no extra cost.
    case off = 0
    /// One message on standard error; the program goes on.
    case report = 1
    /// The message, then the program is stopped by SIGABRT.
    case stop = 2
  }

  // The mode above `decided`; before that the environment's.
  private static let state = Atomic32(0)
  private static let decided: UInt32 = 0x100

  /// What happens on contradicting orders. At first what the environment says: `SIGNALBOX_LOCK_ORDER=report` or `stop`.
  ///
  /// Locks that are held when validation begins are unknown until they are taken again. Orders seen earlier are forgotten when
  /// validation begins again.
  public static var mode: Mode {
    get { Instruments.byte & Instruments.lockOrder == 0 ? .off : wish }
    set {
      _ = ThreadSlot.owner()  // the environment has been read; what is said here comes after it
      if newValue != .off { state.storeRelaxed(decided | newValue.rawValue) }  // relaxed: decides nothing but the words used
      Instruments.set(newValue == .off ? 0 : Instruments.lockOrder, mask: Instruments.lockOrder)
    }
  }

  /// The mode while the bit is set.
  static var wish: Mode {
    let known = state.loadRelaxed()  // relaxed: one word, and nothing is read through it
    if known & decided != 0 { return Mode(rawValue: known & 0xFF) ?? .report }
    let asked: Mode = Environment.value("SIGNALBOX_LOCK_ORDER") == "stop" ? .stop : .report
    state.storeRelaxed(decided | asked.rawValue)  // relaxed: whoever decides at once decides the same
    return asked
  }

  /// What was reported so far, oldest first; at most the last hundred.
  public static var reports: [LockOrderReport] { LockWorld.lock.withLock { LockWorld.reports } }

  /// Calls `handler` with each report, on the thread that found it, after the message and before that thread goes on; nil takes
  /// it away. The handler may use locks: they are not checked meanwhile.
  public static func onReport(_ handler: (@Sendable (LockOrderReport) -> Void)?) {
    LockWorld.lock.withLock { LockWorld.handler = handler }
  }

  /// How many findings had the cause of one that was reported, and were not: the same names but for numbers in them, and the same
  /// functions of the program.
  public static var mergedCount: Int { LockOrderCauses.mergedCount }

  /// Reports a finding, unless its cause was reported, and stops the program if that is wished.
  static func tell(_ finding: LockOrderFinding) {
    guard LockOrderCauses.claim(finding) else { return }
    let (report, handler) = Telling.whileTelling { tellNow(finding) }
    handler?(report)
  }

  private static func tellNow(_ finding: LockOrderFinding) -> (LockOrderReport, (@Sendable (LockOrderReport) -> Void)?) {
    let report = LockOrderReport(finding)
    let handler = LockWorld.lock.withLock { () -> (@Sendable (LockOrderReport) -> Void)? in
      if LockWorld.reports.count == 100 { LockWorld.reports.removeFirst() }
      LockWorld.reports.append(report)
      return LockWorld.handler
    }
    if wish == .stop, report.kind != .waitUnderLock { Misuse.stop(report.message) }
    Misuse.report(report.message)
    return (report, handler)
  }
}

/// What all threads share of the lock instruments.
enum LockWorld {
  /// Taken for chains not seen before, for names, births and deaths of locks.
  static let lock = InnerLock()
  // SAFETY: all guarded by `lock`.
  nonisolated(unsafe) static var graph = LockOrderGraph<LockOrderPlace>()
  nonisolated(unsafe) static var reported: Set<[UInt32]> = []
  nonisolated(unsafe) static var notedWaits: Set<[UInt]> = []
  nonisolated(unsafe) static var reports: [LockOrderReport] = []
  nonisolated(unsafe) static var handler: (@Sendable (LockOrderReport) -> Void)?
}
