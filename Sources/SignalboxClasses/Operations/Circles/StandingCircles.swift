// StandingCircles.swift: circles of operations that were closed, until they are reported or opened. How one is found is
// OperationCycle.swift, and across the kinds Bridges/MixedCircle.swift.
//
// A circle is none as long as somebody may still take a dependency away, and who reverses one in two steps has closed a circle
// for a moment. So it is noted when it closes, and reported, as suspected, when it has stood for a time
// (`Deadlock.suspicionSeconds`). Whatever opens a circle must close it again to bring it back, and whoever closes it notes it
// anew: one that still stands when its time has come has stood since its last note.
import Foundation
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

enum StandingCircles {
  /// A circle of which nothing is kept alive.
  struct Circle: Sendable {
    /// The same for the same operations.
    let identity: [UInt]
    let hint: String
    /// Whether `members` calls code of the program's, such as an overridden `isFinished`.
    var asksProgram = false
    /// Its members in words, each waiting for the next, if it stands still.
    let members: @Sendable () -> [DeadlockReport.Object]?
  }
  private struct Note {
    let circle: Circle
    var since: UInt64
  }

  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var notes: [[UInt]: Note] = [:]
  nonisolated(unsafe) private static var mostNotes = 64
  /// When the next check is due; 0: none is.
  nonisolated(unsafe) private static var nextScan: UInt64 = 0

  /// The circle was closed just now.
  static func note(_ circle: Circle) {
    guard Deadlock.policy != .ignore, let delay = Deadlock.suspicionDelay else { return }
    if delay == 0 { return tell(circle, 0) }
    let now = Clock.uptime()
    let (mustSweep, mustCall) = lock.withLock { () -> (Bool, Bool) in
      notes[circle.identity] = Note(circle: circle, since: now)
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
      for note in due { notes[note.circle.identity] = nil }
      nextScan = notes.values.map { $0.since &+ (delay ?? 0) }.min() ?? 0
      return (due, nextScan)
    }
    if next != 0 { ForeignCycleDetector.call(at: next) { look() } }
    guard delay != nil else { return }
    for note in due {
      let seconds = Double(now - note.since) / 1e9
      if note.circle.asksProgram {
        DispatchQueue.global().async { tell(note.circle, seconds) }
      } else {
        tell(note.circle, seconds)
      }
    }
  }

  private static func tell(_ circle: Circle, _ seconds: Double) {
    guard let members = circle.members() else { return }
    Deadlock.tell(ring: members, seconds: seconds, hint: circle.hint)
  }

  /// Forgets what was opened, if that is many; else there may be more.
  private static func sweep() {
    let all = lock.withLock { Array(notes.values) }
    let opened = all.filter { $0.circle.members() == nil }
    lock.withLock {
      for note in opened where notes[note.circle.identity]?.since == note.since { notes[note.circle.identity] = nil }
      mostNotes = max(64, 2 * notes.count)
    }
  }
}
