// Tasks.swift: Swift's tasks of this process, as values for exporters. How they are found is TaskSet.swift, their times
// are TaskTimes.swift (SignalboxView); the thread that writes a dump is TaskDump.swift, JSON is Tasks+JSON.swift.
import SignalboxSystem
import SignalboxView

/// Swift's tasks of the running program: what each does, what it waits for, and the functions that await.
///
/// ```
/// let snapshot = Tasks.snapshot()
/// for task in snapshot.tasks where task.state == .suspended { print(task.number, task.awaits.first?.name ?? "") }
/// ```
/// Nothing has to be switched on, and tasks are not stopped: the runtime's own words are read. Known is the runtime of
/// Swift 6.3. Of another one there are no tasks here, nor where the kernel lets no process copy its own memory.
///
/// Thread safety: everything here may be used from any thread. In the child of a fork there are no tasks.
public enum Tasks {
  /// A function of the program's that awaits another.
  public struct Function: Sendable, Equatable {
    /// As the compiler wrote it.
    public let name: String
    /// The source file's path, and the line of the await in it; nil where there is no debug information, or lines were
    /// not wanted.
    public let file: String?, line: Int?
  }

  /// One task.
  ///
  /// ```swift
  /// for task in Tasks.snapshot().tasks where task.state == .suspended {
  ///   print(task.number, task.name, task.awaits.first?.name ?? "", task.isCancelled)
  /// }
  /// ```
  public struct Task: Sendable {
    /// What a task does.
    public enum State: String, Sendable {
      /// Its function runs on a thread.
      case running
      /// It is in the list of an executor.
      case queued
      /// It waits for another task, for a child of its group, or for a continuation.
      case suspended
      /// It waits for a clock.
      case sleeping
      /// It has not begun.
      case new
    }
    /// What a task waits for.
    public enum Awaited: Sendable, Equatable {
      /// The value of the task with this number; nil: that one has ended just now.
      case task(Int?)
      /// A child of its group: the numbers of those that are left.
      case children([Int])
      /// A continuation, which anything in the program may resume.
      case continuation
      /// A clock.
      case clock
      /// Its turn on an executor: the type of the actor or of another executor; nil: the default executor, or it is not
      /// known.
      case executor(String?)
    }

    /// The times of one task, in seconds: on queues and threads of Signalbox's pool. A task that goes on there begins a
    /// *part*, which ends at an `await` that suspends it. What it does on an actor is between parts.
    public struct Times: Sendable, Equatable {
      /// How many parts have begun.
      public let parts: Int
      /// Since the task was queued or begun for the first time.
      public let age: Double
      /// For how long it has been in its state, at most: while it is on an actor, since it left the pool.
      public let since: Double
      /// For how long it ran, and for how long it was queued.
      public let busy: Double, queued: Double
    }

    /// Counted from 1 in the process.
    public let number: Int
    /// The name that the program gave, or nothing.
    public let name: String
    /// The raw value of its `TaskPriority`, and whether that is higher than the one with which it was made.
    public let priority: UInt8, isRaised: Bool
    /// Whether it was cancelled.
    public let isCancelled: Bool
    /// Whether it is an `async let`.
    public let isAsyncLet: Bool
    /// The number of the task whose child it is; nil: it is none's.
    public let parent: Int?
    /// What it does.
    public let state: State
    /// What it waits for; nil: it runs, or has not begun.
    public let awaited: Awaited?
    /// The program's functions with which it and those that await it go on, the innermost first. None of a task that
    /// runs: its thread's stack has them.
    public let awaits: [Function]
    /// Its times; nil: they are not noted (`Snapshot.startCounting()`, `SIGNALBOX_FIGURES=1`, `SIGNALBOX_INSPECT=1`),
    /// nothing of it has happened since they are, or it has run elsewhere.
    public let times: Times?
  }

  /// The tasks that have begun in one function since times are noted, also those that have ended.
  ///
  /// ```swift
  /// for sum in Tasks.snapshot().functions { print(sum.function.name, sum.tasks, sum.busy, sum.queued) }
  /// ```
  public struct FunctionTimes: Sendable, Equatable {
    /// The function.
    public let function: Function
    /// How many tasks were queued to begin in it, and how many parts of them have begun.
    public let tasks: Int, parts: Int
    /// For how many seconds the parts that have ended ran, were queued before, and lie apart.
    public let busy: Double, queued: Double, between: Double
  }

  /// All tasks at one moment.
  ///
  /// ```swift
  /// let snapshot = Tasks.snapshot(withLines: false)
  /// print(snapshot.tasks.count, snapshot.cycles.isEmpty)
  /// ```
  public struct Snapshot: Sendable {
    /// In the order of their numbers. Tasks of the runtime's own that end sleeps are left out.
    public let tasks: [Task]
    /// Tasks of which each waits for the next, the last for the first, by their numbers: none of them goes on ever.
    public let cycles: [[Int]]
    /// The times by function, the one with most in it first; none where times are not noted.
    public let functions: [FunctionTimes]
  }

  /// The tasks of this moment.
  ///
  /// ```swift
  /// let waiting = Tasks.snapshot().tasks.filter { $0.awaited != nil }
  /// print(waiting.count)
  /// ```
  ///
  /// - Parameter withLines: whether functions have files and lines. That asks another process, `signalbox symbolicate`,
  ///   and takes up to two and a half seconds. Without lines functions come from the symbol tables.
  /// - Complexity: linear in the memory that the program has written: some 0.5 s for a gigabyte.
  public static func snapshot(withLines: Bool = true) -> Snapshot {
    guard !Instruments.isForkedChild, let set = TaskRows.own else { return Snapshot(tasks: [], cycles: [], functions: []) }
    return Snapshot(set, withLines: withLines)
  }
}

extension Tasks.Snapshot {
  init(_ set: TaskSet, withLines: Bool) {
    let ends = set.sleepers, children = set.children
    let all = set.sorted.filter { ends[$0.address] == nil }
    let clock = (ticks: Clock.ticks(), uptime: Clock.uptime())
    let secondsPerTick = FiguresReader(.own).secondsPerTick(now: clock), register = TaskTimes(.own)
    // Next to the states, and each before the clock is read: the program goes on, and the symbols take their time.
    let times = all.map { task -> Tasks.Task.Times? in
      guard let length = secondsPerTick, let times = register?.times(of: task) else { return nil }
      return Tasks.Task.Times(times, times.spans(task.state, at: Clock.ticks()), secondsPerTick: length)
    }
    let sums = secondsPerTick == nil ? [] : TaskFunctionSum.all(in: .own)
    // As addresses of a stack, which lie behind a call.
    let beginnings = sums.flatMap { [$0.function, $0.inner] }.filter { $0 != 0 }
    let symbols = ReportSymbols((all.flatMap(\.awaits) + beginnings).map { UInt($0) &+ 1 }, withLines: withLines)
    func number(_ address: UInt64) -> Int? { set.tasks[address].map { Int($0.number) } }
    tasks = zip(all, times).map { task, times in
      let (state, awaited): (Tasks.Task.State, Tasks.Task.Awaited?) =
        switch task.state {
        case .running: (.running, nil)
        case .new: (.new, nil)
        case .queued(let executor): (.queued, .executor(executor == 0 ? nil : SwiftClass(ofObject: executor, in: .own)?.name))
        case .continuation: task.isAsleep ? (.sleeping, .clock) : (.suspended, .continuation)
        case .task(let other): (.suspended, .task(number(other)))
        case .group(let group): (.suspended, .children((children[group] ?? []).map { Int($0.number) }.sorted()))
        }
      let functions = symbols.awaiting(task.awaits.map { UInt($0) &+ 1 }).compactMap { frame in
        frame.name.map { _ in Tasks.Function(name: frame.function, file: frame.file, line: frame.line) }
      }
      return Tasks.Task(
        number: Int(task.number), name: task.name, priority: task.priority, isRaised: task.priority > task.basePriority,
        isCancelled: task.isCancelled, isAsyncLet: task.isAsyncLet, parent: task.parent == 0 ? nil : number(task.parent),
        state: state, awaited: awaited, awaits: functions,
        times: times)
    }
    cycles = set.cycles.map { $0.compactMap(number) }
    functions = sums.compactMap { sum in
      let named = symbols.beginning([sum.function, sum.inner].map { UInt($0) &+ 1 })
      guard let named, let length = secondsPerTick else { return nil }
      return Tasks.FunctionTimes(
        function: Tasks.Function(name: named.function, file: named.file, line: named.line), sum, secondsPerTick: length)
    }.sorted { ($0.busy, $0.parts) > ($1.busy, $1.parts) }
  }
}

extension Tasks.Task.Times {
  fileprivate init(_ times: TaskTimes.Times, _ spans: TaskTimes.Spans, secondsPerTick: Double) {
    func seconds(_ ticks: UInt64) -> Double { Double(ticks) * secondsPerTick }
    self.init(
      parts: Int(times.parts), age: seconds(spans.age), since: seconds(spans.since), busy: seconds(spans.busy),
      queued: seconds(spans.queued))
  }
}

extension Tasks.FunctionTimes {
  fileprivate init(function: Tasks.Function, _ sum: TaskFunctionSum, secondsPerTick: Double) {
    func seconds(_ ticks: UInt64) -> Double { Double(ticks) * secondsPerTick }
    self.init(
      function: function, tasks: Int(clamping: sum.tasks), parts: Int(clamping: sum.parts), busy: seconds(sum.busy),
      queued: seconds(sum.queued), between: seconds(sum.between))
  }
}
