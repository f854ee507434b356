// Row.swift: what one line of the bench is: a name, a piece of work, a bar and a floor. How it is run is Measuring/Runner.swift.

/// The parts of the table.
public enum RowGroup: String, Sendable, CaseIterable {
  /// `sync` with no other thread in the way.
  case sync = "sync, uncontended"
  /// `sync` from several threads.
  case contended = "sync, contended"
  /// `async` in all its forms.
  case async = "async"
  /// `concurrentPerform`.
  case parallel = "concurrentPerform"
  /// Semaphores and groups.
  case signals = "semaphores and groups"
  /// Making and freeing queues and work items.
  case objects = "queues and work items"
  /// Waking another thread.
  case wake = "waking a thread"
  /// Timers and clocks.
  case time = "time"
  /// Sources that are no timers.
  case sources = "sources"
  /// Reading and writing descriptors.
  case io = "dispatch I/O"
  /// Swift's tasks and actors.
  case tasks = "Swift's tasks"
  /// Questions to a queue.
  case questions = "questions to a queue"
  /// Pieces of data.
  case data = "data"
  /// Collections that threads share.
  case collections = "shared collections"
  /// Operations and their queues.
  case operations = "operations"
  /// Starting threads, and what they say of themselves.
  case threads = "threads"
  /// Blocks left with run loops, and their timers.
  case runLoops = "run loops and their timers"
  /// Posting to observers.
  case notifications = "notifications"
  /// Locks with no other thread in the way.
  case locks = "locks, uncontended"
  /// Locks that several threads want.
  case contendedLocks = "locks, contended, short section"
  /// Locks that several threads want for a while.
  case longLocks = "locks, contended, section of about 1.5 us"
}

/// How many operations one call of a workload is given.
public enum Batch: Sendable, Equatable {
  /// Always this many; a sample repeats the batch, so both libraries meet the same backlog.
  case fixed(Int)
  /// As many as fill the sample's time, at least this many.
  case elastic(minimum: Int)

  /// The smallest sensible call, for smoke runs and calibration.
  public var smallest: Int {
    switch self {
    case .fixed(let count): min(count, 1_000)
    case .elastic(let minimum): minimum
    }
  }
}

/// A piece of work that can be repeated: given a count, it runs that many operations and says how long they took.
public struct Workload {
  /// Runs the given number of operations; returns the nanoseconds that count.
  public let run: (Int) -> Double

  /// The whole call is timed.
  public static func timed(_ body: @escaping (Int) -> Void) -> Workload {
    Workload { count in
      let start = monotonicNanoseconds()
      body(count)
      return monotonicNanoseconds() - start
    }
  }

  /// The work times itself, because part of it (a pause) does not count.
  public static func selfTimed(_ body: @escaping (Int) -> Double) -> Workload {
    Workload(run: body)
  }
}

/// A further competitor in a row: measured in the same pairs as the two libraries.
public struct Peer {
  /// What it is, in a word or two.
  public let name: String
  /// Builds the workload.
  public let prepare: () -> Workload

  /// Describes a peer; `prepare` is called for every sample.
  public init(_ name: String, prepare: @escaping () -> Workload) {
    self.name = name
    self.prepare = prepare
  }
}

/// How much of a picture a row is.
public enum Weight: Sendable, Equatable {
  /// It stands for others.
  case leading
  /// It completes the picture; `--quick` leaves it out.
  case completing
}

/// One line of the bench.
public struct Row {
  /// Short and unique, in kebab-case.
  public let name: String
  /// The part of the table it belongs to.
  public let group: RowGroup
  /// What one operation is, in words.
  public let operation: String
  /// What is asked of Signalbox.
  public let bar: Bar
  /// The bare work that remains without any library.
  public let floor: Floor
  /// How many operations one call of the workload is given.
  public let batch: Batch
  /// How long one sample should take.
  public let sampleMilliseconds: Double
  /// Builds queues and threads; the workload keeps them alive.
  public let prepare: () -> Workload
  /// Further competitors.
  public var peers: [Peer] = []
  /// Of rows about locks: which lock, beside which, under what load.
  public var contest: LockContest?
  /// How much of a picture the row is.
  public var weight = Weight.leading

  /// Describes a row; `prepare` is called for every sample.
  public init(
    _ name: String, _ group: RowGroup, _ operation: String, bar: Bar, floor: Floor,
    batch: Batch = .elastic(minimum: 100), sampleMilliseconds: Double = 15, prepare: @escaping () -> Workload
  ) {
    self.name = name
    self.group = group
    self.operation = operation
    self.bar = bar
    self.floor = floor
    self.batch = batch
    self.sampleMilliseconds = sampleMilliseconds
    self.prepare = prepare
  }
}
