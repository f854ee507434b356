// StallReport.swift: waits that nobody is left to end, as a value. In words it is StallReport+Text.swift; who waits for whom
// in a circle is DeadlockReport.swift.

/// Threads that wait for what nobody is left to do.
public struct StallReport: Sendable {
  /// Why nobody is left.
  public enum Cause: String, Sendable {
    /// Work is queued, all threads that the pool may have wait, and none of them for anything but what others would do.
    case pool = "pool exhausted"
    /// Items lie in the main queue, and the main thread does not come back to it.
    case mainQueue = "main queue not drained"
    /// Objects of a layer above depend on themselves: operations, say.
    case circle = "dependency circle"
    /// Whoever could end the waits waits as well.
    case nobody = "nobody left"
    /// Nobody waits with us, and nothing can happen any more.
    case still = "nothing left"
  }

  /// Something that is waited for.
  public struct Object: Sendable {
    /// What, where, and what it is called.
    public var object: DeadlockReport.Object
    /// What nobody is left to do.
    public var lacks: String
    /// Of a group: where it was entered while the stall detector was on, until as many had left.
    public var enters: [Enter]
    /// Of a stopped queue: where it was last suspended, or made inactive, while the stall detector was on, from there outward.
    public var stopped: [UInt] = []
    /// Of a stopped queue: the first of the items that lie in it, at most 8.
    public var items: [DeadlockReport.Item] = []
  }

  /// Enters of a group from one place.
  public struct Enter: Sendable {
    /// How often.
    public var count: Int
    /// Return addresses from the enter outward; empty if they could not be had.
    public var stack: [UInt]
  }

  /// How sure it is. Suspected: somebody sleeps in a system call that is none of our waits, and might still come and end it.
  public var certainty: DeadlockReport.Certainty
  /// Why nobody is left.
  public var cause: Cause
  /// What happened, in one sentence.
  public var summary: String
  /// What is waited for, each once; then stopped queues with items that might end a wait.
  public var objects: [Object]
  /// The threads that wait with us: first those that the cause is about. At most 24.
  public var participants: [DeadlockReport.Participant]
  /// How many threads wait besides, which are not listed.
  public var omitted: Int
  /// Who might still end it, in words; none if it is certain.
  public var mayStillEnd: [String]
  /// How such a stall is mended.
  public var hint: String
  /// Where nothing can happen any more: the item that began last, and how many seconds ago; nil if none was noted.
  public var last: DeadlockReport.Item?
  /// See `last`.
  public var lastSeconds = 0.0
}
