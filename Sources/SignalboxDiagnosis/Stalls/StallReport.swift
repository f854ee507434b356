// StallReport.swift: waits that nobody is left to end, as a value. In words it is StallReport+Text.swift; who waits for whom
// in a cycle is DeadlockReport.swift.

/// Threads whose waits nothing can end.
public struct StallReport: Sendable {
  /// The cause of a stall.
  public enum Cause: String, Sendable {
    /// Work is queued, and every thread that the pool may have waits for something that only other threads would do.
    case pool = "pool exhausted"
    /// The main queue has items, and the main thread does not return to it.
    case mainQueue = "main queue not drained"
    /// Objects of an upper layer, such as operations, depend on each other in a cycle.
    case cycle = "dependency cycle"
    /// Every thread that could end the waits waits itself.
    case nobody = "nobody left"
    /// No thread waits with Signalbox, and nothing can happen any more.
    case still = "nothing left"
  }

  /// An object that is waited for.
  public struct Object: Sendable {
    /// The object: its kind, address and name.
    public var object: DeadlockReport.Object
    /// The missing action.
    public var lacks: String
    /// For a group: where it was entered while the stall detector was on, as far as it has not been left since.
    public var enters: [Enter]
    /// For a stopped queue: the stack where it was last suspended or made inactive while the stall detector was on.
    public var stopped: [UInt] = []
    /// For a stopped queue: its first items, at most 8.
    public var items: [DeadlockReport.Item] = []
  }

  /// Calls of `enter()` for a group at one place.
  public struct Enter: Sendable {
    /// The number of calls.
    public var count: Int
    /// The stack of the call, as return addresses, innermost first; empty if not available.
    public var stack: [UInt]
  }

  /// The certainty. Suspected: a thread sleeps in a system call that is not one of Signalbox's waits, and might still end the
  /// stall.
  public var certainty: DeadlockReport.Certainty
  /// The cause of the stall.
  public var cause: Cause
  /// A summary in one sentence.
  public var summary: String
  /// The objects that are waited for, each once, followed by stopped queues with items that might end a wait.
  public var objects: [Object]
  /// The threads that wait with Signalbox, those that the cause is about first; at most 24.
  public var participants: [DeadlockReport.Participant]
  /// The number of waiting threads that are not listed.
  public var omitted: Int
  /// What might still end the stall, in words; empty if it is certain.
  public var mayStillEnd: [String]
  /// How to fix a stall of this kind.
  public var hint: String
  /// If nothing can happen any more: the item that started last; nil if none was recorded.
  public var last: DeadlockReport.Item?
  /// The number of seconds since that item started.
  public var lastSeconds = 0.0
  /// If nothing can happen any more: the threads that sleep without limit in what is not Signalbox's (locks, conditions, semaphores, calls
  /// of the system); at most 24.
  public var sleepers: [Sleeper] = []

  /// The threads that have what others wait for.
  var holders: [Holder] = []
  /// If nothing can happen any more: which of Foundation's own operations wait for one another, or which nothing starts, as lines.
  public var operations: [String] = []
  /// If nothing can happen any more: what Swift's tasks wait for, those that do the same at the same place as one; at
  /// most eight.
  public var tasks: [Tasks] = []
  /// If nothing can happen any more: tasks that wait for one another, as lines.
  public var taskCycles: [String] = []

  /// A thread that sleeps in something that is not Signalbox's.
  public struct Sleeper: Sendable {
    /// The kernel's number of the thread.
    public var threadID: UInt64
    /// The name of the thread.
    public var threadName: String
    /// The stack of its wait, as return addresses, innermost first; empty if not available.
    public var stack: [UInt]
    /// What it does, in words.
    var deed: String
  }
}
