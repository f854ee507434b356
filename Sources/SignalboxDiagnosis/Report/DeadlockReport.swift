// DeadlockReport.swift: a deadlock as a value: who waits for what, held by whom. In words it is DeadlockReport+Text.swift.

/// Threads that wait for one another for ever.
public struct DeadlockReport: Sendable {
  /// How sure the finding is.
  public enum Certainty: String, Sendable {
    /// Proven: no thread, handler or timer, nor anybody by a call that is allowed, can still end it.
    case certain
    /// Seen unchanged for a time, but somebody might still end it: a part of it sleeps in the C library or elsewhere, where it
    /// leaves no record, or consists of operations that may be cancelled. Never stops the program.
    case suspected
  }

  /// Something that is held and waited for.
  public struct Object: Sendable {
    /// What it is.
    public var kind: WaitKind
    /// Where it lies.
    public var address: UInt
    /// What the report calls it: kind and label, or kind and address.
    public var name: String
    /// What `print` shows of it: type, label or name, address and state.
    public var description: String
    package init(kind: WaitKind, address: UInt, name: String, description: String? = nil) {
      self.kind = kind
      self.address = address
      self.name = name
      self.description = description ?? ObjectNaming.description(kind, address)
    }
  }

  /// The item of a queue that a thread runs.
  public struct Item: Sendable {
    /// What it is: `async`, `async and wait`, `work item`, with `barrier` before it where it runs alone on a concurrent queue.
    public var kind: String
    /// The address of the function behind its closure or block, or of the C function; 0 if it is not known.
    public var function: UInt
    /// What stands in the function's context where another function would, if that one is a thunk: addresses of functions, or words
    /// of another meaning.
    var inner: [UInt] = []
  }

  /// How a participant keeps the one before it waiting.
  enum Link: Sendable {
    /// By holding what that one wants, or what it depends on.
    case holds
    /// By being one of those who are inside beside others.
    case isInside
    /// By running an iteration of the loop whose end is wanted.
    case runsIteration
    /// By being the main thread.
    case isMainThread
  }

  /// One thread of the chain.
  public struct Participant: Sendable {
    /// The kernel's number of the thread.
    public var threadID: UInt64
    /// The thread's name.
    public var threadName: String
    /// What it waits for; the next participant of the chain keeps it from it.
    public var wants: Object
    /// How the next participant keeps it, where that is not by holding the object itself.
    public var detail: String?
    /// How the next participant is named behind that.
    var link = Link.holds
    /// What it holds, where that is not what the participant before it wants.
    public var holds: Object?
    /// Seconds it had waited when the report was made.
    public var seconds: Double
    /// What it is inside of, innermost first.
    public var frames: [String]
    /// The item that it runs: of the innermost queue whose items it takes; nil if it runs none, or none that is known.
    public var item: Item?
    /// The label of the queue whose item it runs; nil if it runs none.
    public var queue: String?
    /// Return addresses from where it waits outward; empty if they could not be had.
    public var stack: [UInt]
    /// Where it acquired what the participant before it wants: return addresses; nil if nobody took notes.
    public var acquired: [UInt]?
  }

  /// How sure it is.
  public var certainty: Certainty
  /// The chain: each waits for the next, the last for the first.
  public var participants: [Participant]
  /// How such a deadlock is mended.
  public var hint: String
  /// A circle without threads: things, in the kinds' words operations, of which each waits for the next to finish, the last for
  /// the first. There are no participants then.
  public var ring: [Object] = []
  /// For how many seconds that circle had stood when the report was made.
  public var ringSeconds = 0.0

  /// Who keeps participant `index` waiting.
  public func next(after index: Int) -> Participant { participants[(index + 1) % participants.count] }
  /// What participant `index` holds that the one before it wants.
  public func held(by index: Int) -> Object {
    participants[index].holds ?? participants[(index + participants.count - 1) % participants.count].wants
  }
}
