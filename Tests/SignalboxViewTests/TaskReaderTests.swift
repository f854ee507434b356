// TaskReaderTests.swift: tasks of Swift's in memory that is made up word by word: what each says, what is no task, and
// chains that lead nowhere or round and round. The machine's own runtime is TaskProcessTests'
// (SignalboxInspectorTests).
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxView

/// A task at 0x10000.
private struct MadeTask {
  static let place: UInt64 = 0x10000, kind: UInt64 = 0x7000, starter: UInt64 = 0x7100, resumer: UInt64 = 0x7200
  var memory = WordMemory()

  /// - Parameter state: bits of the state, without the priority.
  init(state: UInt32 = 0, flags: UInt32 = 0, number: UInt64 = 7, references: UInt64 = 3) {
    var words = [UInt64](repeating: 0, count: TaskLayout.Word.count)
    words[TaskLayout.Word.kind] = Self.kind
    words[TaskLayout.Word.references] = references
    words[TaskLayout.Word.flags] = number << 32 | UInt64(flags)
    words[TaskLayout.Word.state] = UInt64(state) | 0x15
    words[TaskLayout.Word.priority] = 0x15
    memory.set(Self.place, words)
  }

  subscript(_ word: Int) -> UInt64 {
    get { memory.words[Self.place + UInt64(word) * 8] ?? 0 }
    set { memory.words[Self.place + UInt64(word) * 8] = newValue }
  }

  /// A record of that kind, before `next`.
  mutating func record(
    _ kind: UInt8, at place: UInt64, what: UInt64, awaited: UInt64 = 0, argument: UInt64 = 0, next: UInt64 = 0
  ) {
    memory.set(place, [UInt64(kind), next, what, argument, awaited])
  }

  var reader: TaskReader {
    TaskReader(
      .other(memory, description: []), TaskRuntime(kind: Self.kind, starters: [Self.starter], resumers: [Self.resumer]))
  }
  var view: TaskView? { reader.task(Self.place) }
}

@Suite("Tasks, in any memory") struct TaskReaderTests {
  @Test("What is freed, over, without a number, or no task is none")
  func none() {
    #expect(MadeTask().view?.number == 7 && MadeTask().view?.state == .new)
    #expect(MadeTask(references: 0x2_0000_0003).view != nil)
    let unchanging: UInt64 = 0x8000_0004_FFFF_FFFF
    #expect(MadeTask(flags: TaskLayout.Flags.isAsyncLet, references: unchanging).view != nil)
    // As it was found once, in memory that was given out again: a small string of Swift's where a task has its number.
    #expect(MadeTask(state: TaskLayout.State.isRunning, number: 0xE600_0000, references: unchanging).view == nil)
    #expect(MadeTask(flags: TaskLayout.Flags.isAsyncLet).view == nil)
    for references in [0, 0x1_0000_0003, 0x8000_0000_0000_0003] as [UInt64] {
      #expect(MadeTask(references: references).view == nil, "\(references)")
    }
    #expect(MadeTask(state: TaskLayout.State.isOver).view == nil)
    #expect(MadeTask(flags: 2).view == nil && MadeTask(number: 0).view == nil)
    var other = MadeTask()
    other[TaskLayout.Word.kind] = 0x7008
    #expect(other.view == nil && MadeTask().reader.task(MadeTask.place + 8) == nil && MadeTask().reader.task(0x50000) == nil)
    var odd = MadeTask()
    odd[TaskLayout.Word.state] |= 1 << 40
    #expect(odd.view == nil)
  }

  @Test("Its name, its priority, what it is a child of, and whether it is cancelled")
  func facts() throws {
    var task = MadeTask(
      state: TaskLayout.State.isCancelled,
      flags: TaskLayout.Flags.isChild | TaskLayout.Flags.isGroupChild | TaskLayout.Flags.isNamed)
    task[TaskLayout.Word.priority] = 0x09
    task[TaskLayout.Word.parent] = 0x20000
    task[TaskLayout.Word.group] = 0x30000
    task[TaskLayout.Word.records] = 0x40000
    task.record(TaskLayout.Record.name, at: 0x40000, what: 0x41000)
    task.memory.set(0x41000, [0x656d_616e, 0])
    let view = try #require(task.view)
    #expect(view.name == "name" && view.priority == 0x15 && view.basePriority == 0x09 && view.isCancelled)
    #expect(view.parent == 0x20000 && view.group == 0x30000 && !view.isAsyncLet)
    #expect(MadeTask(flags: TaskLayout.Flags.isAsyncLet, references: 0x8000_0004_FFFF_FFFF).view?.isAsyncLet == true)
  }

  @Test("What it waits for, by the record of its wait, behind those of a lock and of handlers")
  func waits() {
    let states: [(UInt64, TaskView.State)] = [
      (1, .task(0x20000)), (2, .continuation(0x20000)), (3, .group(0x20000)), (4, .queued(0x20000)), (5, .new),
    ]
    for (kind, state) in states {
      var task = MadeTask(state: TaskLayout.State.waits)
      task[TaskLayout.Word.records] = 0x40000
      task.record(192, at: 0x40000, what: 0, next: 0x40100)
      task.record(TaskLayout.Record.wait, at: 0x40100, what: 0x20000, awaited: kind, next: 0x40200)
      // The handler's argument leads to what a sleep and its timer have in common.
      task.record(TaskLayout.Record.cancellation, at: 0x40200, what: 0, argument: 0x42000)
      task.memory.set(0x42000, [0, 0, 0x43000])
      task.memory.set(0x43000, [MadeTask.place])
      #expect(task.view?.state == state && task.view?.sleep == 0x43000, "\(kind)")
      // Another handler's argument leads elsewhere.
      task.memory.set(0x43000, [0x20000])
      #expect(task.view?.state == state && task.view?.sleep == 0, "\(kind)")
    }
    // Without the bit the record is one of a wait that is over; a task that runs waits for nothing.
    var over = MadeTask()
    over[TaskLayout.Word.records] = 0x40000
    over.record(TaskLayout.Record.wait, at: 0x40000, what: 0x20000, awaited: 1)
    #expect(over.view?.state == .new)
    #expect(MadeTask(state: TaskLayout.State.isRunning | TaskLayout.State.waits).view?.state == .running)
    #expect(MadeTask(state: TaskLayout.State.isQueued).view?.state == .queued(0))
  }

  @Test("Its chain of awaits, from the innermost on: the runtime's own functions are passed over")
  func chain() {
    var task = MadeTask(state: TaskLayout.State.waits)
    task[TaskLayout.Word.records] = 0x40000
    task.record(TaskLayout.Record.wait, at: 0x40000, what: 0x50000, awaited: 2)
    task[TaskLayout.Word.resume] = 0x101
    task[TaskLayout.Word.frame] = 0x50000
    task.memory.set(0x50000, [0x51000, 0x101])
    task.memory.set(0x51000, [0x52000, 0x102])
    task.memory.set(0x52000, [0, 0x103])
    // The frame of a continuation says once more where the task goes on; a function that awaits itself is there twice.
    #expect(task.view?.awaits == [0x101, 0x102, 0x103])
    task.record(TaskLayout.Record.wait, at: 0x40000, what: 0x60000, awaited: 2)
    #expect(task.view?.awaits == [0x101, 0x101, 0x102, 0x103])
    task[TaskLayout.Word.resume] = MadeTask.resumer
    #expect(task.view?.awaits == [0x101, 0x102, 0x103])
  }

  @Test("A task that has not begun is at its closure's function, which no function awaits")
  func notBegun() {
    var task = MadeTask()
    task[TaskLayout.Word.resume] = MadeTask.starter
    task[TaskLayout.Word.frame] = 0x50018
    task.memory.set(0x50000, [0x201, 0x42000, 0, 0, 0x202])
    task.memory.set(0x42000, [0, 0, 0x77])
    #expect(task.view?.awaits == [0x201] && task.view?.sleep == 0x77)
  }

  @Test("A chain that leads round and round, or nowhere, ends")
  func ends() throws {
    var task = MadeTask()
    task[TaskLayout.Word.resume] = 0x101
    task[TaskLayout.Word.frame] = 0x50000
    task.memory.set(0x50000, [0x50000, 0x102])
    #expect(task.view?.awaits == [0x101, 0x102])
    task.memory.set(0x50000, [0x51000, 0x102])
    task.memory.set(0x51000, [0x50000, 0x103])
    let count = try #require(task.view?.awaits.count)
    #expect(count >= 256 && count <= 257)
    task.memory.set(0x51000, [0x99990, 0x103])
    task[TaskLayout.Word.records] = 0x40000
    task.record(3, at: 0x40000, what: 0, next: 0x40000)
    #expect(task.view?.awaits == [0x101, 0x102, 0x103])
  }

  @Test("A group that waits is part of no cycle unless its own list of children is, and all of them are")
  func groups() {
    func task(at place: UInt64, waitsFor kind: UInt64, _ what: UInt64, record: UInt64, next: UInt64 = 0) -> [UInt64: UInt64] {
      var made = MadeTask(state: TaskLayout.State.waits, flags: TaskLayout.Flags.isChild, number: place >> 12)
      made[TaskLayout.Word.records] = record
      made[TaskLayout.Word.nextChild] = next
      made.record(TaskLayout.Record.wait, at: record, what: what, awaited: kind)
      return Dictionary(
        made.memory.words.map { ($0 < 0x20000 ? $0 - MadeTask.place + place : $0, $1) }, uniquingKeysWith: { $1 })
    }
    func cycles(_ last: UInt64) -> Int {
      let memory = ChangingWords()
      for made in [
        task(at: 0x20000, waitsFor: 3, 0x60000, record: 0x40000),
        task(at: 0x21000, waitsFor: 1, 0x20000, record: 0x41000, next: last),
        task(at: 0x22000, waitsFor: 1, 0x20000, record: 0x42000),
        task(at: 0x23000, waitsFor: 2, 0x50000, record: 0x43000),
      ] { memory.words.merge(made) { $1 } }
      memory.words[0x60000 + TaskLayout.firstChild * 8] = 0x21000
      let runtime = TaskRuntime(kind: MadeTask.kind, starters: [], resumers: [])
      return TaskSet(memory, [0x20000..<0x24000], runtime).cycles.count
    }
    // Both children wait for the group's task; one may still be resumed; one is in the list, and no search has found
    // it.
    #expect(cycles(0x22000) == 2 && cycles(0) == 1)
    #expect(cycles(0x23000) == 0 && cycles(0x30000) == 0 && cycles(0x99990) == 0)
  }

  @Test("A task that goes on while it is read has no chain, and one that ends is none")
  func moves() {
    let memory = ChangingWords(), first = MadeTask()
    for (place, word) in first.memory.words { memory.words[place] = word }
    memory.words[MadeTask.place + UInt64(TaskLayout.Word.resume) * 8] = 0x101
    let reader = TaskReader(memory.reading, TaskRuntime(kind: MadeTask.kind, starters: [], resumers: []))
    let place = MadeTask.place + UInt64(TaskLayout.Word.resume) * 8
    #expect(reader.task(MadeTask.place)?.awaits == [0x101])
    memory.afterReading = { if $0 == MadeTask.place { memory.words[place, default: 0] += 1 } }
    #expect(reader.task(MadeTask.place)?.awaits == [])
    memory.afterReading = { _ in memory.words[MadeTask.place + UInt64(TaskLayout.Word.references) * 8] = 0x1_0000_0003 }
    #expect(reader.task(MadeTask.place) == nil)
  }
}
