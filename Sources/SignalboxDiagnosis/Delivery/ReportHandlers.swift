// ReportHandlers.swift: the handlers of all kinds of reports, and the thread that calls them. Handlers of one kind, which run where the
// report is made, are ReportDelivery.swift's.
import SignalboxSystem
import SignalboxWaits

/// A handler that `onReport(_:)` has added.
///
/// It is called until `remove()`, whether this object is kept or not.
///
/// ```swift
/// let handler = Signalbox.onReport { report in print(report.text) }
/// handler.remove()
/// ```
///
/// - Note: Thread safety: any thread may remove it. Calls of the handler come one at a time.
public final class ReportHandler: Sendable {
  let call: @Sendable (DiagnosticReport) -> Void

  /// Adds the handler.
  package init(_ call: @escaping @Sendable (DiagnosticReport) -> Void) {
    self.call = call
    ReportHandlers.append(self)
  }

  /// Removes the handler: it is not called with any report from now on. A call under way goes on. Further calls have no effect.
  ///
  /// Thread safety: any thread, the handler included.
  ///
  /// ```swift
  /// let handler = Signalbox.onReport { report in print(report.json) }
  /// handler.remove()  // it is called no more
  /// ```
  public func remove() { ReportHandlers.remove(self) }
}

/// All of them, and their thread.
///
/// The thread is made with the first handler, or the first copy of a flight recording, and lives as long as the process. It holds nothing of Signalbox's while it calls handlers, so
/// these may do what any thread of the program may. A report that is made on it is not handed to them.
enum ReportHandlers {
  /// How long a program that is to be stopped, or ends, waits for handlers.
  static let patience: UInt64 = 2_000_000_000

  private static let lock = InnerLock()
  // SAFETY: both guarded by `lock`.
  nonisolated(unsafe) private static var handlers: [ReportHandler] = []
  nonisolated(unsafe) private static var queue = ReportQueue<DiagnosticReport>()
  /// Changes with every report added, and with every one handed over: the thread sleeps on the first, a caller that
  /// waits for the thread on the second.
  private static let added = Atomic32(0)
  private static let done = Atomic32(0)
  /// 0: there is no thread; 1: there is, or will be; 2: it is in the parent of this process.
  private static let thread = Atomic32(0)
  private static let threadID = Atomic32(0)

  static func append(_ handler: ReportHandler) {
    if isForked { return }
    lock.withLock { handlers.append(handler) }
    makeThread()
  }

  static func remove(_ handler: ReportHandler) {
    if isForked { return }
    lock.withLock { handlers.removeAll { $0 === handler } }
  }

  // acquire: pairs with the swaps and the store that change it; in the child of a fork the lock may be held forever
  private static var isForked: Bool { thread.loadAcquire() == 2 }

  /// Adds a report for the handlers, and for a copy of the flight recording. Returns its number; nil where no handler
  /// and no copier will be called with it.
  static func add(_ report: DiagnosticReport) -> UInt64? {
    if Instruments.isForkedChild || Exploration.isOfCaller || isOwnThread { return nil }
    let isCopied = FlightCopies.wants(report)
    if isCopied { makeThread() }
    // No code has ever asked for any.
    // acquire: as in `isForked`
    guard thread.loadAcquire() == 1 else { return nil }
    let number = lock.withLock {
      handlers.isEmpty && !isCopied ? nil : queue.add(report, stopsProgram: report.stopsProgram)
    }
    guard number != nil else { return nil }
    // seq_cst: after the report was added; the thread's load before it sleeps sees the change, or it sees the report
    _ = added.addSeqCst(1)
    added.wake()
    return number
  }

  /// Returns when the handlers have been called with the report of this number, or after `patience`.
  static func awaitCalls(of number: UInt64, patience: UInt64 = patience) {
    sleep(until: Clock.uptime() &+ patience) { $0.done >= number }
  }

  private static func sleep(until end: UInt64, _ isEnough: (ReportQueue<DiagnosticReport>) -> Bool) {
    while true {
      // acquire: pairs with the addition after a call: what the queue says is not older
      let seen = done.loadAcquire()
      if lock.withLock({ isEnough(queue) }) || Clock.uptime() >= end { return }
      done.park(expected: seen, deadline: .uptime(end))
    }
  }

  // MARK: the thread

  // relaxed: the thread's own number, which only it compares with success
  private static var isOwnThread: Bool { threadID.loadRelaxed() == UInt32(bitPattern: ThreadSlot.kernelID()) }

  private static func makeThread() {
    // acquire-release: of several threads that come at once one makes it
    guard thread.casAcqRel(0, 1).exchanged else { return }
    Threads.onForkInChild { ReportHandlers.thread.storeRelease(2) }  // release: the child has one thread
    Threads.onProcessExit { ReportHandlers.processEnds() }
    do {
      try Threads.spawn(name: "signalbox.calls", stackSize: 512 * 1024) { threadBody() }
    } catch {
      thread.storeRelease(0)  // release: pairs with the swap above; tried again with the next handler
      Misuse.report(
        "report handlers are not called, and no flight recording is copied: the system has no thread for them (\(error))")
    }
  }

  private static func threadBody() -> Never {
    threadID.storeRelaxed(UInt32(bitPattern: ThreadSlot.kernelID()))  // relaxed: as told above
    OwnThreads.leaveOut(ThreadSlot.kernelID())
    while true {
      let seen = added.loadSeqCst()  // seq_cst: before the queue is read; pairs with the addition in `add`
      while let (report, handlers) = take() { call(handlers, report) }
      added.park(expected: seen)
    }
  }

  private static func take() -> (DiagnosticReport, [ReportHandler])? {
    lock.withLock {
      guard let (report, missed) = queue.take() else { return nil }
      var told = report
      told.missed = missed
      return (told, handlers)
    }
  }

  private static func call(_ handlers: [ReportHandler], _ report: DiagnosticReport) {
    if FlightCopies.wants(report) { FlightCopies.make(report.number) }
    OwnThreads.calling { for handler in handlers { handler.call(report) } }
    lock.withLock { queue.ended() }
    _ = done.addSeqCst(1)  // seq_cst: after the queue has changed; pairs with the load in `sleep`
    done.wake(count: .max)
  }

  /// The process ends in order: what was reported before is still handed over.
  private static func processEnds() {
    // A handler that ends the process would wait for itself.
    if isForked || isOwnThread || Instruments.isForkedChild { return }
    sleep(until: Clock.uptime() &+ patience) { $0.isIdle }
  }
}
