// Deadlock.swift: what happens when a wait closes a cycle: it is reported once, then the program is stopped or
// continues; or nothing happens. A cycle that the program could still open must have stood for a time before.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// Deadlock detection: before a thread parks, Signalbox checks whether its wait can ever end.
///
/// Thread safety: everything here may be used from any thread.
public enum Deadlock {
  /// What to do about a deadlock.
  public enum Policy: UInt32, Sendable {
    /// Report it; if it is certain, stop the program with SIGABRT. This is the default.
    case stop = 1
    /// Report it; the threads keep waiting.
    case report = 2
    /// Do nothing.
    case ignore = 3
  }

  /// What to do about deadlocks found from now on. Initially set by `SIGNALBOX_DEADLOCK` (`stop`, `report` or `ignore`),
  /// otherwise `.stop`.
  public static var policy: Policy {
    // acquire, and release in the setter: one word, and nothing is read through it
    get { Policy(rawValue: policyWord.loadAcquire()) ?? readPolicy() }
    // release: pairs with the acquire above
    set { policyWord.storeRelease(newValue.rawValue) }
  }

  /// Calls `handler` with every deadlock, after the report is written and before the program is stopped; nil removes the
  /// handler.
  ///
  /// It runs on the thread that found the deadlock. That thread may hold locks, so the handler must not wait for anything. Handlers of
  /// `onReport(_:)` run on a thread of their own, and may.
  public static func onDetection(_ handler: (@Sendable (DeadlockReport) -> Void)?) {
    KindHandlers.set(.deadlock, handler)
  }

  // MARK: finding

  /// Searches for a cycle through the calling thread, which has published its wait. True: one was reported, and the record must be
  /// published again, because the handler may have waited for something itself.
  static func check() -> Bool {
    let owner = ThreadSlot.current.pointee.owner
    guard policy != .ignore, ExplorerLink.unseen({ WaitGraph.leadsOn(from: owner) }) else { return false }
    return walk(from: owner)
  }
  /// A function of its own: the walk's memory is to be none of `check`'s.
  @inline(never) private static func walk(from owner: UInt64) -> Bool {
    guard let cycle = ExplorerLink.unseen({ WaitGraph.cycle(from: owner) }) else { return false }
    return tell(cycle)
  }

  /// Searches for cycles through the threads that wait for something while they are inside `object`, which has just been closed to
  /// newcomers: that may close a chain though no thread of it parks now. Scans 256 slots at most; the rest is the monitor's.
  package static func check(inside object: UInt) {
    guard WaitRecord.insiders > 0, policy != .ignore else { return }
    _ = WaitRecord.contains(inside: object, atMost: 256) { _, owner in
      if let cycle = WaitGraph.cycle(from: owner) { tell(cycle) }
      return false
    }
  }

  /// Reports what the monitor found, if no thread has yet.
  static func tell(_ cycle: MixedCycle) {
    guard policy != .ignore, hasRoom(isCertain: false), claim(cycle.signature) else { return }
    tell(DeadlockReport(cycle))
  }

  /// Reports the cycle if no thread has yet.
  @discardableResult static func tell(_ cycle: WaitCycle) -> Bool {
    guard Exploration.isOfCaller || hasRoom(isCertain: true) && claim(cycle.signature) else { return false }
    let now = Clock.uptime()  // of an explored thread: virtual time, by which its waits have begun
    tell(ExplorerLink.unseen { DeadlockReport(cycle, now: now) })
    return true
  }

  /// Reports a deadlock that needs no walk: a thread that waits for itself; once for the same thread, object and certainty.
  /// Returns only if the policy lets it wait on, or if it is suspected.
  package static func tell(_ wait: SelfWait) {
    guard policy != .ignore else { return }
    let signature = ThreadSlot.owner() << 40 ^ UInt64(wait.object) << 1 | 1
    let number = wait.doubt == nil ? signature : ~signature | 1
    guard Exploration.isOfCaller || hasRoom(isCertain: wait.doubt == nil) && claim(number) else { return }
    let holds = wait.holds.map { DeadlockReport.Object(kind: $0.kind, address: $0.address, name: $0.name) }
    let held = wait.word != 0 ? wait.word : holds?.address ?? wait.object
    var report = DeadlockReport(
      selfWait: wait.kind, wait.basis, object: wait.object, held: held, detail: wait.detail, holds: holds, hint: wait.hint)
    if let doubt = wait.doubt { report.doubt(doubt) }
    tell(report)
  }

  /// Whether there is memory for a report, at most without the names of functions. Else the report is a fixed text, once, and a certain
  /// deadlock stops the program as the policy says.
  static func hasRoom(isCertain: Bool) -> Bool {
    guard MemoryReserve.open() == .none else { return true }
    let isFirst = toldShortly.exchangeAcqRel(1) == 0  // acquire-release: of several one writes; nothing is read through it
    if isFirst {
      StandardError.write(
        fixed: """
          signalbox: threads wait for one another, or one for itself, and no memory is left to say which: raise the program's limit \
          (ulimit -v), or see with signalbox inspect, or in a core dump, where they stand

          """)
    }
    if isCertain, policy == .stop { Misuse.abortNow() }
    return false
  }
  private static let toldShortly = Atomic32(0)

  /// Writes, calls the handlers, and stops where it is certain: as the policy says.
  package static func tell(_ report: DeadlockReport) {
    let policy = policy
    guard policy != .ignore else { return }
    if Exploration.isOfCaller, report.certainty == .certain {
      ExplorerLink.fail { report.text(symbols: ReportSymbols(report)) }
    }
    let stops = policy == .stop && report.certainty == .certain, number = ReportNumber.next(.deadlock)
    let told = Telling.whileTelling {
      let symbols = ReportSymbols(report), text = report.text(symbols: symbols)
      return publish(.deadlock, number, text, fields: report.fields(symbols), details: report, stopsProgram: stops)
    }
    ReportDelivery.handOver(told)
    if stops { Misuse.abortNow() }
  }

  /// Writes a report where people and where machines read it.
  static func publish(
    _ kind: DiagnosticReport.Kind, _ number: UInt64, _ text: String, fields: [String], details: any Sendable,
    stopsProgram: Bool = false
  ) -> DiagnosticReport {
    let report = DiagnosticReport(kind, number, text: text, fields: fields, details: details, stopsProgram: stopsProgram)
    Misuse.report(report.text)
    ReportFiles.write(report)
    return report
  }

  // MARK: state

  private static let policyWord = Atomic32(0)
  // Signatures of all cycles that were reported, and a spin around the search and the note: of two threads that find the same cycle
  // at once only one may report it. A cycle stands forever, so the monitor finds it again and again.
  // SAFETY: guarded by `claiming`.
  nonisolated(unsafe) private static var told: Set<UInt64> = []
  private static let claiming = Atomic32(0)

  /// Whether the caller is the first with this signature.
  static func claim(_ signature: UInt64) -> Bool {
    // acquire, and release at the end: the set travels with the word; held for a few instructions, once for each deadlock.
    while !claiming.casAcquire(0, 1).exchanged { Parking.yield() }
    defer { claiming.storeRelease(0) }
    return told.insert(signature).inserted
  }

  private static func readPolicy() -> Policy {
    let text = Environment.value("SIGNALBOX_DEADLOCK")
    let policy: Policy? =
      switch text {
      case nil, "stop": .stop
      case "report": .report
      case "ignore": .ignore
      default: nil
      }
    let chosen = policy ?? .stop
    // acquire-release: of several threads that read the environment one decides
    guard policyWord.casAcqRel(0, chosen.rawValue).exchanged else { return self.policy }
    if policy == nil {
      Misuse.report("SIGNALBOX_DEADLOCK=\(text ?? "") is not known: say stop, report or ignore; deadlocks stop the program now")
    }
    return chosen
  }
}

// MARK: how long a cycle that the program could still open must have stood before it is reported

// What is certain is reported at once.

extension Deadlock {
  /// The number of nanoseconds after which such a cycle is reported; nil: never (`suspicionSeconds`).
  package static var suspicionDelay: UInt64? {
    // acquire: pairs with the release in `setSuspicionDelay`; a number, and nothing is read through it
    let delay = delayWord.loadAcquire()
    if delay == never { return nil }
    return delay == unset ? readSuspicionDelay() : delay
  }

  /// Sets it.
  // release: pairs with the acquire in `suspicionDelay`
  static func setSuspicionDelay(_ delay: UInt64?) { delayWord.storeRelease(delay ?? never) }

  private static let unset: UInt64 = .max, never: UInt64 = .max - 1
  private static let delayWord = Atomic64(unset)

  private static func readSuspicionDelay() -> UInt64? {
    let text = Environment.value(SuspicionText.variable)
    let read = text == "off" ? never : text.map { SuspicionText.nanoseconds($0) ?? unset } ?? SuspicionText.standard
    let delay = read == unset ? SuspicionText.standard : read
    // acquire-release: of several threads that read the environment one decides, and a setter before them
    guard delayWord.casAcqRel(unset, delay).exchanged else { return suspicionDelay }
    if read == unset {
      Misuse.report("\(SuspicionText.variable)=\(text ?? "") is not \(SuspicionText.rule), nor off: 5 is used")
    }
    return delay == never ? nil : delay
  }
}

/// The delay as people write it.
enum SuspicionText {
  fileprivate static let variable = "SIGNALBOX_SUSPECT_AFTER"
  static let rule = "a number of seconds from 0 to 86400"
  fileprivate static let standard: UInt64 = 5_000_000_000

  fileprivate static func nanoseconds(_ text: String) -> UInt64? {
    // The stall detector's numbers, and none.
    text.contains { $0 != "0" && $0 != "." } || !text.contains("0") ? StallPeriod.nanoseconds(text) : 0
  }
}
