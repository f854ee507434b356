// CertaintyBasis.swift: every ground on which a deadlock is said to be certain. Which words each rests on, and which
// code may change them, is the table "What certainty rests on" in ../README.md; a test compares the two, and finds
// whoever says certain without a ground.

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
