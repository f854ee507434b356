// StallDetector.swift: the thread that searches for waits that no thread is left to end, its switch, and what is done
// with what it finds. Also the same search for one thread that asks. Waits that close a cycle are found without it
// (WaitGraph.swift). The protocol is README.md.
import SignalboxSystem
import SignalboxView
import SignalboxWaits

/// Searches for waits that nothing can end: semaphores whose possible signallers all wait, groups that are never left,
/// suspended queues with waiters, an exhausted pool, a main queue that no thread drains. Off by default, without any
/// cost.
///
/// Each finding is reported once, like a deadlock: on standard error, to the files that `SIGNALBOX_REPORT_JSON` and
/// `SIGNALBOX_DEADLOCK_JSON` name, and to handlers. A certain finding then stops the program as `SIGNALBOX_DEADLOCK` says (`stop`, the default, `report` or
/// `ignore`); a suspected one never does.
///
/// Thread safety: everything here may be used from any thread.
public enum StallDetector {
  /// Starts scanning, or changes the period: when nothing has moved for `seconds`, all waits are scanned.
  ///
  /// `SIGNALBOX_WATCH=SECONDS` and `signalbox run --watch` do the same from the start of the program.
  ///
  /// ```swift
  /// StallDetector.start(seconds: 10)
  /// ```
  ///
  /// - Precondition: `seconds` is from 0.01 to 86400; otherwise the program is stopped.
  public static func start(seconds: Double = 5) {
    guard (0.01...86_400).contains(seconds) else {
      Misuse.stop("StallDetector is started with \(seconds): give \(StallPeriod.rule)")
    }
    // release: pairs with the acquire in `threadBody`, which the change after it wakes
    period.storeRelease(UInt64(seconds * 1e9))
    Instruments.set(Instruments.stallDetector, mask: Instruments.stallDetector)
    changed()
  }

  /// Stops scanning. A scan in progress may still report.
  ///
  /// ```swift
  /// StallDetector.start()
  /// StallDetector.stop()
  /// ```
  public static func stop() {
    period.storeRelease(0)  // release: pairs with the acquire in `threadBody`
    StopNotes.clear { Instruments.set(0, mask: Instruments.stallDetector) }
    EnterNotes.clear()
    changed()
  }

  /// Whether the detector is on.
  public static var isOn: Bool { Instruments.byte & Instruments.stallDetector != 0 && !Instruments.isForkedChild }

  /// Calls `handler` with every finding, after the report is written and before the program is stopped; nil removes the
  /// handler.
  ///
  /// It runs on the thread that scans and must not wait for anything.
  ///
  /// ```swift
  /// StallDetector.onFinding { report in print(report.cause, report.summary, report.hint) }
  /// StallDetector.onFinding(nil)
  /// ```
  public static func onFinding(_ handler: (@Sendable (StallReport) -> Void)?) {
    KindHandlers.set(.stall, handler)
  }

  /// Scans once, including waits of any age; reports and returns the new findings.
  ///
  /// For threads that sleep in system calls, only two scans in a row are compared, so suspected findings are less sure than
  /// those of the periodic scan. Only one call at a time scans; a concurrent one returns an empty result.
  ///
  /// ```swift
  /// for report in StallDetector.scan() { print(report.text) }
  /// ```
  @discardableResult public static func scan() -> [StallReport] {
    guard let scans = lock.withLock({ state.takeScans() }) else { return [] }
    var mine = scans
    let reports = mine.scan(patience: 0)
    lock.withLock { state.scans = mine }
    return reports
  }

  /// Searches for cycles by way of waits for operations that have lasted for `patience`, whether the stall detector is on or not: for the
  /// monitor. Returns when to scan again.
  static func scanForCycles(patience: UInt64) -> UInt64? {
    guard let scans = lock.withLock({ state.takeScans() }) else { return Clock.uptime() &+ 100_000_000 }
    var mine = scans
    _ = mine.scan(patience: patience, for: .cycles)
    lock.withLock { state.scans = mine }
    return mine.nextCycle
  }

  // MARK: the thread

  /// A thread waits without limit, or something runs, while the stall detector is on: sees to it that the
  /// detector has its thread.
  @inline(never) package static func noticed() {
    guard isMade.loadRelaxed() == 0, !Instruments.isForkedChild else { return }  // relaxed: the exchange below re-checks
    if ThreadSlot.current.pointee.engine != nil { return }  // an exploration sees stalls by itself
    // acquire, and release: a number through which nothing is read; the first caller sets it
    if period.loadAcquire() == 0, let asked = StallPeriod.fromEnvironment { period.storeRelease(asked) }
    makeThread()
  }

  private static func changed() {
    // seq_cst: before the check of `isMade`; pairs with the thread's reading of `changes` before it sleeps
    _ = changes.addSeqCst(1)
    // acquire: pairs with the exchange in `makeThread`, which re-checks
    if isMade.loadAcquire() == 0 { return makeThread() }
    changes.wake()
  }

  /// The image is being loaded: where the environment asks for it, the search begins with the program, and again in the child of a fork.
  fileprivate static func beginWithProgram() {
    guard Environment.value(StallPeriod.variable) != nil, !Exploration.isOfProgram, let asked = StallPeriod.fromEnvironment
    else {
      return
    }
    period.storeRelease(asked)  // release: as in `start`
    makeThread()
    Threads.onFork(
      before: { StallDetector.work.beginFork() }, inParent: { StallDetector.work.endFork() },
      inChild: { StallDetector.beginInChild() })
  }

  /// The child of a fork has none of the threads. A scan may have been under way in the parent: the child has its own knowledge.
  private static func beginInChild() {
    let canBegin = work.isAtRestInChild()
    // acquire-release: as in `makeThread`; the child has one thread
    guard isMade.exchangeAcqRel(0) != 0, canBegin else { return }
    inChild.storeRelease(1)  // release: the thread is made after it
    makeThread()
  }
  private static let inChild = Atomic32(0)
  fileprivate static let work = ForkableWork()

  private static func makeThread() {
    // acquire: pairs with the release in `start`; acquire-release: of several threads that come at once, one makes it
    guard period.loadAcquire() != 0, isMade.exchangeAcqRel(1) == 0 else { return }
    work.begin()
    work.prepare()
    do {
      try Threads.spawn(name: "signalbox.stall", stackSize: 512 * 1024, isBystander: true) { threadBody() }
    } catch {
      work.rest()
      isMade.storeRelease(0)  // release: pairs with the exchange above; tried again at the next wait
    }
  }

  private static func threadBody() -> Never {
    OwnThreads.leaveOut(ThreadSlot.kernelID())
    _ = FoundationOperations.known
    // acquire: pairs with the release in `beginInChild`; the lock may be that of a thread that is not there
    var ofChild: StallScans? = inChild.loadAcquire() == 1 ? StallScans() : nil
    while true {
      // acquire, both: pair with the addition in `changed` and the release in `start`
      let seen = changes.loadAcquire(), period = period.loadAcquire()
      let deadline: ParkDeadline = period == 0 ? .never : .uptime(Clock.uptime() &+ period)
      work.rest()
      let outcome = changes.park(expected: seen, deadline: deadline)
      work.begin()
      guard outcome == .timedOut else { continue }
      // Without memory a scan is left out.
      MemoryReserve.lend { scanOnce(&ofChild, period) }
    }
  }

  private static func scanOnce(_ ofChild: inout StallScans?, _ period: UInt64) {
    if ofChild?.scan(patience: period) != nil { return }
    guard var scans = lock.withLock({ state.takeScans() }) else { return }
    _ = scans.scan(patience: period)
    lock.withLock { state.scans = scans }
  }

  private static let period = Atomic64(0)
  private static let changes = Atomic32(0)
  private static let isMade = Atomic32(0)

  // MARK: what is found

  private struct State {
    var scans: StallScans? = StallScans()
    mutating func takeScans() -> StallScans? {
      defer { scans = nil }
      return scans
    }
  }
  private static let lock = InnerLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var state = State()

  /// Runs `body` as the one thread that scans, with the threads that scans leave out; nil if another thread scans.
  static func asScanner<R>(_ body: (_ bystanders: Set<Int32>) -> R) -> R? {
    guard let scans = lock.withLock({ state.takeScans() }) else { return nil }
    defer { lock.withLock { state.scans = scans } }
    return body(scans.taker.bystanders)
  }

  /// Leaves threads out of every scan from now on: a test's own.
  static func testsOnly_leaveOut(_ threads: Set<Int32>) { lock.withLock { state.scans?.taker.bystanders = threads } }

  /// Writes a report, calls the handlers, and stops where it is certain: as the policy says.
  static func tell(_ report: StallReport) {
    // Taken before the handler, which may set another.
    let policy = Deadlock.policy
    let stops = policy == .stop && report.certainty == .certain, number = ReportNumber.next(.stall)
    let told = Telling.whileTelling {
      let symbols = report.symbols
      return Deadlock.publish(
        .stall, number, report.text(symbols: symbols), fields: report.fields(symbols), details: report, stopsProgram: stops)
    }
    ReportDelivery.handOver(told)
    if stops { Misuse.abortNow() }
  }
}

// The loader calls what stands in this section.
@used @section(".init_array")
private let beginning: @convention(c) @Sendable () -> Void = { StallDetector.beginWithProgram() }

extension FoundationOperations {
  /// Those of this program; searched for once, by the stall detector's thread as it begins: the loader is asked, whose
  /// lock a stuck thread may hold.
  static let known = FoundationOperations.own()
}

// MARK: whether anything but the calling thread could still act

// For a wait without an owner that the caller itself is seen to keep from ending. The reduction is the stall detector's
// (Reduction.swift), and needs no switch here.

/// Asked by a thread that is in a wait without limit and would do nothing else.
///
/// Thread safety: any thread. One thread at a time scans; for the others something moves, and they ask again.
package enum NobodyElse {
  /// Reads the process twice, as a scan of the stall detector does. Allocates; some file reads for each thread. Without memory that
  /// is not known.
  package static func verdict() -> Standstill {
    MemoryReserve.lend { StallDetector.asScanner { verdict($0) } ?? .moving } ?? .moving
  }

  private static func verdict(_ bystanders: Set<Int32>) -> Standstill {
    var taker = SnapshotTaker(patience: 0)
    taker.bystanders = bystanders
    let sleptBefore = taker.allSleep()
    let earlier = taker.take()
    var snapshot = taker.take().standing(since: earlier)
    // A scan leaves its own thread out; here it is the one that waits.
    let caller = WaitNode.Key.thread(ThreadSlot.kernelID())
    snapshot.add(WaitNode(caller, .needs(.anyone)))
    let isStuck = Reduction.stuck(snapshot, .mayWake).contains(caller)
    // What the end of the scan frees may act.
    guard Layers.endScan() else { return .moving }
    return isStuck ? .nobody : sleptBefore && taker.allSleep() ? .quiet : .moving
  }
}
