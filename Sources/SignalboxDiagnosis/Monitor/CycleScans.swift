// CycleScans.swift: when the monitor searches for cycles through operations, in which threads wait: whether the stall
// detector is on or not; and the program's word on how long such a cycle must have stood. What a snapshot is, and why
// these are no cycles of owners, is Stalls/README.md.
import SignalboxSystem
import SignalboxWords

/// The scans that waits for operations are due for.
struct CycleScans {
  /// The first scan's age, in nanoseconds, unless suspicions are reported sooner; each next one is twice as old.
  private static let firstAge: UInt64 = 1_000_000_000
  private static let mostScans = 16

  private var delay: UInt64?
  private var schedule = ScanSchedule(ages: [])
  private var isDue = false
  /// When something that was seen once is scanned again.
  private var again: UInt64?

  private var age: UInt64 { min(Self.firstAge, max(delay ?? 0, 10_000_000)) }

  /// A round begins. The program may have set another time at which suspicions are reported.
  mutating func begin() {
    guard Deadlock.suspicionDelay != delay else { return }
    delay = Deadlock.suspicionDelay
    schedule = ScanSchedule(ages: (0..<Self.mostScans).map { age << UInt64($0) })
  }

  /// Notes a wait for operations that stands.
  mutating func note(slot: UInt64, stamp: UInt64, since: UInt64, now: UInt64) {
    if schedule.note(.wait(slot: slot), stamp: stamp, since: since, now: now) == .scan { isDue = true }
  }

  /// All waits have been noted: scans if it is time, and says when to come again.
  mutating func round(_ now: UInt64) -> UInt64? {
    schedule.endRound()
    guard delay != nil else { return nil }
    if isDue || again.map({ $0 <= now }) == true {
      isDue = false
      again = StallDetector.scanForCycles(patience: age)
    }
    return [schedule.next, again].compactMap { $0 }.min()
  }
}

extension WaitKind {
  /// Whether it is the end of operations that is waited for.
  var isOfOperations: Bool { self == .operation || self == .operationQueue }
}

// MARK: how long what is suspected must have stood

// The monitor hears of a new time. Where it is kept is Report/Deadlock.swift.

extension Deadlock {
  /// The number of seconds after which a cycle of operations that have not started is reported as suspected; nil for never, 0
  /// for at once. The cycle must have existed unchanged for that time, because `cancel()`, `removeDependency(_:)` or a higher
  /// maximum would break it.
  ///
  /// Initially set by `SIGNALBOX_SUSPECT_AFTER` (seconds, or `off`), otherwise 5. A suspected deadlock never stops the program.
  /// - Precondition: the value is from 0 to 86400, or nil; otherwise the program is stopped.
  public static var suspicionSeconds: Double? {
    get { suspicionDelay.map { Double($0) / 1e9 } }
    set {
      if let seconds = newValue, !(0...86_400).contains(seconds) {
        Misuse.stop("Deadlock.suspicionSeconds is set to \(seconds): give \(SuspicionText.rule), or nil for never")
      }
      setSuspicionDelay(newValue.map { UInt64($0 * 1e9) })
      ForeignCycleDetector.noticed()
    }
  }
}
