// TaskTables.swift: Swift's tasks for people: cycles first, then tasks that do the same at the same place in one row,
// or with `--tasks` each, its children below it.
import SignalboxCommandLine

/// The lines of one process's tasks.
struct TaskTables {
  private let tasks: Inspection.Tasks
  private let byNumber: [Int: Inspection.Task]
  private let threads: [Int: Inspection.Thread]
  private let names: InspectionNames

  /// How many functions of a chain a row has where tasks share it, and how many tasks it names.
  private static let shortChain = 4, named = 3

  init(_ inspection: Inspection, _ names: InspectionNames) {
    (tasks, self.names) = (inspection.tasks, names)
    byNumber = Dictionary(tasks.all.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    threads = Dictionary(inspection.threads.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: cycles

  /// Tasks that wait for one another.
  var cycles: [String] {
    tasks.cycles.flatMap { cycle -> [String] in
      let head =
        cycle.count == 1 ? "a task waits for its own end" : "\(cycle.count) tasks wait for one another"
      let lines = cycle.indices.map { index -> String in
        let next = cycle[(index + 1) % cycle.count], task = byNumber[cycle[index]]
        let isGroup = if case .children? = task?.state { true } else { false }
        let what = isGroup ? "the children of its group, and so for \(title(next))" : "the value of \(title(next))"
        return "  \(title(cycle[index])) waits for \(what)" + (place(task).map { ", at \($0)" } ?? "")
      }
      return ["", "deadlock: \(head), forever"] + lines
        + ["  fix: let no task await the end of one that awaits its own, directly or through others"]
    }
  }

  // MARK: what stands out

  /// Tasks that keep the thread which they run on in a call that sleeps: other tasks need it. Actors come first, for
  /// which tasks are queued.
  var findings: [String] {
    let held = Set(tasks.actors.compactMap(\.thread))
    let keeping = asleep.filter { !held.contains($0.thread.id) }.map { task, thread in
      "\(title(task.number)) keeps thread \(thread.id), which \(names.deed(thread))" + (place(task).map { ", at \($0)" } ?? "")
    }
    let left = keeping.count - Self.named
    return exhausted + main + actors + keeping.prefix(Self.named)
      + (left > 0 ? ["\(left) more tasks keep their threads in such calls"] : [])
  }

  /// Tasks that run on threads which sleep.
  private var asleep: [(task: Inspection.Task, thread: Inspection.Thread)] {
    tasks.all.compactMap { task in
      guard task.keepsThread, case .running(let id?) = task.state, let thread = threads[id] else { return nil }
      return (task, thread)
    }
  }

  /// Every task that runs keeps its thread asleep, while others are queued.
  private var exhausted: [String] {
    let queued = tasks.all.filter { $0.state == .queued(executor: nil) }.count,
      running = tasks.all.filter(\.state.isRunning).count
    guard queued > 0, running > 0, asleep.count == running else { return [] }
    return [
      "\(queued) task\(queued == 1 ? " is" : "s are") queued on the default executor, and each task that runs (\(running)) keeps its thread asleep"
    ]
  }

  /// The main thread sleeps in what is no loop of its, while tasks are queued for it. In `dispatchMain()` it sleeps for
  /// good, and others run them.
  private var main: [String] {
    guard let queued = tasks.actors.first(where: \.executor.isMain)?.queued, let thread = threads.values.first(where: \.isMain),
      thread.wait != nil || thread.call.map({ !Self.loops.contains($0) }) == true
    else { return [] }
    let place = names.places.place(thread.stack).map { ", at \($0)" } ?? ""
    return [
      "\(queued) task\(queued == 1 ? " is" : "s are") queued on the main executor, and the main thread \(names.deed(thread))\(place)"
    ]
  }

  /// Calls in which the main thread's loops sleep.
  private static let loops: Set<String> = [
    "rt_sigsuspend", "poll", "ppoll", "epoll_wait", "epoll_pwait", "epoll_pwait2", "select",
  ]

  /// Actors that one task has while others are queued.
  private var actors: [String] {
    tasks.actors.filter { $0.thread != nil }.prefix(Self.named).map { actor in
      let thread = actor.thread.flatMap { threads[$0] }, deed = thread.map { names.deed($0) } ?? "runs"
      let holder = actor.task.map { title($0) } ?? "a task"
      return
        "\(actor.queued) task\(actor.queued == 1 ? " is" : "s are") queued on \(name(actor.executor)): \(holder) has it, on thread "
        + "\(actor.thread ?? 0), which \(deed)" + (place(actor.task.flatMap { byNumber[$0] }).map { ", at \($0)" } ?? "")
    }
  }

  private func name(_ executor: Inspection.Task.Executor) -> String {
    if executor.isMain { return "the main executor" }
    return "\(executor.type.map { (executor.isActor ? "actor " : "executor ") + $0 } ?? "an executor") (\(executor.address))"
  }

  // MARK: findings from one reading to the next

  /// A finding in a sentence: what is so, and for how long it is known to be.
  func sentence(_ finding: TaskFindings.Finding) -> String {
    guard let first = finding.tasks.first, let task = byNumber[first] else { return "" }
    let time = InspectionNames.time(finding.seconds), at = place(task).map { ", at \($0)" } ?? ""
    let readings = "at each of \(finding.readings) readings in \(time)", others = finding.tasks.count - 1
    let more = others == 0 ? "" : "; \(others) other task\(others == 1 ? "" : "s") likewise"
    switch finding.kind {
    case .cancelled:
      return
        "\(title(first)) was cancelled \(time) ago or earlier, and still \(deed(task, isShared: false, saysCancelled: false))"
        + at + more
    case .blocking:
      let thread = asleep.first { $0.task.number == first }?.thread
      return "\(title(first)) kept its thread asleep \(readings)"
        + (thread.map { ": thread \($0.id), which \(names.deed($0))" } ?? "") + at + more
    case .queued:
      return "\(title(first)) was queued on \(name(finding)) \(readings)\(holder(of: finding))\(more)"
    case .actor:
      return "\(finding.tasks.count) tasks are queued on \(name(finding))\(holder(of: finding))"
    }
  }

  private func name(_ finding: TaskFindings.Finding) -> String { finding.executor.map { name($0) } ?? "the default executor" }

  /// The task that has the actor of a finding, in the rest of a sentence.
  private func holder(of finding: TaskFindings.Finding) -> String {
    guard let holder = tasks.actors.first(where: { $0.executor == finding.executor })?.task else { return "" }
    return ": \(title(holder)) has it" + (place(byNumber[holder]).map { ", at \($0)" } ?? "")
  }

  // MARK: all of them

  /// How many there are, by what they do.
  var summary: String {
    let counts = Dictionary(tasks.all.map { ($0.stateWord, 1) }, uniquingKeysWith: +)
    let parts = ["running", "queued", "suspended", "sleeping", "new"].compactMap { word in counts[word].map { "\($0) \(word)" }
    }
    return "\(tasks.all.count) task\(tasks.all.count == 1 ? "" : "s"): \(parts.joined(separator: ", "))"
  }

  /// Tasks that do the same at the same place, most first.
  var shared: TextTable {
    struct Place: Hashable { var deed: String, awaits: [Inspection.Place], thread: String? }
    struct Row { var tasks: [Inspection.Task], chain: [String] }
    let places = Dictionary(grouping: tasks.all) { task in
      Place(deed: deed(task, isShared: true), awaits: task.awaits, thread: task.state.isRunning ? chain(task).first : nil)
    }
    // Several chains may be called the same, as far as they are shown.
    var rows: [String: Row] = [:]
    for (place, tasks) in places {
      let chain = Array(self.chain(tasks[0]).prefix(Self.shortChain))
      rows["\(place.deed) \(chain)", default: Row(tasks: [], chain: chain)].tasks += tasks
    }
    for key in Array(rows.keys) { rows[key]?.tasks.sort { $0.number < $1.number } }
    let isTimed = isTimed
    var table = TextTable(["tasks", "which", "state"] + (isTimed ? ["since"] : []) + ["at"], right: isTimed ? [0, 3] : [0])
    let sorted = rows.values.sorted { ($0.tasks.count, $1.tasks[0].number) > ($1.tasks.count, $0.tasks[0].number) }
    for row in sorted {
      let some = row.tasks.prefix(Self.named).map { short($0) }.joined(separator: ", ")
      table.add(
        [
          "\(row.tasks.count)", some + (row.tasks.count > Self.named ? ", …" : ""),
          deed(row.tasks[0], isShared: row.tasks.count > 1),
        ] + (isTimed ? [since(row.tasks)] : []) + [row.chain.joined(separator: " < ")])
    }
    return table
  }

  private var isTimed: Bool { tasks.all.contains { $0.times?.since != nil } }

  /// For how long the one of them has been in its state that is so longest.
  private func since(_ tasks: [Inspection.Task]) -> String {
    Self.time(tasks.compactMap { $0.times?.since }.max())
  }

  private static func time(_ seconds: Double?) -> String { seconds.map { InspectionNames.time($0) } ?? "" }

  /// Executors for which tasks are queued, most first: the default one, and actors.
  var executors: TextTable {
    var table = TextTable(["queued", "longest", "executor", "which has it"], right: [0, 1])
    func longest(_ executor: Inspection.Task.Executor?) -> String {
      since(tasks.all.filter { $0.state == .queued(executor: executor) })
    }
    let queued = tasks.all.filter { $0.state == .queued(executor: nil) }.count
    if queued > 0 { table.add(["\(queued)", longest(nil), "the default executor", ""]) }
    for actor in tasks.actors {
      let holder = actor.task.map { title($0) } ?? actor.thread.map { "thread \($0)" } ?? ""
      table.add(["\(actor.queued)", longest(actor.executor), name(actor.executor), holder])
    }
    return table
  }

  /// Each task, its children below it.
  var tree: TextTable {
    let children = Dictionary(grouping: tasks.all.filter { $0.parent.flatMap { byNumber[$0] } != nil }, by: \.parent)
    let isTimed = isTimed
    var table = TextTable(["task", "priority", "state"] + (isTimed ? ["since", "parts", "busy", "queued"] : []) + ["at"]),
      rest = tasks.all.filter { task in
        task.parent.flatMap { byNumber[$0] } == nil
      }.reversed().map { (task: $0, depth: 0) }
    // Each task has one parent, so that each comes once; a damaged core may say otherwise.
    var seen: Set<Int> = []
    while let (task, depth) = rest.popLast() {
      guard seen.insert(task.number).inserted else { continue }
      table.add(
        [
          String(repeating: "  ", count: min(depth, 16)) + short(task), task.priority + (task.isRaised ? ", raised" : ""),
          deed(task, isShared: false),
        ] + (isTimed ? [since([task])] + times(task) : []) + [chain(task).joined(separator: " < ")])
      rest += (children[task.number] ?? []).reversed().map { ($0, depth + 1) }
    }
    return table
  }

  private func times(_ task: Inspection.Task) -> [String] {
    [task.times.map { "\($0.parts)" } ?? "", Self.time(task.times?.busy), Self.time(task.times?.queued)]
  }

  // MARK: words

  /// A task in a sentence.
  func title(_ number: Int) -> String {
    let name = byNumber[number]?.name ?? ""
    return name.isEmpty ? "task \(number)" : "task \(number) \"\(name)\""
  }

  private func short(_ task: Inspection.Task) -> String {
    let kind = task.isAsyncLet ? " (async let)" : ""
    return (task.name.isEmpty ? "\(task.number)" : "\(task.number) \"\(task.name)\"") + kind
  }

  /// What a task does; `isShared`: in words that hold of several.
  private func deed(_ task: Inspection.Task, isShared: Bool, saysCancelled: Bool = true) -> String {
    let deed: String =
      switch task.state {
      case .running(let thread?) where !isShared: "runs on thread \(thread)"
      case .running: "runs"
      case .queued(let executor?):
        "is queued on \(name(executor))"
      case .queued: "is queued on the default executor"
      case .task(let number?) where !isShared: "waits for the value of \(title(number))"
      case .task: "waits for the value of a task"
      case .children(let left) where !isShared:
        left.count == 1
          ? "waits for a child of its group, \(title(left[0]))" : "waits for one of \(left.count) children of its group"
      case .children: "waits for children of its group"
      case .sleeping(let seconds?) where !isShared: "sleeps for \(InspectionNames.time(max(0, seconds))) more"
      case .sleeping: "sleeps"
      case .continuation where names.places.isInStream(task.awaits): "waits for the next element of a stream"
      case .continuation: "waits for a continuation"
      case .new: "has not begun"
      }
    return deed + (task.isCancelled && saysCancelled ? ", cancelled" : "")
  }

  /// The program's functions that it is in.
  private func chain(_ task: Inspection.Task) -> [String] {
    guard case .running(let thread) = task.state else { return names.places.chain(task.awaits) }
    return thread.flatMap { threads[$0] }.flatMap { names.places.place($0.stack) }.map { [$0] } ?? []
  }

  private func place(_ task: Inspection.Task?) -> String? { task.flatMap { chain($0).first } }
}
