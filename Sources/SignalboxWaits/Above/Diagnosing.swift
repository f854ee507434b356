// Diagnosing.swift: what the layers of waits, locks and queues leave to the diagnosis above them: searching, names,
// reporting; the grounds on which they say that a deadlock is certain; and whether its monitor sleeps. They do not name
// it; it conforms once, and is linked into every program.
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

// MARK: every ground on which a deadlock is said to be certain

// Which words each rests on, and which code may change them, is the table "What certainty rests on" in
// SignalboxDiagnosis/README.md; a test compares the two, and finds code that says certain without a ground.
/// Why a wait can never end.
///
/// Certainty rests on words that only the threads of the report could change, and they wait. A word that another thread
/// may change counts only where no other thread can act.
package enum CertaintyBasis: String, Sendable, CaseIterable {
  /// Threads wait for what the next one holds; the walk before a park has read it twice.
  case owners
  /// The same, found by the monitor.
  case ownersLater
  /// The thread asks for a lock that it holds.
  case ownLock
  /// The thread asks to write what it reads.
  case ownReading
  /// The thread waits for an operation, or its queue, inside of its `main()`.
  case ownMain
  /// The thread waits for the work item whose block it runs.
  case ownRun
  /// The thread waits for a work item that lies where only it could run it.
  case ownItem
  /// The thread waits for a group whose members lie where only it could run them, and nothing else in the process could
  /// act.
  case ownMembers
  /// Waits that every thread left in the process is part of, or depends on.
  case nobodyLeft
}

// MARK: whether the monitor sleeps

// It searches for cycles in the C library's mutexes. One word, which every wait without limit reads. The monitor is
// ForeignCycleDetector (SignalboxDiagnosis).
/// The monitor's sleep.
package enum MonitorWord {
  package static let asleep: UInt32 = 0, awake: UInt32 = 1, off: UInt32 = 2
  package static let word = Atomic32(asleep)

  /// An untimed wait or an item of the pool has begun: one load while the monitor is awake.
  // seq_cst W1: after the record or the pool's count was written; pairs with W2 of ForeignCycleDetector.swift, the monitor's
  // going to sleep: of the two one sees the other.
  @inline(__always) package static func noticed() {
    if word.loadSeqCst() == asleep { Diagnosis.above?.wakeMonitor() }  // seq_cst W1: ForeignCycleDetector.swift
  }
}
