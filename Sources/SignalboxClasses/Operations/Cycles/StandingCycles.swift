// StandingCycles.swift: cycles of operations that were closed, until they are reported or opened. How one is found is
// OperationCycle.swift, and across the kinds Bridges/CrossLibraryCycle.swift.
//
// A cycle is none as long as some code may still take a dependency away, and code that reverses one in two steps has
// closed a cycle for a moment. So it is noted when it closes, and reported, as suspected, when it has stood for a time
// (`Deadlock.suspicionSeconds`). Whatever opens a cycle must close it again to bring it back, and the thread that
// closes it notes it anew: one that still stands when its time has come has stood since its last note.
import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

enum StandingCycles {
  /// A cycle of which nothing is kept alive.
  struct Cycle: Sendable {
    /// The same for the same operations.
    let identity: [UInt]
    let hint: String
    /// Whether `members` calls code of the program's, such as an overridden `isFinished`.
    var asksProgram = false
    /// Its members in words, each waiting for the next, if it stands still.
    let members: @Sendable () -> [DeadlockReport.Object]?
  }
  private struct Note {
    let cycle: Cycle
    var since: UInt64
  }

  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var notes: [[UInt]: Note] = [:]
  nonisolated(unsafe) private static var mostNotes = 64
  /// When the next check is due; 0: none is.
  nonisolated(unsafe) private static var nextScan: UInt64 = 0

  /// The cycle was closed just now.
  static func note(_ cycle: Cycle) {
    guard Deadlock.policy != .ignore, let delay = Deadlock.suspicionDelay else { return }
    if delay == 0 { return tell(cycle, 0) }
    let now = Clock.uptime()
    let (mustSweep, mustCall) = lock.withLock { () -> (Bool, Bool) in
      notes[cycle.identity] = Note(cycle: cycle, since: now)
      defer { if nextScan == 0 { nextScan = now &+ delay } }
      return (notes.count > mostNotes, nextScan == 0)
    }
    // A program may close and open them by the thousand.
    if mustSweep { sweep() }
    if mustCall { ForeignCycleDetector.call(at: now &+ delay) { look() } }
  }

  /// Reports those whose time has come: on the monitor's thread, which runs nothing of the program's.
  private static func look() {
    let now = Clock.uptime(), delay = Deadlock.suspicionDelay
    let (due, next) = lock.withLock { () -> ([Note], UInt64) in
      let due = notes.values.filter { note in delay.map { now >= note.since &+ $0 } ?? true }
      for note in due { notes[note.cycle.identity] = nil }
      nextScan = notes.values.map { $0.since &+ (delay ?? 0) }.min() ?? 0
      return (due, nextScan)
    }
    if next != 0 { ForeignCycleDetector.call(at: next) { look() } }
    guard delay != nil else { return }
    for note in due {
      let seconds = Double(now - note.since) / 1e9
      if note.cycle.asksProgram {
        DispatchQueue.global().async { tell(note.cycle, seconds) }
      } else {
        tell(note.cycle, seconds)
      }
    }
  }

  private static func tell(_ cycle: Cycle, _ seconds: Double) {
    guard let members = cycle.members() else { return }
    Deadlock.tell(ring: members, seconds: seconds, hint: cycle.hint)
  }

  /// Forgets what was opened, if that is many; else there may be more.
  private static func sweep() {
    let all = lock.withLock { Array(notes.values) }
    let opened = all.filter { $0.cycle.members() == nil }
    lock.withLock {
      for note in opened where notes[note.cycle.identity]?.since == note.since { notes[note.cycle.identity] = nil }
      mostNotes = max(64, 2 * notes.count)
    }
  }
}
