// InspectedTask.swift: Swift's tasks as they are shown: values, made of what was read (ProcessTasks.swift).
import SignalboxSystem
import SignalboxView
import SignalboxWords

extension Inspection {
  /// One task.
  package struct Task: Sendable {
    /// What it does.
    enum State: Sendable, Equatable {
      /// On this thread; nil: not known on which.
      case running(thread: Int?)
      /// In the list of an executor; nil: the default executor's.
      case queued(executor: Executor?)
      /// For the value of another task, by its number; nil: it has ended just now.
      case task(Int?)
      /// For any of the children of a group that are left, by their numbers.
      case children([Int])
      /// For a clock: the seconds that are left; nil: not known.
      case sleeping(Double?)
      /// For a continuation.
      case continuation
      /// Made, and not yet begun.
      case new

      var isRunning: Bool { if case .running = self { true } else { false } }
    }
    /// An actor, or another executor.
    struct Executor: Sendable, Equatable {
      var type: String?
      var isActor = true
      var address: String

      /// The runtime's own for the main actor.
      var isMain: Bool { !isActor && type == "DispatchMainExecutor" }
    }

    /// What the process has noted of a task's parts, from one await to the next, since its figures are on.
    struct Times: Sendable, Equatable {
      /// How many have begun on the pool.
      var parts: Int
      /// How many seconds ago the task was queued or begun first, and the last part began; nil: not known, as in a core
      /// dump without the time, or it has not.
      var began: Double?, wentOn: Double?
      /// For how many seconds it has been in its state, at most: while it is on an actor, since it left the pool.
      var since: Double?
      /// For how many seconds it ran on the pool, and was queued for it.
      var busy: Double?, queued: Double?
    }

    /// Counted from 1 in the process; 0 is none.
    var number: Int
    /// Empty where the program gave none.
    var name: String
    var priority: String
    /// The priority is higher than the one with which it was made.
    var isRaised: Bool
    var isCancelled: Bool
    var isAsyncLet: Bool
    /// The number of the task whose child it is; nil: none's.
    var parent: Int?
    var state: State
    /// The functions with which it and those that await it go on, the innermost first.
    var awaits: [Place]
    /// When it went on, of a process that notes this; nil: not known.
    var times: Times?
    /// The thread on which it runs sleeps in one call: so the task keeps it from others.
    var keepsThread = false
  }

  /// The tasks that have begun in one function since the process's figures are on, also those that have ended.
  struct TaskFunction: Sendable, Equatable {
    /// The function, and the one that it calls, if it is a thunk; none: it is not known.
    var places: [Place]
    /// How many tasks, and how many parts of them have begun.
    var tasks: Int, parts: Int
    /// For how many seconds they ran, were queued before that, and were neither until they were queued again; nil: not
    /// known.
    var busy: Double?, queued: Double?, between: Double?
  }

  /// An actor for which tasks wait, or an executor of another kind.
  struct Actor: Sendable {
    var executor: Task.Executor
    /// The task that runs on it, and the thread on which that runs; nil: none does, or that is not known.
    var task: Int?, thread: Int?
    /// How many tasks are queued on it.
    var queued: Int
  }

  /// What there is to say of tasks.
  struct Tasks: Sendable {
    var all: [Task] = []
    /// Cycles of tasks of which each waits for the next, by their numbers.
    var cycles: [[Int]] = []
    var actors: [Actor] = []
    /// Of a process that notes this.
    var functions: [TaskFunction] = []
    /// The tasks that sleep, by the addresses of the timers' jobs that end the sleeps; nil: the sleep is over.
    var sleepers: [UInt64: Int?] = [:]
  }
}

extension Inspection.Tasks {
  /// The tasks of a process, in the order of their numbers. The tasks of timers that only end sleeps are left out.
  ///
  /// - Parameter due: in how many seconds timers are due, by the jobs that they submit.
  init(_ read: ProcessTasks, _ process: any ReadProcess, due: [UInt64: Double?]) {
    guard let set = read.set else { return }
    let memory = ReadMemory.other(process.memory, description: []), ends = set.sleepers
    let timers = Dictionary(ends.map { ($0.value.address, $0.key) }, uniquingKeysWith: { first, _ in first })
    // A sleep that is cancelled ends at once, and leaves the timer's task, which nothing begins before the time. Not all
    // timers may have been read: then it is known by the function that it runs, the runtime's, or that of others.
    let new = set.tasks.values.filter { $0.state == .new && $0.name.isEmpty }
    let functions = Set(new.filter { due[$0.address] != nil || ends[$0.address] != nil }.compactMap(\.awaits.last))
    for task in new where task.parent == 0 {
      let images = task.awaits.compactMap { Inspection.place(ReadNumber($0), in: process.images).image }
      let isRuntimes = !images.isEmpty && images.allSatisfy(PlaceNames.isRuntime)
      let isAnothers = task.awaits.last.map(functions.contains) ?? false
      if due[task.address] != nil || isRuntimes || isAnothers { sleepers[task.address] = .some(nil) }
    }
    for (timer, task) in ends { sleepers[timer] = Int(task.number) }
    let children = set.children
    func number(_ address: UInt64) -> Int? { set.tasks[address].map { Int($0.number) } }
    let threads = Dictionary(read.places.map { ($0.value.task, Int($0.key)) }, uniquingKeysWith: { first, _ in first })
    func executor(_ address: UInt64) -> Inspection.Task.Executor {
      let type = SwiftClass(ofObject: address, in: memory)
      return Inspection.Task.Executor(
        type: type?.name, isActor: type?.isActor ?? false, address: ReadNumber(address).hexadecimal)
    }
    func state(_ task: TaskView) -> Inspection.Task.State {
      switch task.state {
      case .running: .running(thread: threads[task.address])
      case .queued(0): .queued(executor: nil)
      case .queued(let address): .queued(executor: executor(address))
      case .task(let other): .task(number(other))
      case .continuation:
        task.isAsleep ? .sleeping(timers[task.address].flatMap { due[$0] ?? nil }) : .continuation
      case .group(let group): .children((children[group] ?? []).map { Int($0.number) }.sorted())
      case .new: .new
      }
    }
    let registers = TaskRegisters(process)
    all = set.sorted.filter { sleepers[$0.address] == nil }.map { task in
      Inspection.Task(
        number: Int(task.number), name: task.name, priority: Self.name(ofPriority: task.priority),
        isRaised: task.priority > task.basePriority, isCancelled: task.isCancelled, isAsyncLet: task.isAsyncLet,
        parent: task.parent == 0 ? nil : number(task.parent), state: state(task),
        awaits: task.awaits.map { Inspection.place(ReadNumber($0), in: process.images) }, times: registers.times(of: task),
        keepsThread: threads[task.address].map { read.asleep.contains(Int32($0)) } ?? false)
    }
    cycles = set.cycles.map { $0.compactMap(number) }
    self.functions = registers.functions { Inspection.place(ReadNumber($0), in: process.images) }
    var queued: [UInt64: Int] = [:]
    for task in set.tasks.values {
      if case .queued(let executor) = task.state, executor != 0 { queued[executor, default: 0] += 1 }
    }
    let places = Dictionary(read.places.map { ($0.value.executor, $0) }, uniquingKeysWith: { first, _ in first })
    actors = queued.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map { address, count in
      let holder = places[address]
      return Inspection.Actor(
        executor: executor(address), task: holder.flatMap { number($0.value.task) }, thread: holder.map { Int($0.key) },
        queued: count)
    }
  }

  /// What Swift calls a priority.
  private static func name(ofPriority number: UInt8) -> String {
    switch number {
    case 0x09: "background"
    case 0x11: "utility"
    case 0x15: "medium"
    case 0x19: "high"
    case 0x21: "userInteractive"
    case 0: "unspecified"
    default: "\(number)"
    }
  }
}

extension Inspection.Task {
  /// In one word, for programs.
  var stateWord: String {
    switch state {
    case .running: "running"
    case .queued: "queued"
    case .sleeping: "sleeping"
    case .task, .children, .continuation: "suspended"
    case .new: "new"
    }
  }
}

extension Inspection {
  /// The inspections of a process, the first with its tasks.
  static func withTasks(
    _ inspections: [Inspection], _ process: any ReadProcess,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) -> [Inspection] {
    guard var first = inspections.first else { return inspections }
    let read = ProcessTasks(process, progress: progress), timers = inspections.flatMap(\.armed).filter { $0.job != 0 }
    first.tasks = Tasks(
      read, process, due: Dictionary(timers.map { ($0.job, $0.due) }, uniquingKeysWith: { first, _ in first }))
    first.unread += read.unread
    var all = [first] + inspections.dropFirst()
    for index in all.indices {
      for timer in all[index].armed.indices {
        guard let sleeper = first.tasks.sleepers[all[index].armed[timer].job] else { continue }
        (all[index].armed[timer].task, all[index].armed[timer].endsNothing) = (sleeper, sleeper == nil)
      }
    }
    return all
  }
}
