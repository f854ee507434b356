// Inspection.swift: one inspection of a process, for tables, pictures and JSON: values. How it is made is
// Inspection+Making.swift.
import SignalboxSystem

/// What one copy of Signalbox in a process knows at one moment; or what there is to see of a process without Signalbox.
public struct Inspection: Sendable {
  /// One thread.
  package struct Thread: Sendable {
    var id: Int
    var name: String
    /// In words: `runs`, `sleeps`.
    var state: String
    var isMain: Bool
    /// It belongs to the diagnosis, and does nothing for the program.
    var isOwn: Bool
    /// What it is inside of, the innermost first: addresses of queues, and whether it runs an item of it rather than a `sync`.
    var inside: [(queue: String, isItem: Bool)]
    /// The kind of the item that it runs, what may be its function, and for how long it has run at least; nil: not for a second, or not known.
    var runs: (kind: String, function: [Place], seconds: Double?)?
    var wait: Wait?
    /// The system call that it sleeps in.
    var call: String?
    var stack: [Place]
    /// Why the stack is missing, or ends early.
    var stackEnd: String? = nil
    var isUnread: Bool
  }

  /// What a thread waits for.
  struct Wait: Sendable {
    var kind: String
    var object: String
    var name: String? = nil
    /// How long it has lasted; nil for a mutex of the C library.
    var seconds: Double? = nil
    var isLimited: Bool
    /// Why it lasts: `held`, `inside`, `main thread`, `pool`, `stopped`, `anyone`, `nobody`, `over`, `goes on`.
    var because: String
    /// The thread goes on whose end is awaited.
    static let goesOn = "goes on"
    /// The threads that keep it.
    var holders: [Int]
  }

  /// A place in an image.
  struct Place: Sendable, Hashable {
    /// The image's file; nil: the place lies in none.
    var image: String?
    var offset: ReadNumber
  }

  /// One queue.
  struct Queue: Sendable {
    var address: String
    var label: String
    var kind: String
    var qos: String
    /// 0 where that is not known: `isCounted`.
    var pending: Int
    var isCounted: Bool
    /// 0 where that is not known: `knowsDone`.
    var done: Int
    var knowsDone: Bool
    var owner: Int?
    var running: Int
    var limit: Int
    var suspended: Int
    var isInactive: Bool
    var target: String?
    /// The class of its most urgent item, and how many less urgent ones lie before that.
    var urgent: (qos: String, behind: Int)?
    /// The first items that lie in it, by kind and what may be the function.
    var next: [(kind: String, function: [Place])]
    var p50: Double?
    var p95: Double?
    /// For how long its oldest item has waited at least; nil: not known.
    var oldest: Double?
    /// How many sampled items have waited how long, by the buckets of WaitBucket, and the seconds of a tick; nil: not
    /// known.
    var waited: (counts: [UInt32], tick: Double)?
  }

  /// Threads of the pool for some classes.
  struct Pool: Sendable {
    var name: String
    var threads: Int
    var running: Int
    var idle: Int
    var limit: Int
    /// What each worker does, by the thread's number; and how many begin just now.
    var workers: [Int: String]
    var beginning = 0
  }

  /// An armed timer.
  struct Timer: Sendable {
    var kind: String
    /// Seconds until it is due; below 0: it is late; nil: not known.
    var due: Double?
    /// The queue to which it submits.
    var queue: String
    var function: [Place]
    /// The job of Swift's that it submits, or what may be one; 0: none. And the task whose sleep that ends.
    var job: UInt64 = 0
    var task: Int?
    /// It was to end a sleep that is over.
    var endsNothing = false
  }

  /// A descriptor that is monitored in one direction.
  struct Descriptor: Sendable {
    var number: Int
    /// `readable`, `writable`.
    var direction: String
    var label: String
  }

  /// Threads each of which waits for the next, the last for the first.
  struct Cycle: Sendable {
    var isCertain: Bool
    var threads: [Int]
  }

  /// Every place that is to be called by its function.
  var places: [Place] {
    var all = armed.flatMap(\.function)
    for thread in threads { all += (thread.runs?.function ?? []) + thread.stack }
    for queue in queues { for item in queue.next { all += item.function } }
    for task in tasks.all { all += task.awaits }
    for function in tasks.functions { all += function.places }
    return all
  }

  /// The process's number to itself.
  var process: Int32
  /// The file of the program or library in which the copy lies.
  var copy: String
  package var threads: [Thread]
  var queues: [Queue]
  var pools: [Pool]
  var timers: Int?
  /// The soonest of them.
  var armed: [Timer]
  var monitored: [Descriptor]
  /// How many signals, processes and files are monitored besides.
  var events: Int?
  var cycles: [Cycle]
  var unread: [String]
  /// How it was made: of `memory` that the kernel shows, of what the process `answers`, or of a `core` dump.
  var source: String
  /// How many pieces of a core dump are missing, since their memory makes no sense.
  var lost: Int
  /// Whether it is of a copy of Signalbox; else `copy` is the toolchain's libdispatch, or empty.
  var usesSignalbox = true
  /// What stands out besides, in sentences.
  var notes: [String] = []
  /// Swift's tasks, in the first inspection of a process: they are the process's.
  var tasks = Tasks()
}

extension Inspection {
  /// Whether threads wait for one another, or tasks.
  public var hasDeadlock: Bool { !cycles.isEmpty || !tasks.cycles.isEmpty }
}

extension Inspection.Queue {
  /// What people call it.
  var title: String { (kind.isEmpty ? "queue " : "\(kind) queue ") + (label.isEmpty ? address : "\"\(label)\"") }
}
