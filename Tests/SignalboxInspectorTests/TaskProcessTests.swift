// TaskProcessTests.swift: programs with tasks (TaskProbe), on the toolchain's own library, read from outside: all
// tasks, what each waits for and where, cycles; and that nothing is claimed of those that go on. The runtime is this
// machine's: so the layout of its tasks is measured here.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite("Tasks of a process") struct TaskProcessTests {
  private func program(_ words: String...) throws -> InspectedProgram {
    try InspectedProgram([], words: [InspectedProgram.programs + "TaskProbe"] + words)
  }

  private func names(_ inspection: Inspection) -> PlaceNames {
    var places = PlaceNames(wantsLines: false)
    places.learn([inspection])
    return places
  }

  private func told(_ inspection: Inspection) -> [String: String] { inspection.deeds }

  private static let kinds = [
    "continuation": "awaits a continuation", "value": "awaits continuation", "sleep": "sleeps", "old sleep": "sleeps",
    "group": "awaits one of [\"child 0\", \"child 1\", \"child 2\"]",
    "child 0": "awaits a continuation below group", "child 1": "awaits a continuation below group",
    "child 2": "awaits a continuation below group", "discarding": "awaits one of [\"discarded child\"]",
    "discarded child": "awaits a continuation below discarding", "lets": "awaits ",
    "stream": "awaits a continuation", "cancelled": "awaits a continuation, cancelled",
    "detached main": "awaits a continuation", "detached": "awaits a continuation", "immediate": "awaits a continuation",
    "blocks": "runs", "queued 0": "queued on Store", "queued 1": "queued on Store",
  ]

  private func kinds(_ program: InspectedProgram) throws -> Inspection {
    try program.inspect(until: { told($0) == Self.kinds && $0.tasks.all.count == 22 })
  }

  @Test("Each kind of wait: what every task awaits, the functions along the way, parents, priorities, and the actor's holder")
  func waits() throws {
    let inspection = try kinds(program("kinds")), tasks = inspection.tasks
    #expect(told(inspection) == Self.kinds)
    // Besides those with names: the first task, and two that are `async let`.
    #expect(tasks.all.count == 22 && tasks.all.filter(\.isAsyncLet).count == 2, "\(tasks.all)")
    #expect(tasks.all.map(\.number) == tasks.all.map(\.number).sorted() && tasks.cycles == [])
    let names = names(inspection)
    func chain(_ name: String) -> [String] {
      tasks.all.first { $0.name == name }.map { names.awaits($0.awaits).map(\.function) } ?? []
    }
    for name in ["continuation", "child 1", "cancelled", "detached"] {
      #expect(chain(name).prefix(2) == ["wait()", "outer()"] && chain(name).count > 2, "\(name): \(chain(name))")
    }
    for name in ["value", "sleep", "old sleep", "stream", "queued 0", "group"] {
      #expect(chain(name).first?.contains("TaskProbe.kinds()") == true, "\(name): \(chain(name))")
    }
    #expect(tasks.all.first { $0.name == "cancelled" }?.priority == "background")
    let actor = try #require(tasks.actors.first), holder = try #require(tasks.all.first { $0.name == "blocks" })
    #expect(tasks.actors.count == 1 && actor.executor.type == "Store" && actor.queued == 2 && actor.task == holder.number)
    #expect(inspection.threads.contains { $0.id == actor.thread && $0.call == "pause" })
    let timers = inspection.armed
    #expect(timers.compactMap(\.task).count == 2 && timers.count(where: \.endsNothing) == 1, "\(timers)")
    #expect(inspection.unread == [])
    let text = InspectionTables([inspection], process: "1 (TaskProbe)", try InspectOptions(["1", "--tasks"])).text
    #expect(text.contains("22 tasks: 1 running, 2 queued, 17 suspended, 2 sleeping\n"), "\(text)")
    #expect(
      text.contains("2 tasks are queued on actor Store (\(actor.executor.address)): task \(holder.number) \"blocks\" has it"),
      "\(text)")
  }

  @Test("A core dump says the same of tasks")
  func core() throws {
    let program = try program("kinds"), live = try kinds(program), place = try InspectedProgram.makePlace()
    defer { InspectedProgram.remove(place) }
    try WrittenCore.write(program.child.id, to: place + "/core")
    let core = try CoreInspection(place + "/core", program: InspectedProgram.programs + "TaskProbe")
    let inspection = try #require(core.inspections.first)
    #expect(inspection.tasks.all.map(\.number) == live.tasks.all.map(\.number))
    #expect(inspection.tasks.all.map(\.awaits) == live.tasks.all.map(\.awaits))
    // A dump does not say what its clocks showed.
    #expect(told(inspection) == Self.kinds.mapValues { $0 == "sleeps" ? "sleeps somehow" : $0 })
  }

  @Test(
    "Tasks that await each other's values are a deadlock; so is one that awaits its own", arguments: ["values", "open", "own"])
  func cycles(kind: String) throws {
    let wanted = kind == "own" ? ["own"] : ["one", "other"]
    let inspection = try program(kind).inspect(until: { !$0.tasks.cycles.isEmpty })
    let byNumber = Dictionary(inspection.tasks.all.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    #expect(inspection.tasks.cycles.map { $0.map { byNumber[$0] ?? "" } } == [wanted] && inspection.hasDeadlock)
    let text = InspectionTables([inspection], process: "1 (TaskProbe)", InspectOptions()).text
    let head =
      kind == "own" ? "deadlock: a task waits for its own end, forever" : "deadlock: 2 tasks wait for one another, forever"
    #expect(text.contains(head) && text.contains("\n  fix: let no task await"), "\(text)")
    #expect(text.contains(", at value(of:) at TaskProbe.swift:"), "\(text)")
  }

  /// What a drawn program says of itself, as its inspection says it.
  private func drawn(_ inspection: Inspection) -> [String] {
    let names = names(inspection), all = inspection.tasks.all, deeds = told(inspection)
    func deep(_ task: Inspection.Task) -> String {
      let calls = names.awaits(task.awaits).count { $0.function == "deeper(_:_:)" }
      return task.state.isRunning ? "" : ", \(calls - 1) deep"
    }
    return ["\(all.count)", "\(all.count(where: \.isAsyncLet))"]
      + all.filter { !$0.name.isEmpty }.map { "\($0.name): \(deeds[$0.name] ?? "")\(deep($0))" }.sorted()
  }

  @Test("Programs of tasks, drawn from numbers: tasks, parents and waits are what each knows of itself", arguments: 1...12)
  func programs(number: Int) throws {
    let program = try InspectedProgram([], words: [InspectedProgram.programs + "TaskPrograms", "\(number)"])
    let wanted = program.line.split(separator: "\t").map(String.init)
    let inspection = try program.inspect(until: { drawn($0) == wanted })
    #expect(drawn(inspection) == wanted && inspection.tasks.cycles.isEmpty)
  }

  private static let faults: [(fault: String, lines: [String])] = [
    ("lost", ["     58  ", "waits for a continuation  ", "  Pool.lease() at TaskFaults.swift:"]),
    ("cache", ["deadlock: 2 tasks wait for one another, forever", "\"users\" waits for the value of task"]),
    ("actor", [" tasks are queued on actor Journal (0x", " \"writer\" has it, on thread ", ", which sleeps in pause"]),
    ("children", ["waits for a child of its group, task ", " \"stubborn\"", "waits for a continuation, cancelled"]),
    ("semaphore", [" tasks are queued on the default executor, and each task that runs (", "which waits for semaphore 0x"]),
    ("stream", [" \"follower\"", "waits for the next element of a stream"]),
  ]

  @Test("A server with a fault: the table says which", arguments: faults)
  func fault(fault: String, lines: [String]) throws {
    let program = try InspectedProgram([], words: [InspectedProgram.programs + "TaskFaults", fault])
    var text = ""
    _ = try program.inspect(until: { inspection in
      text = InspectionTables([inspection], process: "1 (TaskFaults)", .plain).text
      return lines.allSatisfy { text.contains($0) }
    })
    for line in lines { #expect(text.contains(line), "\(text)") }
  }

  @Test("The same server without a fault: nothing stands out")
  func healthy() throws {
    let program = try InspectedProgram([], words: [InspectedProgram.programs + "TaskFaults", "none"])
    for _ in 0..<10 {
      let inspection = try program.inspect(), text = InspectionTables([inspection], process: "1", .plain).text
      #expect(!text.contains("deadlock:") && !text.contains(" keeps ") && !text.contains("each task that runs"), "\(text)")
    }
  }

  @Test("Every task of many is found, in one row")
  func many() throws {
    let inspection = try program("many", "2000").inspect(until: { inspection in
      inspection.tasks.all.count == 2_001 && inspection.tasks.all.allSatisfy { $0.state == .continuation }
    })
    #expect(inspection.tasks.all.count == 2_001 && Set(inspection.tasks.all.map(\.number)).count == 2_001)
    let text = InspectionTables([inspection], process: "1 (TaskProbe)", InspectOptions()).text
    #expect(text.contains("2001 tasks: 2001 suspended") && text.contains("   2000  2, "), "\(text)")
  }

  @Test("While tasks are made and end: each that stays is there in every reading, none twice, and no cycle is claimed")
  func churn() throws {
    let program = try program("churn"), stays = Set((0..<100).map { "stays \($0)" })
    _ = try program.inspect(until: {
      told($0).filter { stays.contains($0.key) && $0.value == "awaits a continuation" }.count == 100
    })
    for _ in 0..<30 {
      let inspection = try program.inspect(), found = told(inspection)
      #expect(stays.allSatisfy { found[$0] == "awaits a continuation" })
      #expect(Set(inspection.tasks.all.map(\.number)).count == inspection.tasks.all.count)
      #expect(inspection.tasks.cycles == [], "\(inspection.tasks.cycles)")
    }
  }

  @Test("A program without Swift's runtime has none, and nothing is missing")
  func foreign() throws {
    let program = try InspectedProgram([], words: ["/bin/sh", "-c", "echo ready; kill -STOP $$"])
    let inspection = try program.inspect()
    #expect(inspection.tasks.all.isEmpty && !inspection.unread.contains { $0.contains("tasks") }, "\(inspection.unread)")
  }
}
