// DeadlockReport.swift: a deadlock as a value: what each participant waits for, and which one holds that. In words it
// is DeadlockReport+Text.swift.
import SignalboxWaits
import SignalboxWords

/// A deadlock: threads that wait for one another forever.
///
/// ```swift
/// Signalbox.onReport { report in
///   guard let deadlock = report.deadlock else { return }
///   for thread in deadlock.participants {
///     print(thread.threadName, "waits for", thread.wants.description, "for", thread.seconds, "s")
///   }
/// }
/// ```
public struct DeadlockReport: Sendable {
  /// The certainty of a finding.
  public enum Certainty: String, Sendable {
    /// Proven: no thread, handler, timer or permitted call can end the wait.
    case certain
    /// Unchanged for some time, but something might still end it: a participant sleeps in the C library or in a system call,
    /// where it leaves no wait record, or the cycle consists of operations that may be cancelled. Never stops the program.
    case suspected
  }

  /// An object that is held and waited for.
  public struct Object: Sendable {
    /// The kind of object.
    public var kind: WaitKind
    /// The address of the object.
    public var address: UInt
    /// The name in the report: kind and label, or kind and address.
    public var name: String
    /// The object's description: type, label or name, address and state.
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
    /// The kind of item: `async`, `async and wait` or `work item`, preceded by `barrier` if it runs alone on a concurrent
    /// queue; `a job of an actor` or `a job of a task` for one of Swift's tasks.
    public var kind: String
    /// The address of the function of its closure, block or C function; 0 if it is not known.
    public var function: UInt
    /// What stands in the function's context where another function would, if that one is a thunk: addresses of functions, or words
    /// of another meaning.
    var inner: [UInt] = []
  }

  /// How a participant keeps the one before it waiting.
  enum Link: Sendable {
    /// By holding what that one wants, or what it depends on.
    case holds
    /// By being one of the threads that are inside beside others.
    case isInside
    /// By running an iteration of the loop whose end is wanted.
    case runsIteration
    /// By being the main thread.
    case isMainThread
  }

  /// One thread of the cycle.
  public struct Participant: Sendable {
    /// The kernel's identifier of the thread.
    public var threadID: UInt64
    /// The thread's name.
    public var threadName: String
    /// The object that it waits for; the next participant prevents it.
    public var wants: Object
    /// How the next participant prevents it, if not by holding the object itself.
    public var detail: String?
    /// How the next participant is named behind that.
    var link = Link.holds
    /// The object that it holds, if that is not what the previous participant wants.
    public var holds: Object?
    /// The seconds that it had waited when the report was made.
    public var seconds: Double
    /// The turns and locks that it is inside, innermost first.
    public var frames: [String]
    /// The item that it runs, of the innermost queue; nil if it runs none, or if it is not known.
    public var item: Item?
    /// The Swift task that it runs; nil if it runs none, or if that is not known.
    public var task: Task?
    /// The label of the queue whose item it runs; nil if it runs none.
    public var queue: String?
    /// The stack where it waits, as return addresses, innermost first; empty if not available.
    public var stack: [UInt]
    /// The stack where it acquired what the previous participant wants, as return addresses; nil if it was not recorded.
    public var acquired: [UInt]?
  }

  /// The certainty of the finding.
  public var certainty: Certainty
  /// The cycle: each participant waits for the next, and the last for the first.
  public var participants: [Participant]
  /// How to fix a deadlock of this kind.
  public var hint: String
  /// A cycle without threads: objects, such as operations, each of which waits for the next one to finish, and the last for the
  /// first. `participants` is empty then.
  public var ring: [Object] = []
  /// The number of seconds for which that cycle had existed when the report was made.
  public var ringSeconds = 0.0
  /// On what the certainty rests; nil if it is suspected.
  package private(set) var basis: CertaintyBasis?
  /// What could still end it, in words, where the suspicion is not that of a cycle seen twice.
  package private(set) var doubt: String?

  /// A finding that is suspected.
  init(suspected participants: [Participant], hint: String) {
    (certainty, self.participants, self.hint) = (.suspected, participants, hint)
  }

  /// A finding that is certain: the only way to make one.
  init(_ basis: CertaintyBasis, participants: [Participant], hint: String) {
    (certainty, self.participants, self.hint, self.basis) = (.certain, participants, hint, basis)
  }

  /// Makes it suspected: `doubt` says what could still end it.
  mutating func doubt(_ doubt: String) { (certainty, basis, self.doubt) = (.suspected, nil, doubt) }

  /// The participant that prevents participant `index` from continuing.
  ///
  /// ```swift
  /// Signalbox.onReport { report in
  ///   guard let cycle = report.deadlock, !cycle.participants.isEmpty else { return }
  ///   print(cycle.participants[0], "waits for", cycle.next(after: 0))
  /// }
  /// ```
  ///
  /// - Precondition: `index` is one of `participants.indices`.
  public func next(after index: Int) -> Participant { participants[(index + 1) % participants.count] }
  /// The object that participant `index` holds and that the previous one wants.
  ///
  /// ```swift
  /// Signalbox.onReport { report in
  ///   guard let cycle = report.deadlock else { return }
  ///   for index in cycle.participants.indices { print(cycle.participants[index], "holds", cycle.held(by: index)) }
  /// }
  /// ```
  ///
  /// - Precondition: `index` is one of `participants.indices`.
  public func held(by index: Int) -> Object {
    participants[index].holds ?? participants[(index + participants.count - 1) % participants.count].wants
  }
}

extension Look {
  /// What a finding allows.
  init(_ certainty: DeadlockReport.Certainty) { self = certainty == .certain ? .inPlace : .byCopy }
}
