// LockOrder.swift: validating the order in which locks are taken: its switch and its findings. What is checked when a
// lock is taken is LockOrderCheck.swift.
import SignalboxSystem
import SignalboxWaits

/// Lock-order validation: reports two locks that are acquired in both orders, without waiting for the deadlock that this may
/// cause.
///
/// It covers Signalbox's locks, `sync` on queues, items that run alone on a queue, and once flags; under `signalbox run` the `NSLock`,
/// `NSRecursiveLock` and `NSCondition` of the toolchain's Foundation as well. A lock acquired by a try, or
/// with a deadline, adds no order, because that thread does not wait forever. Orders that cannot block are not reported:
/// orders under a common outer lock, orders within one thread (on a worker: within one item), and readers among readers.
///
/// Thread safety: every member may be used from any thread.
public enum LockOrder {
  /// What to do when two orders contradict each other.
  ///
  /// ```swift
  /// LockOrder.mode = .report
  /// print(LockOrder.mode == .report)  // true
  /// ```
  public enum Mode: UInt32, Sendable {
    /// Nothing is validated, and locks have no extra cost.
    case off = 0
    /// Writes a message on standard error; the program continues.
    case report = 1
    /// Writes the message and stops the program with SIGABRT.
    case stop = 2
  }

  // The mode above `decided`; before that the environment's.
  private static let state = Atomic32(0)
  private static let decided: UInt32 = 0x100

  /// What to do when orders contradict each other. Initially set by the environment: `SIGNALBOX_LOCK_ORDER=report` or `stop`.
  ///
  /// Locks that are held when validation is turned on are unknown until they are acquired again. Turning it on again forgets
  /// all orders seen before.
  ///
  /// ```swift
  /// LockOrder.mode = .report
  /// print(LockOrder.mode)  // report
  /// ```
  public static var mode: Mode {
    get { Instruments.byte & Instruments.lockOrder == 0 ? .off : wish }
    set {
      _ = ThreadSlot.owner()  // the environment has been read; what is printed here comes after it
      if newValue != .off { state.storeRelaxed(decided | newValue.rawValue) }  // relaxed: decides nothing but the words used
      Instruments.set(newValue == .off ? 0 : Instruments.lockOrder, mask: Instruments.lockOrder)
    }
  }

  /// The mode while the bit is set.
  static var wish: Mode {
    let known = state.loadRelaxed()  // relaxed: one word, and nothing is read through it
    if known & decided != 0 { return Mode(rawValue: known & 0xFF) ?? .report }
    let asked: Mode = Environment.value("SIGNALBOX_LOCK_ORDER") == "stop" ? .stop : .report
    state.storeRelaxed(decided | asked.rawValue)  // relaxed: every thread that decides at once decides the same
    return asked
  }

  /// The findings reported so far, oldest first; at most the last hundred.
  ///
  /// ```swift
  /// for report in LockOrder.reports { print(report.message) }
  /// ```
  public static var reports: [LockOrderReport] { LockWorld.lock.withLock { LockWorld.reports } }

  /// Calls `handler` with each report, after the message is written and before the thread that found it continues; nil removes
  /// the handler. It runs on that thread and may use locks, which are not validated meanwhile. With `stop` it is called before the program
  /// is stopped.
  ///
  /// ```swift
  /// LockOrder.onReport { report in print(report.kind, report.message, report.steps.count) }
  /// LockOrder.onReport(nil)
  /// ```
  public static func onReport(_ handler: (@Sendable (LockOrderReport) -> Void)?) {
    KindHandlers.set(.lockOrder, handler)
  }

  /// The number of findings that were not reported because one with the same cause was: the same names except for numbers in
  /// them, and the same functions of the program.
  ///
  /// ```swift
  /// print(LockOrder.reports.count, "causes,", LockOrder.mergedCount, "more findings of theirs")
  /// ```
  public static var mergedCount: Int { LockOrderCauses.mergedCount }

  /// Reports a finding, unless its cause was reported, and stops the program if that is wished.
  static func tell(_ finding: LockOrderFinding) {
    guard LockOrderCauses.claim(finding) else { return }
    let stops = wish == .stop && finding.kind != .waitUnderLock, number = ReportNumber.next(.lockOrder)
    let told = Telling.whileTelling {
      let report = LockOrderReport(finding)
      LockWorld.lock.withLock {
        if LockWorld.reports.count == 100 { LockWorld.reports.removeFirst() }
        LockWorld.reports.append(report)
      }
      // What stops the program is reported by the code that stops it.
      if !stops { Misuse.report(report.message) }
      let told = DiagnosticReport(
        .lockOrder, number, text: report.message, fields: report.fields, details: report, stopsProgram: stops)
      ReportFiles.write(told)
      return told
    }
    ReportDelivery.handOver(told)
    if stops { Misuse.stop(told.text) }
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
}

extension LockOrder {
  /// Sets the name shown in reports, lock-order validation and statistics for a lock that is a plain word at `address`,
  /// such as an `os_unfair_lock`. Lock objects have a name of their own.
  ///
  /// ```swift
  /// let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// pthread_mutex_init(mutex, nil)
  /// LockOrder.nameLock(at: mutex, "journal", level: 1)
  /// ```
  ///
  /// - Parameter level: of two locks with the same name, the one with the lower level must be acquired first.
  /// - Note: Thread safety: any thread. A name occupies an entry in a table until `forgetLock(at:)`.
  public static func nameLock(at address: UnsafeRawPointer, _ name: String, level: Int? = nil) {
    LockNames.name(UInt(bitPattern: address), name, level: level)
  }

  /// Forgets the name and the orders of a lock that is a plain word at `address`.
  ///
  /// Call this before the memory is freed if the lock has a name or lock-order validation is on. Otherwise the next
  /// lock at the same address would be taken for this one. Thread safety: any thread, when no thread uses the lock
  /// any more.
  ///
  /// ```swift
  /// let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// LockOrder.nameLock(at: mutex, "journal")
  /// LockOrder.forgetLock(at: mutex)  // before its memory is used for another lock
  /// mutex.deallocate()
  /// ```
  public static func forgetLock(at address: UnsafeRawPointer) { LockNames.forget(UInt(bitPattern: address)) }
}
