// TaskTablesTests.swift: tasks as tables and in JSON, of inspections that are made up: rows that tasks share, trees,
// what stands out, rates. Tasks of programs are TaskProcessTests'.
import SignalboxCommandLine
import SignalboxSystem
import Testing

@testable import SignalboxInspector

@Suite("Tables of tasks") struct TaskTablesTests {
  private typealias Task = Inspection.Task

  private func task(
    _ number: Int, _ state: Task.State = .continuation, name: String = "", parent: Int? = nil, isCancelled: Bool = false,
    at offset: UInt64 = 0x10
  ) -> Task {
    Task(
      number: number, name: name, priority: "medium", isRaised: false, isCancelled: isCancelled, isAsyncLet: false,
      parent: parent, state: state, awaits: [Inspection.Place(image: "/made/program", offset: ReadNumber(offset))])
  }

  private func made(_ tasks: [Task], threads: String = "") throws -> Inspection {
    let json = "{\"version\": 1, \"process\": 7, \"threads\": [\(threads)]}"
    var inspection = try #require(JSON(json).flatMap { Inspection($0) })
    inspection.tasks.all = tasks
    return inspection
  }

  /// The table, with one space between two words.
  private func text(_ inspection: Inspection, _ options: String...) throws -> String {
    InspectionTables([inspection], process: "7 (made)", try InspectOptions(["7"] + options), PlaceNames(wantsLines: false)).text
      .split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: "\n")
  }

  @Test("Tasks that do the same at the same place share a row, most first; each has its own with --tasks, below its parent")
  func rows() throws {
    let tasks = [
      task(1, .children([2, 3])), task(2, name: "a", parent: 1), task(3, parent: 1), task(4, .sleeping(90), at: 0x20),
    ]
    let shared = try text(made(tasks)), tree = try text(made(tasks), "--tasks")
    #expect(shared.contains("\n4 tasks: 3 suspended, 1 sleeping\n"), "\(shared)")
    #expect(shared.contains("\n2 2 \"a\", 3 waits for a continuation program+0x10\n"), "\(shared)")
    #expect(shared.hasSuffix("\n1 4 sleeps for 90.0 s more program+0x20"), "\(shared)")
    #expect(tree.contains("\n1 medium waits for one of 2 children of its group"), "\(tree)")
    #expect(tree.contains("\n2 \"a\" medium waits for a continuation "), "\(tree)")
    #expect(try text(made([])).contains("task") == false)
    #expect(try text(made([]), "--tasks").hasSuffix("\nno tasks"), "it was asked for them")
    let second = InspectionTables(
      [try made(tasks), try made([])], process: "7 (made)", try InspectOptions(["7", "--tasks"]), PlaceNames(wantsLines: false))
    #expect(second.text.contains("4 tasks: ") && !second.text.contains("no tasks"), "the first copy has them all")
    var unknown = try made([])
    unknown.unread = ["tasks: a library of another version"]
    #expect(try !text(unknown, "--tasks").contains("no tasks"), "none were found, since none were searched for")
  }

  @Test("Tables fit the terminal, whose lines are as long as the longest may be")
  func width() throws {
    let name = String(repeating: "handle", count: 20)
    let inspection = try made([task(1, name: name), task(2, .sleeping(90), at: 0x20)])
    func lines(_ width: Int) throws -> [String] {
      InspectionTables(
        [inspection], process: "7 (made)", try InspectOptions(["7", "--tasks"]), PlaceNames(wantsLines: false), width: width
      ).text.split(separator: "\n").map(String.init)
    }
    #expect(try lines(0).contains { $0.contains(name) })
    for width in [80, 100, 200] {
      // Sentences wrap; they are not tables.
      let table = try lines(width).filter { $0.hasPrefix("  ") }
      #expect(table.count >= 3 && table.allSatisfy { $0.count <= width }, "\(table)")
      #expect(table.contains { $0.contains("sleeps for 90.0 s more") && $0.hasSuffix("program+0x20") }, "\(table)")
    }
  }

  @Test("A page of rows, unless all are wanted")
  func page() throws {
    let tasks = (1...30).map { task($0, at: UInt64($0) * 16) }
    #expect(try text(made(tasks)).hasSuffix("\nand 10 more rows: --all; each task: --tasks"))
    #expect(try !text(made(tasks), "--all").contains("more rows"))
    #expect(try text(made(tasks), "--tasks").contains("\n30 medium "))
  }

  @Test("Parents that lead round and round, and one that is not there, as a damaged core dump may have: no row is there twice")
  func damaged() throws {
    let tasks = [task(1, parent: 2), task(2, parent: 1), task(3, parent: 9), task(4, parent: 4), task(3, parent: 3)]
    let tree = try text(made(tasks), "--tasks")
    #expect(tree.contains("\n3 medium") && tree.components(of: "medium") == 1, "\(tree)")
  }

  @Test("What stands out: an actor that a task has, tasks that keep threads, and that no thread is left")
  func findings() throws {
    let sleeping = "{\"thread\": 5, \"name\": \"w\", \"call\": \"read\"}, {\"thread\": 6, \"name\": \"v\", \"state\": \"runs\"}"
    var inspection = try made([task(1, .running(thread: 5), name: "one"), task(2, .queued(executor: nil))], threads: sleeping)
    #expect(try !text(inspection).contains("what stands out"), "the thread may have slept for a moment")
    inspection.tasks.all[0].keepsThread = true
    let kept = "task 1 \"one\" keeps thread 5, which sleeps in read"
    let none = "1 task is queued on the default executor, and each task that runs (1) keeps its thread asleep"
    var shown = try text(inspection)
    #expect(shown.contains("\n\(none)\n\(kept)\n"), "\(shown)")
    inspection.tasks.all.append(task(3, .running(thread: 6)))
    shown = try text(inspection)
    #expect(!shown.contains("queued on the default executor, and") && shown.contains(kept), "\(shown)")
    inspection.tasks.actors = [
      Inspection.Actor(executor: Task.Executor(type: "Store", address: "0x10"), task: 1, thread: 5, queued: 2)
    ]
    let held = "2 tasks are queued on actor Store (0x10): task 1 \"one\" has it, on thread 5, which sleeps in read"
    shown = try text(inspection)
    #expect(shown.contains(held) && !shown.contains(kept), "\(shown)")
  }

  @Test("Tasks for a main thread that sleeps in no loop stand out")
  func main() throws {
    func text(call: String) throws -> String {
      let thread = "{\"thread\": 7, \"main\": true, \"name\": \"m\", \"call\": \"\(call)\"}"
      let executor = Task.Executor(type: "DispatchMainExecutor", isActor: false, address: "0x10")
      var inspection = try made([task(1, .queued(executor: executor))], threads: thread)
      inspection.tasks.actors = [Inspection.Actor(executor: executor, task: nil, thread: nil, queued: 1)]
      return try self.text(inspection)
    }
    let line = "\n1 task is queued on the main executor, and the main thread sleeps in read\n"
    let shown = try text(call: "read")
    #expect(shown.contains(line) && shown.contains("1 1 is queued on the main executor program+0x10"), "\(shown)")
    #expect(try !text(call: "epoll_wait").contains("the main thread sleeps"))
  }

  @Test("top says how many were made and ended since the table before")
  func rates() throws {
    let before = try made([task(1), task(2)]), now = try made([task(1), task(12, .running(thread: nil))])
    let lines = TopTable([now], after: [before], seconds: 2, title: "7", width: 0).lines
    #expect(lines.contains("2 tasks: 1 running, 1 suspended; 5.0 made a second, 5.0 ended"), "\(lines)")
    #expect(TopTable([now], after: nil, seconds: 0, title: "7", width: 0).lines.contains("2 tasks: 1 running, 1 suspended"))
  }

  // MARK: times

  private func times(_ since: Double, parts: Int = 3, busy: Double = 0.25, queued: Double = 0.002) -> Task.Times {
    Task.Times(parts: parts, began: 20, wentOn: 12, since: since, busy: busy, queued: queued)
  }

  private func function(_ offset: UInt64, tasks: Int, parts: Int, _ busy: Double, _ queued: Double) -> Inspection.TaskFunction {
    Inspection.TaskFunction(
      places: [Inspection.Place(image: "/made/program", offset: ReadNumber(offset))], tasks: tasks, parts: parts, busy: busy,
      queued: queued, between: 3)
  }

  @Test("Of a process that notes times: since when, how many parts, how long they ran and were queued")
  func timed() throws {
    var tasks = [task(1), task(2), task(3, .new, at: 0x20)]
    (tasks[0].times, tasks[1].times) = (times(5), times(7.5))
    let shared = try text(made(tasks)), tree = try text(made(tasks), "--tasks")
    #expect(shared.contains("\ntasks which state since at\n"), "\(shared)")
    #expect(shared.contains("\n2 1, 2 waits for a continuation 7.5 s program+0x10\n"), "\(shared)")
    #expect(tree.contains("\ntask priority state since parts busy queued at\n"), "\(tree)")
    #expect(tree.contains("\n1 medium waits for a continuation 5.0 s 3 250 ms 2 ms program+0x10\n"), "\(tree)")
    #expect(tree.hasSuffix("\n3 medium has not begun program+0x20"), "\(tree)")
  }

  @Test("The sums by function: those with most time first, rows of one name as one; a page unless all are wanted")
  func functions() throws {
    var inspection = try made([task(1)])
    inspection.tasks.functions = [
      function(0x40, tasks: 5, parts: 9, 0.5, 0.1), function(0x50, tasks: 1, parts: 2, 2, 0),
      function(0x40, tasks: 1, parts: 1, 0.25, 0),
      Inspection.TaskFunction(places: [], tasks: 0, parts: 4, busy: 0.1, queued: 0, between: 0),
    ]
    let shown = try text(inspection)
    let rows = """
      tasks by the function in which they begin, since figures are on
      tasks parts busy queued between parts function
      1 2 2.0 s 0 us 3.0 s program+0x50
      6 10 750 ms 100 ms 6.0 s program+0x40
      0 4 100 ms 0 us 0 us (begun before, or one function more than are counted)
      """
    #expect(shown.hasSuffix("\n" + rows), "\(shown)")
    inspection.tasks.functions = (1...30).map { function(UInt64($0) * 16, tasks: $0, parts: $0, Double($0), 0) }
    #expect(try text(inspection).hasSuffix("\nand 10 more: --all") && !text(inspection, "--all").contains("more: --all"))
  }

  @Test("top says which functions were busy since the table before, and what is queued for how long on which executor")
  func busiest() throws {
    let store = Task.Executor(type: "Store", address: "0x10")
    var tasks = [task(1, .queued(executor: nil)), task(2, .queued(executor: store)), task(3, .queued(executor: store))]
    (tasks[0].times, tasks[1].times, tasks[2].times) = (times(0.5), times(2), times(3))
    var before = try made(tasks), now = before
    now.tasks.actors = [Inspection.Actor(executor: store, task: 9, thread: 5, queued: 2)]
    before.tasks.functions = [function(0x40, tasks: 5, parts: 9, 0.5, 0.1), function(0x50, tasks: 1, parts: 2, 2, 0)]
    now.tasks.functions = [function(0x40, tasks: 25, parts: 49, 1.5, 0.3), function(0x50, tasks: 1, parts: 2, 2, 0)]
    func lines(_ before: Inspection?) -> [String] {
      TopTable([now], after: before.map { [$0] }, seconds: 2, title: "7", width: 0).lines
        .map { $0.split(separator: " ").joined(separator: " ") }
    }
    let shown = lines(before)
    #expect(shown.contains("2 3.0 s actor Store (0x10) task 9") && shown.contains("1 500 ms the default executor"), "\(shown)")
    #expect(shown.contains("tasks/s parts/s busy queued a part function"), "\(shown)")
    #expect(shown.contains("10 20 50 % 5 ms program+0x40") && !shown.contains { $0.hasSuffix("program+0x50") }, "\(shown)")
    #expect(!lines(nil).contains { $0.contains("tasks/s") })
  }

  @Test("Times in JSON, of tasks and of functions") func timesInJSON() throws {
    var inspection = try made([task(1), task(2)])
    inspection.tasks.all[0].times = times(5)
    inspection.tasks.functions = [function(0x40, tasks: 5, parts: 9, 0.5, 0.125)]
    let output = InspectOutput.json([inspection], process: 7, name: "made", PlaceNames(wantsLines: false))
    let one = output["tasks"].values[0], sum = output["taskFunctions"].values[0]
    #expect(one["parts"].integer == 3 && one["began"].integer == 20 && one["wentOn"].integer == 12 && one["since"].integer == 5)
    #expect(one["busy"].text == "0.25" && one["queued"].text == "0.002" && output["tasks"].values[1]["parts"].integer == nil)
    #expect(sum["function"].string == "program+0x40" && sum["tasks"].integer == 5 && sum["parts"].integer == 9)
    #expect(sum["busy"].text == "0.5" && sum["queued"].text == "0.125" && sum["between"].integer == 3)
  }

  @Test("In JSON each has its state, what it waits for, and where")
  func json() throws {
    let tasks = [
      task(1, .task(2), isCancelled: true), task(2, .queued(executor: Task.Executor(type: "Store", address: "0x10"))),
      task(3, .running(thread: 5), parent: 1), task(4, .children([3])), task(5, .sleeping(nil)), task(6, .new),
    ]
    let output = InspectOutput.json([try made(tasks)], process: 7, name: "made", PlaceNames(wantsLines: false))
    let found = output["tasks"].values
    #expect(found.map { $0["state"].string } == ["suspended", "queued", "running", "suspended", "sleeping", "new"])
    #expect(found.map { $0["waitsFor"]["kind"].string } == ["task", "executor", nil, "group", "clock", nil])
    #expect(found[0]["waitsFor"]["task"].integer == 2 && found[0]["cancelled"].boolean == true)
    #expect(
      found[1]["waitsFor"]["type"].string == "Store" && found[2]["thread"].integer == 5 && found[2]["parent"].integer == 1)
    #expect(found[3]["waitsFor"]["children"].values.compactMap(\.integer) == [3])
    #expect(found[0]["awaits"].values.map { $0["place"].string } == ["program+0x10"])
  }
}

extension String {
  /// How many lines hold the text.
  fileprivate func components(of text: String) -> Int { split(separator: "\n").filter { $0.contains(text) }.count }
}
