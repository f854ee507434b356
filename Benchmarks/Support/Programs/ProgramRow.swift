// ProgramRow.swift: a row of `signalbox bench --unmodified`: what a program that knows nothing of Signalbox does, on either
// library. The work is in Benchmarks/Unmodified; rows that one process runs on both libraries are Row.swift.

/// One row: a program is started on each library in turn, and does one thing.
public struct ProgramRow: Sendable {
  /// The program that does it, by its file beside the command.
  public enum Program: String, Sendable {
    /// C, with blocks and with functions.
    case c = "BenchProgramC"
    /// Swift, by `import Dispatch` and by its concurrency.
    case swift = "BenchProgramSwift"
  }

  /// How the program comes to Signalbox's library.
  public enum Way: Sendable {
    /// By the variable that `signalbox env` prints.
    case environment
    /// Through `signalbox run`.
    case command
  }

  /// What is asked of Signalbox.
  public enum Bar: Sendable, Equatable {
    /// toolchain ÷ Signalbox of the nanoseconds that the program reports is at least this.
    case ratio(Double)
    /// The whole process, from its start to its end, takes at most so much longer.
    case longer(milliseconds: Double)

    /// "Not slower", with the allowance that noise needs.
    public static let notSlower = Bar.ratio(0.95)

    /// A few characters for a table.
    public var text: String {
      switch self {
      case .ratio(let ratio): "≥ \(ratioText(ratio))"
      case .longer(let milliseconds): "≤ \(fixedText(milliseconds, digits: 0)) ms more"
      }
    }
  }

  /// Short and unique, in kebab-case.
  public let name: String
  /// What one operation is, in words.
  public let operation: String
  /// What is asked of Signalbox.
  public let bar: Bar
  /// The program that does it.
  public let program: Program
  /// The program's name for it.
  public let work: String
  /// How the program comes to Signalbox's library.
  public let way: Way

  init(
    _ name: String, _ operation: String, _ bar: Bar = .notSlower, work: String? = nil, by way: Way = .environment
  ) {
    (self.name, self.operation, self.bar, self.work, self.way) = (name, operation, bar, work ?? name, way)
    program = self.work.hasPrefix("c-") || self.work == "start-c" ? .c : .swift
  }
}

extension ProgramRow {
  /// The whole process is timed, by the process that starts it.
  public var isStart: Bool { if case .longer = bar { true } else { false } }

  /// Every row, in the table's order.
  public static let all = starts + queues + concurrency + c

  private static let starts = [
    ProgramRow("start-c", "start to end of a C program", .longer(milliseconds: 5)),
    ProgramRow("start-dispatch", "start to end of a Swift program that uses one queue", .longer(milliseconds: 5)),
    ProgramRow("start-task", "start to end of a Swift program that awaits one task", .longer(milliseconds: 5)),
    ProgramRow(
      "start-run", "start to end of a C program, through signalbox run", .longer(milliseconds: 5), work: "start-c",
      by: .command),
  ]

  private static let queues = [
    ProgramRow("async-empty", "async of an empty closure", .ratio(1.5)),
    ProgramRow("async-counting", "async of a closure that counts in a captured object", .ratio(1.5)),
    ProgramRow("async-values", "async of a closure that captures two values", .ratio(1.5)),
    ProgramRow("async-one-wakes", "async of one closure to an idle queue, and the wait for it"),
    ProgramRow("async-concurrent", "async of an empty closure on a concurrent queue"),
    ProgramRow("async-barrier", "async of a barrier on a concurrent queue"),
    ProgramRow("async-group", "async of an empty closure in a group"),
    ProgramRow("async-group-global", "async of an empty closure on a global queue, in a group"),
    ProgramRow("after", "asyncAfter armed and fired, 0.1 ms ahead"),
    ProgramRow("sync-serial", "sync on an idle serial queue"),
    ProgramRow("sync-value", "sync that returns a value"),
    ProgramRow("sync-concurrent", "sync on an idle concurrent queue"),
    ProgramRow("sync-barrier", "sync of a barrier on an idle concurrent queue"),
    ProgramRow("perform", "one iteration of concurrentPerform"),
    ProgramRow("perform-2", "one concurrentPerform of two iterations"),
    ProgramRow("specific", "getSpecific inside of an item"),
    ProgramRow("group-enter-leave", "enter and leave of a group"),
    ProgramRow("group-notify", "notify of an empty group"),
    ProgramRow("semaphore", "signal and wait of a semaphore, nobody asleep"),
    ProgramRow("queue-create", "a queue made and freed"),
    ProgramRow("queue-create-use", "a queue made, one sync, and freed"),
    ProgramRow("group-create", "a group made and freed"),
    ProgramRow("item-perform", "a work item made and performed"),
    ProgramRow("item-async", "a work item made and submitted"),
    ProgramRow("item-notify", "a work item made, with a notification, and performed"),
  ]

  private static let concurrency = [
    ProgramRow("task-await", "a task spawned and awaited", .ratio(1.2)),
    ProgramRow("task-detached-burst", "one of 1,000 tasks spawned, then awaited"),
    ProgramRow("task-group", "one of a group of 100,000 tasks", .ratio(1.2)),
    ProgramRow("async-let", "a pair of async lets"),
    ProgramRow("yield", "Task.yield()"),
    ProgramRow("main-actor", "from the pool to the main actor and back", .ratio(1.2)),
    ProgramRow("actor-call", "a call to an idle actor"),
    ProgramRow("actor-hops", "from one actor to the next"),
    ProgramRow("actor-crowd", "a call to an actor that four tasks call"),
    ProgramRow("sleep", "Task.sleep until now, without tolerance"),
    ProgramRow("sleep-plain", "Task.sleep of a nanosecond"),
    ProgramRow("sleep-tolerant", "Task.sleep of a nanosecond, with a tolerance"),
    ProgramRow("stream", "a number there and back by two AsyncStreams"),
    ProgramRow("continuation", "a continuation resumed from a queue"),
  ]

  private static let c = [
    ProgramRow("c-async-block", "dispatch_async of a block with a captured value", .ratio(1.5)),
    ProgramRow("c-async-block-global", "dispatch_async of a block that captures nothing", .ratio(1.5)),
    ProgramRow("c-async-f", "dispatch_async_f", .ratio(1.5)),
    ProgramRow("c-barrier-async-f", "dispatch_barrier_async_f"),
    ProgramRow("c-group-async-f", "dispatch_group_async_f"),
    ProgramRow("c-after-f", "dispatch_after_f armed and fired, 0.1 ms ahead"),
    ProgramRow("c-sync-block", "dispatch_sync on an idle serial queue"),
    ProgramRow("c-sync-f", "dispatch_sync_f on an idle serial queue"),
    ProgramRow("c-sync-concurrent-f", "dispatch_sync_f on an idle concurrent queue"),
    ProgramRow("c-barrier-sync-f", "dispatch_barrier_sync_f on an idle concurrent queue"),
    ProgramRow("c-apply", "one iteration of dispatch_apply_f"),
    ProgramRow("c-apply-2", "one dispatch_apply_f of two iterations"),
    ProgramRow("c-group-enter-leave", "dispatch_group_enter and _leave"),
    ProgramRow("c-semaphore", "dispatch_semaphore_signal and _wait, nobody asleep"),
    ProgramRow("c-once", "dispatch_once_f, when it has run"),
    ProgramRow("c-specific", "dispatch_get_specific inside of an item"),
    ProgramRow("c-context", "dispatch_get_context of a queue"),
    ProgramRow("c-global-queue", "dispatch_get_global_queue"),
    ProgramRow("c-label", "dispatch_queue_get_label"),
    ProgramRow("c-time", "dispatch_time from now"),
    ProgramRow("c-retain-release", "dispatch_retain and dispatch_release of a queue"),
    ProgramRow("c-retain-release-group", "dispatch_retain and dispatch_release of a group"),
    ProgramRow("c-queue-create", "dispatch_queue_create and dispatch_release"),
    ProgramRow("c-block-create", "dispatch_block_create, a call and the release"),
  ]
}
