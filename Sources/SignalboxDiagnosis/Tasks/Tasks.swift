// Tasks.swift: Swift's tasks of this process, as values for exporters, and as text. How they are found is TaskSet.swift
// (SignalboxView); the thread that writes a dump is TaskDump.swift.
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
  }

  /// All tasks at one moment.
  public struct Snapshot: Sendable {
    /// In the order of their numbers. Tasks of the runtime's own that end sleeps are left out.
    public let tasks: [Task]
    /// Tasks of which each waits for the next, the last for the first, by their numbers: none of them goes on ever.
    public let cycles: [[Int]]
  }

  /// The tasks of this moment.
  ///
  /// - Parameter withLines: whether functions have files and lines. That asks another process, `signalbox symbolicate`,
  ///   and takes up to two and a half seconds. Without lines functions come from the symbol tables.
  /// - Complexity: linear in the memory that the program has written: some 0.5 s for a gigabyte.
  public static func snapshot(withLines: Bool = true) -> Snapshot {
    guard !Instruments.isForkedChild, let set = TaskRows.own else { return Snapshot(tasks: [], cycles: []) }
    return Snapshot(set, withLines: withLines)
  }
}

extension Tasks.Snapshot {
  init(_ set: TaskSet, withLines: Bool) {
    let ends = set.sleepers, children = set.children
    let all = set.sorted.filter { ends[$0.address] == nil }
    // As addresses of a stack, which lie behind a call.
    let symbols = ReportSymbols(all.flatMap(\.awaits).map { UInt($0) &+ 1 }, withLines: withLines)
    func number(_ address: UInt64) -> Int? { set.tasks[address].map { Int($0.number) } }
    tasks = all.map { task in
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
        state: state, awaited: awaited, awaits: functions)
    }
    cycles = set.cycles.map { $0.compactMap(number) }
  }

  /// The tasks as one JSON object on one line: `tasks` and `taskCycles`, as `signalbox inspect --json` has them.
  public var json: String {
    let cycles = cycles.map { "[\($0.map { "\($0)" }.joined(separator: ","))]" }
    return "{\"tasks\":[\(tasks.map(\.json).joined(separator: ","))],\"taskCycles\":[\(cycles.joined(separator: ","))]}"
  }
}

extension Tasks.Task {
  fileprivate var json: String {
    let awaits = awaits.map { function in
      let place = function.file.map { ",\"file\":\(JSONText.quoted($0))" } ?? ""
      return "{\"function\":\(JSONText.quoted(function.name))\(place)\(function.line.map { ",\"line\":\($0)" } ?? "")}"
    }
    let fields = [
      "\"number\":\(number)", "\"name\":\(JSONText.quoted(name))", "\"priority\":\(priority)",
      isRaised ? "\"raised\":true" : nil,
      isCancelled ? "\"cancelled\":true" : nil, isAsyncLet ? "\"asyncLet\":true" : nil, parent.map { "\"parent\":\($0)" },
      "\"state\":\"\(state.rawValue)\"", awaited.map { "\"waitsFor\":\($0.json)" },
      "\"awaits\":[\(awaits.joined(separator: ","))]",
    ]
    return "{\(fields.compactMap { $0 }.joined(separator: ","))}"
  }
}

extension Tasks.Task.Awaited {
  fileprivate var json: String {
    switch self {
    case .task(let number): "{\"kind\":\"task\"\(number.map { ",\"task\":\($0)" } ?? "")}"
    case .children(let left): "{\"kind\":\"group\",\"children\":[\(left.map { "\($0)" }.joined(separator: ","))]}"
    case .continuation: "{\"kind\":\"continuation\"}"
    case .clock: "{\"kind\":\"clock\"}"
    case .executor(let type): "{\"kind\":\"executor\"\(type.map { ",\"type\":\(JSONText.quoted($0))" } ?? "")}"
    }
  }
}
