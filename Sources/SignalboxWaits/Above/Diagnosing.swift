// Diagnosing.swift: what the layers of waits, locks and queues leave to the diagnosis above them: searching, names,
// reporting. They do not name it; it conforms once, and is linked into every program.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// What the diagnosis does when it is called from below. Any thread may call, several at once.
package protocol Diagnosing: Sendable {
  // MARK: deadlocks

  /// Searches for a cycle through the calling thread, which has published its wait without limit. True: one was
  /// reported, and the record must be published again, because a handler may have waited for something itself.
  /// Allocates nothing unless it reports.
  func waitBegins() -> Bool
  /// Searches for cycles through the threads that wait while they are inside `object`, which has just been closed to
  /// newcomers.
  func isClosed(_ object: UInt)
  /// Reports a deadlock that needs no walk. Returns only if the policy lets the thread wait on, or if it is suspected.
  func tell(_ wait: SelfWait)
  /// Whether deadlocks are reported at all.
  var reportsDeadlocks: Bool { get }
  /// Whether anything but the calling thread could still act. Allocates; some file reads for each thread.
  func standstill() -> Standstill
  /// The monitor sleeps, and something is outstanding: wakes it.
  func wakeMonitor()
  /// A wait or a primitive was seen while the stall detector is on.
  func stallDetectorIsNeeded()

  // MARK: names

  /// See `LockNames`.
  func name(_ lock: UInt, _ name: String, level: Int?, object: UInt)
  func unname(_ lock: UInt)
  /// The lock at an address is no more.
  func isGone(_ lock: UInt)
  func name(of lock: UInt) -> String?

  // MARK: misuse and the main queue

  /// The program is stopped for misuse when this returns: adds to the message, which is written already, what is known
  /// of it.
  func tell(misuse message: String, _ subject: Misuse.Subject?, stack: [UInt])

  /// Reports an item of the main queue that has run for longer than the limit, both in nanoseconds.
  func tell(longItem: RunningItem?, nanoseconds: UInt64, limit: UInt64, thread: Int32, stack: StackReading)
}

/// The diagnosis.
package enum Diagnosis {
  // SAFETY: written while images are loaded, by one thread, before anything of the layers below is used.
  /// Left here by the layer above.
  nonisolated(unsafe) package static var above: (any Diagnosing)?
}

/// A wait of a thread for itself.
package struct SelfWait: Sendable {
  /// What the thread holds.
  package struct Held: Sendable {
    package var kind: WaitKind
    package var address: UInt
    package var name: String

    package init(kind: WaitKind, address: UInt, name: String) { (self.kind, self.address, self.name) = (kind, address, name) }
  }

  package var kind: WaitKind
  /// On what the certainty rests.
  package var basis: CertaintyBasis
  package var object: UInt
  /// The lock's word, where reports do not find the lock by that; 0 where they do.
  package var word: UInt = 0
  package var detail: String?
  /// What the thread holds, where that is not the object it wants.
  package var holds: Held?
  /// What could still end it: then it is suspected. nil: nothing could.
  package var doubt: String?
  package var hint: String

  package init(
    _ kind: WaitKind, _ basis: CertaintyBasis, object: UInt, word: UInt = 0, detail: String? = nil, holds: Held? = nil,
    doubt: String? = nil, hint: String
  ) {
    (self.kind, self.basis, self.object, self.word) = (kind, basis, object, word)
    (self.detail, self.holds, self.doubt, self.hint) = (detail, holds, doubt, hint)
  }
}

/// What else there is in the process, beside a thread that waits.
package enum Standstill: Sendable {
  /// Every other thread sleeps without limit in a wait that is read, or until it is given work, and nothing is armed,
  /// monitored or handled: nothing will act.
  case nobody
  /// Every other thread sleeps, but something may come: a limit, a system call's end, a timer, a descriptor, a signal.
  case quiet
  /// A thread runs, or moved while the process was read.
  case moving
}
