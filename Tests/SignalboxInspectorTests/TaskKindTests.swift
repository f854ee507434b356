// TaskKindTests.swift: tasks of each making, on executors of the program's own, distributed actors among them
// (TaskProbe), read from outside: what each does, and whose child it is. The kinds of waits are TaskProcessTests.swift.
import SignalboxSystem
import Testing

@testable import SignalboxInspector

@Suite("Kinds of tasks") struct TaskKindTests {
  private static let kinds: [String: String] = {
    var kinds = [
      "local": "awaits a continuation", "local group": "awaits one of [\"local child\"]",
      "local child": "awaits a continuation below local group", "own": "awaits a continuation", "own holder": "runs",
      "queued own": "queued on QueueExecutor", "preferring": "awaits one of [\"preferring child\"]",
      "preferring child": "awaits a continuation below preferring", "detached preferring": "awaits a continuation",
      "immediate detached": "awaits a continuation", "immediate group": "awaits one of [\"immediate child\"]",
      "immediate child": "awaits a continuation below immediate group", "main lets": "awaits ",
      "throwing discarding": "awaits one of [\"throwing child\"]",
      "throwing child": "awaits a continuation below throwing discarding",
    ]
    #if canImport(Distributed)
    kinds["distributed"] = "awaits a continuation"
    kinds["distributed holder"] = "runs"
    kinds["queued distributed"] = "queued on Vault"
    #endif
    return kinds
  }()

  @Test("Task-local values, executors of one's own, distributed actors, tasks that begin at once: state and parent of each")
  func executors() throws {
    let program = try InspectedProgram([], words: [InspectedProgram.programs + "TaskProbe", "executors"])
    // Besides those with names: the first task, and an `async let`.
    let wanted = Self.kinds.count + 2
    let inspection = try program.inspect(until: { $0.deeds == Self.kinds && $0.tasks.all.count == wanted })
    let tasks = inspection.tasks
    #expect(inspection.deeds == Self.kinds)
    #expect(tasks.all.count == wanted && tasks.cycles == [] && inspection.unread == [], "\(tasks.all)")
    let owner = try #require(tasks.all.first { $0.name == "main lets" })
    #expect(tasks.all.filter(\.isAsyncLet).map(\.parent) == [owner.number])
    #if canImport(Distributed)
    let vault = try #require(tasks.actors.first { $0.executor.type == "Vault" })
    #expect(vault.executor.isActor && vault.queued == 1)
    #expect(vault.task == tasks.all.first { $0.name == "distributed holder" }?.number)
    #endif
  }
}

extension Inspection {
  /// What each named task does, and whose child it is, in words.
  var deeds: [String: String] {
    let byNumber = Dictionary(tasks.all.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    func title(_ number: Int) -> String { byNumber[number]?.name ?? "none" }
    return Dictionary(
      tasks.all.filter { !$0.name.isEmpty }.map { task in
        let deed: String =
          switch task.state {
          case .running(let thread): thread == nil ? "runs somewhere" : "runs"
          case .queued(let executor): "queued on \(executor?.type ?? "the default executor")"
          case .task(let number): "awaits \(number.map(title) ?? "none")"
          case .children(let left): "awaits one of \(left.map(title))"
          case .sleeping(let seconds):
            "sleeps" + (seconds.map { (4_000...5_000).contains($0) ? "" : " for \($0)" } ?? " somehow")
          case .continuation: "awaits a continuation"
          case .new: "new"
          }
        let parent = task.parent.map { " below \(title($0))" } ?? ""
        return (task.name, deed + parent + (task.isCancelled ? ", cancelled" : ""))
      }, uniquingKeysWith: { first, _ in first })
  }
}
