// MixedCycle.swift: a cycle of threads in which some sleep in waits of Signalbox's and some in the C library's mutexes:
// a value for reports. How one is found is MixedWalk.swift; when that is tried, ForeignCycleDetector.swift.
import SignalboxWaits
import SignalboxWords

/// Threads each of which waits for the next, the last for the first.
public struct MixedCycle: Sendable, Equatable {
  /// One of them.
  public struct Participant: Sendable, Equatable {
    /// The kernel's number of the thread.
    public var thread: Int32
    /// Its owner value; 0 if the thread never used Signalbox.
    public var owner: UInt64 = 0
    /// The sequence of its wait record, which says the rest; nil for a thread that sleeps in a mutex of the C library.
    public var sequence: UInt64?
    /// What it waits for: `foreignMutex`, or what its record says.
    public var kind: WaitKind
    /// The address of what it waits for: of the mutex, or of the object its record names.
    public var object: UInt
    /// The address of the word that names the next participant, which may be another object's: a queue's target, say.
    var word: UInt = 0
    /// The thread that holds it: the next participant's.
    public var next: Int32
    /// Nanoseconds of uptime: since when it waits. For a mutex of the C library: since when it has been seen to.
    public var since: UInt64 = 0
  }

  /// The threads, in the order in which they wait for each other.
  public var participants: [Participant]

  /// Whether any of them sleeps in a mutex of the C library. Such a cycle is *suspected* even though it was read twice: such
  /// mutexes report nothing, their memory is read. A cycle without one is certain.
  public var isMixed: Bool { participants.contains { $0.sequence == nil } }

  /// Like `WaitCycle.signature`, and the same number for a cycle of records alone.
  var signature: UInt64 {
    let sum = participants.reduce(UInt64(0)) {
      $0 &+ WaitCycle.mixed($1.owner != 0 ? $1.owner : UInt64(UInt32(bitPattern: $1.thread)) << 24, UInt64($1.object))
    }
    return sum | 1
  }

  /// Equal for the same threads in the same waits, whichever thread found the cycle and when.
  struct Identity: Hashable {
    private var parts: [UInt64] = []
    init(_ cycle: MixedCycle) {
      for part in cycle.participants.sorted(by: { $0.thread < $1.thread }) {
        parts += [
          UInt64(UInt32(bitPattern: part.thread)) << 32 | UInt64(UInt32(bitPattern: part.next)), part.sequence ?? .max,
          UInt64(part.object),
        ]
      }
    }
  }

  var identity: Identity { Identity(self) }
}
