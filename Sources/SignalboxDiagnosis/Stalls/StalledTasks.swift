// StalledTasks.swift: Swift's tasks in the report of a program in which nothing can happen any more: what they wait
// for, and where. All memory that the program has written is searched for them (TaskSet), once in the life of the
// process.
import SignalboxSystem
import SignalboxView

extension StallReport {
  /// Tasks that do the same at the same place.
  public struct Tasks: Sendable {
    /// How many there are.
    public var count: Int
    /// What the first of them are called, by number and name; at most three.
    public var titles: [String]
    /// What they do, in words.
    public var deed: String
    /// The functions with which they and those that await them go on, the innermost first.
    public var awaits: [UInt]
  }
}

/// The tasks of this process, as a report has them.
struct StalledTasks {
  /// Most first; at most eight.
  private(set) var rows: [StallReport.Tasks] = []
  /// Tasks that wait for one another, in a sentence each.
  private(set) var cycles: [String] = []

  private static let mostRows = 8, mostTitles = 3

  /// Reads them. None in a program without tasks, or where the kernel does not copy memory.
  init() {
    let process = OwnProcess.id
    self.init(
      TaskRuntime.own.map { TaskSet(CopiedMemory(OtherMemory(of: process)), OtherPages.written(process: process), $0) })
  }

  init(_ set: TaskSet?) {
    guard let set else { return }
    let names = Dictionary(set.tasks.values.map { ($0.address, Self.title($0)) }, uniquingKeysWith: { first, _ in first })
    struct Place: Hashable { var deed: String, awaits: [UInt64] }
    let timers = set.timers, endings = Set(set.timers.values.map(\.address))
    let waiting = set.sorted.filter { $0.state != .running && !endings.contains($0.address) }
    let places = Dictionary(grouping: waiting) { task in
      Place(deed: Self.deed(task, names, isAsleep: timers[task.sleep] != nil), awaits: task.awaits)
    }
    let sorted = places.sorted { ($0.value.count, $1.value[0].number) > ($1.value.count, $0.value[0].number) }
    rows = sorted.prefix(Self.mostRows).map { place, tasks in
      StallReport.Tasks(
        count: tasks.count, titles: tasks.prefix(Self.mostTitles).map(Self.title), deed: place.deed,
        awaits: place.awaits.map { UInt($0) })
    }
    cycles = set.cycles.map { cycle in
      let all = (cycle + cycle.prefix(1)).compactMap { names[$0] }
      return "  \(all.joined(separator: " waits for "))"
    }
  }

  /// How to fix it; nil: no task waits.
  var hint: String? {
    if !cycles.isEmpty { return "let no task await the end of one that awaits its own, directly or through others" }
    return rows.isEmpty ? nil : "make sure that each continuation is resumed, on every way out"
  }

  private static func title(_ task: TaskView) -> String {
    task.name.isEmpty ? "task \(task.number)" : "task \(task.number) \"\(task.name)\""
  }

  private static func name(of executor: UInt64) -> String {
    guard let type = SwiftClass(ofObject: executor, in: .own), let name = type.name else { return "an executor" }
    return type.isActor ? "actor \(name)" : name == "DispatchMainExecutor" ? "the main executor" : "executor \(name)"
  }

  private static func deed(_ task: TaskView, _ names: [UInt64: String], isAsleep: Bool) -> String {
    let deed: String =
      switch task.state {
      case .running: "runs"
      case .queued(0): "is queued on the default executor"
      case .queued(let executor):
        "is queued on \(Self.name(of: executor))"
      case .task(let other): "waits for the value of \(names[other] ?? "a task that has ended")"
      case .continuation: isAsleep ? "sleeps" : "waits for a continuation"
      case .group: "waits for children of its group"
      case .new: "has not begun"
      }
    return deed + (task.isCancelled ? ", cancelled" : "")
  }
}

extension StallReport.Tasks {
  /// `58 tasks (task 4 "a", task 5, task 6, …): waits for a continuation`, and where.
  func lines(_ symbols: ReportSymbols) -> [String] {
    let some = titles.joined(separator: ", ") + (count > titles.count ? ", …" : "")
    let head = count == 1 ? "  \(some) \(deed)" : "  \(count) tasks (\(some)): each \(deed)"
    let chain = symbols.awaits(places)
    return chain.isEmpty ? [head] : [head + ":"] + chain.map { "      \($0)" }
  }

  func json(_ symbols: ReportSymbols) -> String {
    "{\"count\":\(count),\"titles\":\(JSONText.list(titles)),\"does\":\(JSONText.quoted(deed)),"
      + "\"awaits\":\(JSONText.list(symbols.awaits(places)))}"
  }

  /// As addresses of a stack, which lie behind a call.
  var places: [UInt] { awaits.map { $0 &+ 1 } }
}
