// TaskStormTests.swift: tasks come and go by the hundred thousand while they are read again and again, from outside by
// the reader of `signalbox inspect`, and in the process by `Tasks.snapshot()`: each task that lives throughout is
// there each time, and none twice. And a process that ends while it is read.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxView
import Testing

@testable import SignalboxInspector

@Suite("Storms of tasks") struct TaskStormTests {
  /// How many readings there are, from outside and in the process: SIGNALBOX_STORM_READINGS in all.
  private static let all = getenv("SIGNALBOX_STORM_READINGS").flatMap { Int(String(cString: $0)) } ?? 150
  private static let outside = all * 3 / 5, inside = all - outside, tasks: UInt32 = 100_000
  /// Some seconds are enough; a sanitizer or a busy machine takes longer.
  private static let patience: UInt64 = 900_000_000_000

  @Test("Readings from outside, while tasks come and go by the hundred thousand: all that stay are there, none twice")
  func readFromOutside() throws {
    let program = try InspectedProgram([], words: [InspectedProgram.programs + "TaskProbe", "churn"])
    let live = try LiveProcess(try #require(OtherProcess(program.child.id)))
    guard case .found(let library) = ConcurrencyLibrary.find(in: live) else {
      Issue.record("the runtime is not found")
      return
    }
    func read() -> TaskSet { TaskSet(live.memory, live.written, library.runtime) }
    func stay(_ set: TaskSet) -> [UInt64: TaskView] {
      set.tasks.filter { $0.value.name.hasPrefix("stays ") && $0.value.state.isContinuation }
    }
    var all: [UInt64: TaskView] = [:]
    #expect(
      eventually {
        all = stay(read())
        return all.count == 100
      }, "\(all.count) of 100 tasks stay")
    let first = read().tasks.values.map(\.number).max() ?? 0
    var last = first, readings = 0
    let deadline = Clock.uptime() + Self.patience
    while readings < Self.outside || last &- first < Self.tasks {
      try #require(Clock.uptime() < deadline, "after \(readings) readings \(last &- first) tasks were made")
      let set = read()
      readings += 1
      // As they were in the first reading: their numbers, their chains, their state.
      #expect(stay(set) == all)
      let numbers = set.tasks.values.map(\.number)
      #expect(Set(numbers).count == numbers.count && set.cycles.isEmpty && set.unsearched == 0, "\(numbers.sorted())")
      last = max(last, numbers.max() ?? 0)
    }
    #expect(program.child.read(milliseconds: 0) && program.errorText.isEmpty, "\(program.errorText)")
  }

  @Test("Snapshots in the process, while tasks come and go by the hundred thousand: all that stay are there, none twice")
  func readInside() throws {
    let program = try InspectedProgram(["storm", "\(Self.inside)"], isPrepared: false)
    #expect(program.line == "ready")
    let deadline = Clock.uptime() + Self.patience
    while program.child.read(milliseconds: 100), Clock.uptime() < deadline {}
    let lines = program.child.takeLines()
    // What the thread sanitizer says stands there, where the program was built with it.
    #expect(program.errorText.isEmpty, "\(program.errorText)")
    let counts = try #require(lines.first?.wholeMatch(of: /(\d+) snapshots, (\d+) tasks/), "it says \(lines)").output
    #expect(Int(counts.1) ?? 0 >= Self.inside && Int(counts.2) ?? 0 >= Int(Self.tasks))
    #expect(program.child.wait() == .exited(0))
  }

  // MARK: the process ends

  @Test("A process that ends at any point of a reading: there is an answer or one line, and nothing of it is a task's")
  func ends() throws {
    func program() throws -> InspectedProgram {
      try InspectedProgram([], words: [InspectedProgram.programs + "TaskProbe", "kinds"])
    }
    let whole = try program(), count = try Self.read(whole, endingAfter: .max).readings
    #expect(count > 50, "\(count) readings")
    for part in 0..<16 {
      let read = try Self.read(program(), endingAfter: count * part / 16)
      // Tasks that were read before it ended are few or many, but whole.
      #expect(read.tasks.all.count <= 30 && read.tasks.cycles.isEmpty, "\(part): \(read.tasks.all)")
      #expect(read.tasks.all.allSatisfy { $0.number > 0 && $0.number < 1_000 }, "\(part): \(read.tasks.all)")
      #expect(read.unread.allSatisfy { !$0.isEmpty && !$0.contains("\n") }, "\(part): \(read.unread)")
    }
    let last = try program(), process = try InspectedProcess(last.child.id)
    let refusal = #expect(throws: InspectRefusal.self) {
      _ = try process.inspect { _, _ in Self.end(last.child.id) }
    }
    #expect(
      refusal?.kind == .noProcess && refusal?.message.hasSuffix("has ended meanwhile") == true, "\(refusal?.message ?? "none")")
  }

  /// The tasks of a program that is ended after `most` readings of its memory, and how many readings there were.
  private static func read(
    _ program: InspectedProgram, endingAfter most: Int
  ) throws -> (tasks: Inspection.Tasks, unread: [String], readings: Int) {
    let live = try LiveProcess(try #require(OtherProcess(program.child.id))), id = program.child.id
    let process = OverlaidProcess(live, memory: CountedMemory(live.memory, after: most) { end(id) })
    let read = ProcessTasks(process) { _, _ in }
    return (Inspection.Tasks(read, process, due: [:]), read.unread, process.counted)
  }

  /// Ends a process, and returns once its memory is gone. Its parent still asks for its status.
  private static func end(_ id: Int32) {
    kill(id, SIGKILL)
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }
}

// MARK: what the tests need

extension TaskView.State {
  fileprivate var isContinuation: Bool { if case .continuation = self { true } else { false } }
}
