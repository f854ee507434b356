// TaskFindings.swift: what tasks do for too long: pure, from one reading to the next. The sentences
// are TaskTables.swift's.
//
// A process does not say since when a task waits. So what is known is at how many readings in a row something was so,
// and how long ago the first was.
import SignalboxCommandLine

/// How long and how much is too much; 0: of that kind there are no findings.
public struct TaskLimits: Sendable, Equatable {
  /// Seconds for which a cancelled task runs or waits on.
  public var cancelled = 30.0
  /// Seconds for which a task keeps its thread asleep.
  public var blocking = 10.0
  /// Seconds for which a task is queued on an actor, or another executor.
  public var queued = 10.0
  /// How many tasks are queued on one actor.
  public var actor = 100

  /// These limits.
  public init() {}
}

/// The findings in one process's readings.
struct TaskFindings {
  /// What was found of tasks that do the same at the same place.
  struct Finding: Equatable, Sendable {
    enum Kind: String, Sendable { case cancelled, blocking, queued, actor }
    let kind: Kind
    /// The tasks, by their numbers, the one for which it was so longest first; of an actor with many, those queued.
    let tasks: [Int]
    /// For how long it was so, at least, and at how many readings in a row.
    let seconds: Double, readings: Int
    /// Where tasks are queued; nil: on the default executor, or they are not.
    var executor: Inspection.Task.Executor?
  }

  /// That it is so of a task. A task is found once more where it is queued elsewhere, or runs on another thread.
  private struct Mark: Hashable {
    let kind: Finding.Kind, task: Int, place: String
  }
  /// What several tasks may share.
  private struct Cause: Hashable {
    let kind: Finding.Kind, place: String, stack: [Inspection.Place]
  }
  private struct Since { var time: UInt64, readings = 1 }

  private let limits: TaskLimits
  private var marks: [Mark: Since] = [:]
  private var reported: Set<Cause> = []

  init(_ limits: TaskLimits) { self.limits = limits }

  /// What is too much now, and was not at the last reading.
  ///
  /// - Parameter now: uptime in nanoseconds.
  mutating func read(_ inspection: Inspection, at now: UInt64) -> [Finding] {
    let stacks = Dictionary(inspection.threads.map { ($0.id, $0.stack) }, uniquingKeysWith: { first, _ in first })
    var standing: [Mark: Since] = [:], found: [Cause: [(task: Int, since: Since, executor: Inspection.Task.Executor?)]] = [:]
    func note(
      _ kind: Finding.Kind, _ task: Inspection.Task, _ limit: Double, place: String = "", stack: [Inspection.Place],
      _ executor: Inspection.Task.Executor? = nil
    ) {
      if limit == 0 { return }
      let mark = Mark(kind: kind, task: task.number, place: place)
      let since = marks[mark].map { Since(time: $0.time, readings: $0.readings + 1) } ?? Since(time: now)
      standing[mark] = since
      guard Double(now - min(since.time, now)) / 1e9 >= limit else { return }
      // One executor is one cause, wherever the tasks come from.
      let cause = Cause(kind: kind, place: kind == .blocking ? "" : place, stack: kind == .queued ? [] : stack)
      found[cause, default: []].append((task.number, since, executor))
    }
    for task in inspection.tasks.all {
      var thread: Int?
      if case .running(let id) = task.state { thread = id }
      let stack = thread.flatMap { stacks[$0] } ?? task.awaits
      if task.isCancelled { note(.cancelled, task, limits.cancelled, stack: stack) }
      if task.keepsThread { note(.blocking, task, limits.blocking, place: "\(thread ?? 0)", stack: stack) }
      if case .queued(let executor) = task.state {
        note(.queued, task, limits.queued, place: executor?.address ?? "", stack: stack, executor)
      }
    }
    marks = standing
    var findings = found.map { cause, tasks -> (cause: Cause, finding: Finding) in
      let sorted = tasks.sorted { ($0.since.time, $0.task) < ($1.since.time, $1.task) }, first = sorted[0]
      let seconds = Double(now - first.since.time) / 1e9
      return (
        cause,
        Finding(
          kind: cause.kind, tasks: sorted.map(\.task), seconds: seconds, readings: first.since.readings,
          executor: first.executor)
      )
    }
    for actor in inspection.tasks.actors where limits.actor > 0 && actor.queued > limits.actor {
      let queued = inspection.tasks.all.filter { $0.state == .queued(executor: actor.executor) }.map(\.number)
      findings.append(
        (
          Cause(kind: .actor, place: actor.executor.address, stack: []),
          Finding(kind: .actor, tasks: queued, seconds: 0, readings: 1, executor: actor.executor)
        ))
    }
    let before = reported
    reported = Set(findings.map(\.cause))
    return findings.filter { !before.contains($0.cause) }.map(\.finding).sorted {
      ($0.kind.rawValue, $0.tasks.first ?? 0) < ($1.kind.rawValue, $1.tasks.first ?? 0)
    }
  }
}

/// What was found of a process's tasks, for people and for programs.
public struct WatchFinding: Sendable {
  /// In a sentence.
  public let text: String
  private let finding: TaskFindings.Finding

  /// The findings with their sentences.
  static func make(_ found: [TaskFindings.Finding], _ inspection: Inspection) -> [WatchFinding] {
    if found.isEmpty { return [] }
    var places = PlaceNames(wantsLines: true)
    places.learn([inspection])
    let tables = TaskTables(inspection, InspectionNames(inspection, places))
    return found.map { WatchFinding(text: tables.sentence($0), finding: $0) }
  }

  /// The object.
  public var json: JSON {
    .object([
      ("finding", .string(finding.kind.rawValue)), ("tasks", .array(finding.tasks.map { .number(Double($0)) })),
      ("seconds", .number(finding.seconds)), ("readings", .number(Double(finding.readings))), ("text", .string(text)),
    ])
  }
}
