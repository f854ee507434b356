// TaskRows.swift: Swift's tasks of this process in few rows: those that do the same at the same place share one. All
// memory that the program has written is searched for them (TaskSet).
import SignalboxSystem
import SignalboxView

/// Tasks that do the same at the same place.
struct TaskRow: Sendable {
  /// How many there are, and what the first of them are called: at most three.
  var count: Int, titles: [String]
  /// What they do, in words.
  var deed: String
  /// The functions with which they and those that await them go on, the innermost first.
  var awaits: [UInt]

  /// As addresses of a stack, which lie behind a call.
  var places: [UInt] { awaits.map { $0 &+ 1 } }

  /// `58 tasks (task 4 "a", task 5, task 6, …): each waits for a continuation`, and where.
  func lines(_ symbols: ReportSymbols) -> [String] {
    let some = titles.joined(separator: ", ") + (count > titles.count ? ", …" : "")
    let head = count == 1 ? "  \(some) \(deed)" : "  \(count) tasks (\(some)): each \(deed)"
    let chain = symbols.awaits(places)
    return chain.isEmpty ? [head] : [head + ":"] + chain.map { "      \($0)" }
  }
}

/// The tasks of this process.
struct TaskRows {
  /// Most first.
  private(set) var rows: [TaskRow] = []
  /// Tasks that wait for one another, in a sentence each.
  private(set) var cycles: [String] = []

  private static let mostTitles = 3

  /// All tasks; nil: there are none, or the kernel does not copy memory.
  static var own: TaskSet? {
    let process = OwnProcess.id
    return TaskRuntime.own.map { TaskSet(CopiedMemory(OtherMemory(of: process)), OtherPages.written(process: process), $0) }
  }

  /// - Parameter wantsRunning: whether tasks that run are among them.
  init(_ set: TaskSet?, wantsRunning: Bool) {
    guard let set else { return }
    let names = Dictionary(set.tasks.values.map { ($0.address, $0.title) }, uniquingKeysWith: { first, _ in first })
    struct Place: Hashable { var deed: String, awaits: [UInt64] }
    let sleepers = set.sleepers
    let told = set.sorted.filter { sleepers[$0.address] == nil && (wantsRunning || $0.state != .running) }
    let places = Dictionary(grouping: told) { task in
      Place(deed: task.deed(names), awaits: task.awaits)
    }
    rows = places.sorted { ($0.value.count, $1.value[0].number) > ($1.value.count, $0.value[0].number) }.map { place, tasks in
      TaskRow(
        count: tasks.count, titles: tasks.prefix(Self.mostTitles).map(\.title), deed: place.deed,
        awaits: place.awaits.map { UInt($0) })
    }
    cycles = set.cycles.map { cycle in
      let all = (cycle + cycle.prefix(1)).compactMap { names[$0] }
      return "  \(all.joined(separator: " waits for "))"
    }
  }
}

extension TaskView {
  /// What it is called: its number, and the name that the program gave.
  var title: String { name.isEmpty ? "task \(number)" : "task \(number) \"\(name)\"" }

  fileprivate func deed(_ names: [UInt64: String]) -> String {
    let deed: String =
      switch state {
      case .running: "runs"
      case .queued(0): "is queued on the default executor"
      case .queued(let executor): "is queued on \(Self.name(of: executor))"
      case .task(let other): "waits for the value of \(names[other] ?? "a task that has ended")"
      case .continuation: isAsleep ? "sleeps" : "waits for a continuation"
      case .group: "waits for children of its group"
      case .new: "has not begun"
      }
    return deed + (isCancelled ? ", cancelled" : "")
  }

  private static func name(of executor: UInt64) -> String {
    guard let type = SwiftClass(ofObject: executor, in: .own), let name = type.name else { return "an executor" }
    return type.isActor ? "actor \(name)" : name == "DispatchMainExecutor" ? "the main executor" : "executor \(name)"
  }
}
