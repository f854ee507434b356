// TaskFindingsTests.swift: what tasks do for too long, of readings that are made up; and that `signalbox watch` reports
// it of a program.
import SignalboxCommandLine
import SignalboxSystem
import Testing

@testable import SignalboxInspector

@Suite("Findings of tasks") struct TaskFindingsTests {
  private typealias Task = Inspection.Task
  private static let journal = Task.Executor(type: "Journal", address: "0x10")

  private func task(
    _ number: Int, _ state: Task.State = .continuation, isCancelled: Bool = false, keeps: Bool = false, at offset: UInt64 = 0x10
  )
    -> Task
  {
    Task(
      number: number, name: "", priority: "medium", isRaised: false, isCancelled: isCancelled, isAsyncLet: false, parent: nil,
      state: state, awaits: [Inspection.Place(image: "/made/program", offset: ReadNumber(offset))], keepsThread: keeps)
  }

  private func made(_ tasks: [Task], actors: [Inspection.Actor] = []) throws -> Inspection {
    var inspection = try #require(JSON("{\"version\": 1, \"process\": 7}").flatMap { Inspection($0) })
    (inspection.tasks.all, inspection.tasks.actors) = (tasks, actors)
    return inspection
  }

  /// What is found at readings that are a second apart, in short.
  private func found(_ readings: [[Task]], _ limits: TaskLimits) throws -> [[String]] {
    var findings = TaskFindings(limits)
    return try readings.enumerated().map { second, tasks in
      try findings.read(made(tasks), at: 1_000_000_000 * UInt64(second + 1)).map {
        "\($0.kind.rawValue) \($0.tasks) \($0.seconds) \($0.readings)"
      }
    }
  }

  private func limits(cancelled: Double = 0, blocking: Double = 0, queued: Double = 0, actor: Int = 0) -> TaskLimits {
    var limits = TaskLimits()
    (limits.cancelled, limits.blocking, limits.queued, limits.actor) = (cancelled, blocking, queued, actor)
    return limits
  }

  @Test("A cancelled task is found once it was seen as that for so long; those at the same place with it, and no second time")
  func cancelled() throws {
    let one = task(1, isCancelled: true), other = task(2, isCancelled: true), far = task(3, isCancelled: true, at: 0x20)
    #expect(
      try found(
        [[one, other], [one, other], [one, other, far], [one, far], [one, far], [one, far]], limits(cancelled: 2))
        == [[], [], ["cancelled [1, 2] 2.0 3"], [], ["cancelled [3] 2.0 3"], []])
    // It was away in between: from then on it counts anew.
    #expect(try found([[one], [], [one], [one], [one]], limits(cancelled: 2)) == [[], [], [], [], ["cancelled [1] 2.0 3"]])
    #expect(try found([[one], [one], [one], [one]], limits()) == [[], [], [], []])
  }

  @Test("A task counts as blocking while it keeps the same thread, as queued while it is on the same executor")
  func places() throws {
    func keeping(_ thread: Int) -> Task { task(1, .running(thread: thread), keeps: true) }
    #expect(
      try found([[keeping(5)], [keeping(6)], [keeping(6)], [keeping(6)]], limits(blocking: 2)) == [
        [], [], [], ["blocking [1] 2.0 3"],
      ])
    let queued = task(1, .queued(executor: Self.journal)), other = task(1, .queued(executor: nil)),
      far = task(2, .queued(executor: nil), at: 0x20)
    #expect(
      try found([[queued], [other, far], [other, far], [other, far]], limits(queued: 2)) == [
        [], [], [], ["queued [1, 2] 2.0 3"],
      ])
  }

  @Test("More tasks than the limit on one actor are found at once, and again after they were fewer")
  func actors() throws {
    let tasks = (1...3).map { task($0, .queued(executor: Self.journal)) }
    var findings = TaskFindings(limits(actor: 2))
    func found(_ queued: Int) throws -> [[Int]] {
      let actor = Inspection.Actor(executor: Self.journal, task: nil, thread: nil, queued: queued)
      return try findings.read(made(Array(tasks.prefix(queued)), actors: [actor]), at: 1).map(\.tasks)
    }
    #expect(try found(2) == [] && found(3) == [[1, 2, 3]] && found(3) == [] && found(2) == [] && found(3) == [[1, 2, 3]])
  }

  @Test(
    "The faults of a server, as they are reported",
    arguments: [
      (
        "actor", "actor", "tasks are queued on actor Journal (0x",
        " \"writer\" has it, at Journal.write(isSlow:) at TaskFaults.swift:"
      ),
      ("actor", "blocking", "\"writer\" kept its thread asleep at each of ", ", which sleeps in pause"),
      (
        "actor", "queued", " was queued on actor Journal (0x",
        " \"writer\" has it, at Journal.write(isSlow:) at TaskFaults.swift:"
      ),
      (
        "children", "cancelled", "\"stubborn\" was cancelled ",
        " and still waits for a continuation, at stubborn() at TaskFaults.swift:"
      ),
      ("semaphore", "blocking", "\"waiter 0\" kept its thread asleep at each of ", ", which waits for semaphore 0x"),
    ])
  func reported(fault: String, kind: String, begin: String, end: String) throws {
    let program = try InspectedProgram([], words: [InspectedProgram.programs + "TaskFaults", fault])
    var options = try WatchOptions(["\(program.child.id)", "--still", "86400"])
    options.tasks = limits(cancelled: 1, blocking: 1, queued: 1, actor: 100)
    var found: [WatchFinding] = [], isThere = false
    let ending = try Watch(options).run { finding in
      found.append(finding)
      guard finding.json["finding"].string == kind, finding.text.contains(begin), finding.text.contains(end) else { return }
      isThere = true
      // The process ends, and so does the reading of it.
      program.child.kill()
    }
    #expect(isThere, "\(found.map(\.text)) \(ending)")
  }

  @Test("Limits are read from the command line, and wrong ones refused")
  func options() throws {
    let words = ["7", "--task-cancelled", "1", "--task-blocking", "2.5", "--task-queued", "0", "--actor-tasks", "9"]
    #expect(try WatchOptions(words).tasks == limits(cancelled: 1, blocking: 2.5, queued: 0, actor: 9))
    for words in [["--actor-tasks", "-1"], ["--actor-tasks"], ["--task-queued", "x"], ["--task-blocking", "86401"]] {
      #expect(throws: InspectRefusal.self) { try WatchOptions(["7"] + words) }
    }
  }
}
