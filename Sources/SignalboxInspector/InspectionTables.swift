// InspectionTables.swift: an inspection as a table that a person reads: cycles first, what else stands out
// (InspectionFindings.swift), then the threads that wait longest, then the rest. As a picture it is WaitPicture.swift.
import SignalboxCommandLine
import SignalboxWords

/// The text of one inspection of a process.
public struct InspectionTables {
  private let title: String
  private let inspections: [Inspection]
  private let options: InspectOptions
  private let names: [InspectionNames]
  private let width: Int

  /// How many rows a table has where not all are wanted.
  private static let page = 20

  /// - Parameters:
  ///   - process: what the process is called: its number and name.
  ///   - width: of the terminal, in characters; 0: tables are as wide as their cells.
  public init(_ inspections: [Inspection], process: String, _ options: InspectOptions, width: Int = 0) {
    var places = PlaceNames(wantsLines: true)
    places.learn(inspections)
    self.init(inspections, process: process, options, places, width: width)
  }

  package init(
    _ inspections: [Inspection], process: String, _ options: InspectOptions, _ places: PlaceNames, width: Int = 0
  ) {
    (title, self.inspections, self.options, self.width) = (process, inspections, options, width)
    names = inspections.map { InspectionNames($0, places) }
  }

  /// The whole text.
  public var text: String {
    var lines = ["process \(title): \(count(inspections[0].threads.count, "thread"))"] + howItWasRead
    for index in inspections.indices {
      if inspections.count > 1 {
        let copy = inspections[index]
        lines += [
          "",
          copy.usesSignalbox
            ? "copy \(index + 1) of \(inspections.count) of Signalbox, in \(copy.copy)"
            : "the toolchain's library, \(copy.copy)",
        ]
      }
      lines += part(inspections[index], names[index], isFirst: index == 0)
    }
    return lines.map { TextTable.plain($0) }.joined(separator: "\n") + "\n"
  }

  private var howItWasRead: [String] {
    let lines: [String] =
      switch inspections[0].source {
      case "answers": ["the kernel does not show its memory: it has answered itself"]
      case "core": ["read from a core dump"]
      default: []
      }
    return inspections[0].usesSignalbox ? lines : lines + [Self.foreign]
  }

  /// What is missing where there is no Signalbox.
  private static let foreign = """
    it does not use Signalbox, and was read from outside; under "signalbox run" it would also stop at a deadlock, and show since when each thread \
    waits and what each queue has done
    """

  private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  private func part(_ inspection: Inspection, _ names: InspectionNames, isFirst: Bool) -> [String] {
    cycles(inspection, names) + TaskTables(inspection, names).cycles + findings(inspection, names) + waits(inspection, names)
      + holders(inspection, names) + threads(inspection, names, isFirst: isFirst) + queues(inspection, names)
      + tasks(inspection, names, isFirst: isFirst) + pools(inspection) + timers(inspection, names) + descriptors(inspection)
      + rest(inspection)
  }

  // MARK: cycles

  private func cycles(_ inspection: Inspection, _ names: InspectionNames) -> [String] {
    inspection.cycles.flatMap { cycle -> [String] in
      let who = cycle.threads.count == 1 ? "a thread waits for itself" : "\(cycle.threads.count) threads wait for one another"
      let head = cycle.isCertain ? "deadlock: \(who), forever" : "suspected deadlock: \(who)"
      let waits = cycle.threads.map { wait(of: $0, inspection, names) }
      let lines = cycle.threads.indices.map { index in
        let id = cycle.threads[index], next = cycle.threads[(index + 1) % cycle.threads.count]
        let what = waits[index].map { $0.names.object($0.wait) } ?? "something"
        let time = waits[index]?.wait.seconds.map { " for \(InspectionNames.time($0))" } ?? ""
        return "  \(names.thread(id)) waits\(time) for \(what), and so for \(names.thread(next))"
      }
      return ["", head] + lines + ["  fix: " + Self.fix(waits.compactMap { $0?.wait })]
    }
  }

  /// What ends such a cycle for good, by the kinds of its waits.
  private static func fix(_ waits: [Inspection.Wait]) -> String {
    let queues = waits.filter {
      $0.kind.hasPrefix("queue") || $0.kind == WaitKind.workItem.noun || $0.kind == WaitKind.group.noun
    }.count
    if queues == waits.count { return "make one of the calls async, or let no item wait for a queue whose items wait for it" }
    if waits.contains(where: { $0.because == Inspection.Wait.goesOn }) {
      return "join no thread that waits for the joining one"
    }
    if queues == 0 { return "take these locks in one order everywhere, or let go of one before the next" }
    return "let no thread wait for a queue while it has a lock that the queue's items take"
  }

  /// What a thread of a cycle waits for: a cycle may go through several copies.
  private func wait(
    of thread: Int, _ inspection: Inspection, _ names: InspectionNames
  ) -> (wait: Inspection.Wait, names: InspectionNames)? {
    let all = [(inspection, names)] + zip(inspections, self.names)
    return all.lazy.compactMap { inspection, names in
      inspection.threads.first { $0.id == thread }?.wait.map { ($0, names) }
    }.first
  }

  private func findings(_ inspection: Inspection, _ names: InspectionNames) -> [String] {
    let lines = InspectionFindings(inspection, names).lines
    return lines.isEmpty ? [] : ["", "what stands out"] + lines.map { "  \($0)" }
  }

  // MARK: threads

  private func waits(_ inspection: Inspection, _ names: InspectionNames) -> [String] {
    let waiting = inspection.threads.filter { $0.wait != nil }.sorted {
      ($0.wait?.seconds ?? .infinity) > ($1.wait?.seconds ?? .infinity)
    }
    var table = TextTable(["waits", "thread", "for", "because", "at"])
    for thread in shown(waiting) {
      guard let wait = thread.wait else { continue }
      let limit = wait.isLimited ? " (it ends by its time)" : ""
      table.add([
        wait.seconds.map { InspectionNames.time($0) } ?? "?", names.thread(thread.id), names.object(wait),
        names.reason(wait) + limit,
        names.places.place(thread.stack) ?? "",
      ])
    }
    return section("waits, the longest first", table, left: waiting.count)
  }

  /// The threads that have what other threads wait for, with what each of them does: that is what people ask first. A
  /// thread is listed once, with the thing that was waited for longest.
  private func holders(_ inspection: Inspection, _ names: InspectionNames) -> [String] {
    let waiting = inspection.threads.filter { $0.wait?.because == "held" || $0.wait?.because == "inside" }.sorted {
      ($0.wait?.seconds ?? .infinity) > ($1.wait?.seconds ?? .infinity)
    }
    var order: [Int] = [], things: [Int: String] = [:], waiters: [Int: Int] = [:]
    for thread in waiting {
      guard let wait = thread.wait else { continue }
      for holder in wait.holders {
        waiters[holder, default: 0] += 1
        if things[holder] != nil { continue }
        things[holder] = names.object(wait)
        order.append(holder)
      }
    }
    let threads = Dictionary(inspection.threads.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    var table = TextTable(["holder", "has", "waiters", "does", "at"], right: [2])
    for id in shown(order) {
      let thread = threads[id]
      table.add([
        names.thread(id), things[id] ?? "", "\(waiters[id] ?? 0)", thread.map(names.deed) ?? "not known",
        thread.flatMap { names.places.place($0.stack) } ?? "",
      ])
    }
    return section("holders of what threads wait for", table, left: order.count)
  }

  private func threads(_ inspection: Inspection, _ names: InspectionNames, isFirst: Bool) -> [String] {
    let workers = inspection.pools.reduce(into: [Int: String]()) { $0.merge($1.workers) { $1 } }
    let known = inspection.threads.filter { thread in
      guard !options.wantsAll else {
        return isFirst || !thread.inside.isEmpty || workers[thread.id] != nil || thread.wait != nil
      }
      // Idle workers, Signalbox's own threads, and those of which nothing is known but that they sleep tell little.
      return !thread.isOwn
        && (!thread.inside.isEmpty || thread.isUnread || isFirst && (thread.state == "runs" || thread.isMain))
    }
    var table = TextTable(["thread", "name", "state", "runs"])
    for thread in shown(known) {
      table.add([
        "\(thread.id)", thread.isMain ? "\(thread.name) (main)" : thread.name, state(thread, workers[thread.id]),
        names.runs(thread),
      ])
    }
    return section("threads", table, left: known.count) + stacks(known, names)
  }

  private func state(_ thread: Inspection.Thread, _ worker: String?) -> String {
    if thread.isOwn { return "answers this" }
    if thread.isUnread { return "waits briefly, again and again" }
    if let wait = thread.wait { return "waits for \(wait.kind)" }
    if worker == "idle" { return "idle worker" }
    return thread.call.map { "sleeps in \($0)" } ?? thread.state
  }

  private func stacks(_ threads: [Inspection.Thread], _ names: InspectionNames) -> [String] {
    guard options.wantsStacks else { return [] }
    return threads.flatMap { thread -> [String] in
      var lines = names.places.lines(thread.stack)
      let reason = thread.stackEnd.map { ": \($0)" } ?? ""
      if lines.isEmpty {
        lines = ["its stack cannot be had" + reason]
      } else if !reason.isEmpty {
        lines.append("it ends here" + reason)
      }
      return ["", "stack of \(names.thread(thread.id))"] + lines.map { "  \($0)" }
    }
  }

  // MARK: queues and pools

  private func queues(_ inspection: Inspection, _ names: InspectionNames) -> [String] {
    let telling = inspection.queues.filter { options.wantsAll || $0.isTelling }
    let sorted = telling.sorted { ($0.pending, $0.done, $1.label) > ($1.pending, $1.done, $0.label) }
    var table = TextTable(
      [
        "pending", "oldest waits", "done", "queue", "kind", "class", "runs on", "state", "half waited up to", "95 % up to",
        "next",
      ], right: [0, 1, 2])
    for queue in shown(sorted) {
      table.add([
        queue.isCounted ? "\(queue.pending)" : "?", queue.oldest.map { InspectionNames.timeAtLeast($0) } ?? "",
        queue.knowsDone ? "\(queue.done)" : "?",
        names.label(queue), queue.kind, queue.qos == "unspecified" ? "" : queue.qos,
        queue.target.map { target in names.queue(target).map { names.label($0) } ?? target } ?? "", names.state(queue),
        queue.p50.map { InspectionNames.time($0) } ?? "",
        queue.p95.map { InspectionNames.time($0) } ?? "", queue.next.first.map { names.item($0.kind, $0.function) } ?? "",
      ])
    }
    let quiet = inspection.queues.count - telling.count
    return section("queues", table, left: sorted.count)
      + (quiet > 0 && !options.wantsAll ? ["  \(count(quiet, "queue")) without items or threads: --all"] : [])
  }

  private func pools(_ inspection: Inspection) -> [String] {
    var table = TextTable(["pool", "threads", "running", "idle", "limit"], right: [1, 2, 3, 4])
    for pool in inspection.pools where options.wantsAll || pool.threads > 0 {
      let limit = pool.limit > 0 ? "\(pool.limit)" : ""
      table.add([pool.name, "\(pool.threads)", "\(pool.running)", "\(pool.idle)", limit])
    }
    return section("pool", table, left: 0)
  }

  // MARK: tasks

  /// Tasks are the process's: the first of several copies of a library has them all.
  private func tasks(_ inspection: Inspection, _ names: InspectionNames, isFirst: Bool) -> [String] {
    if inspection.tasks.all.isEmpty {
      let isKnown = isFirst && !inspection.unread.contains { $0.hasPrefix("tasks") }
      return options.wantsTasks && isKnown ? ["", "no tasks"] : []
    }
    let tables = TaskTables(inspection, names)
    let functions = self.functions(inspection, names)
    if options.wantsTasks { return ["", tables.summary] + tables.tree.lines(width: width) + functions }
    let table = tables.shared, lines = table.lines(width: width)
    let left = options.wantsAll ? 0 : lines.count - 1 - Self.page
    return ["", tables.summary] + lines.prefix(left > 0 ? Self.page + 1 : lines.count)
      + (left > 0 ? ["  and \(left) more rows: --all; each task: --tasks"] : []) + functions
  }

  /// The tasks that have begun since figures are on, by function.
  private func functions(_ inspection: Inspection, _ names: InspectionNames) -> [String] {
    let table = TaskFunctionTable(inspection.tasks.functions, names.places).whole, lines = table.lines(width: width)
    if table.isEmpty { return [] }
    let left = options.wantsAll ? 0 : lines.count - 1 - Self.page
    return ["", "tasks by the function in which they begin, since figures are on"]
      + lines.prefix(left > 0 ? Self.page + 1 : lines.count) + (left > 0 ? ["  and \(left) more: --all"] : [])
  }

  // MARK: what may come

  /// How many rows the tables of what may come have where not all are wanted: they tell least.
  private static let shortPage = 5
  /// What calls a job of Swift's, on the toolchain's library and on Signalbox.
  private static let jobRunners = ["__swift_run_job", "sb_abi_run_swift_job"]

  private func timers(_ inspection: Inspection, _ names: InspectionNames) -> [String] {
    var table = TextTable(["due in", "timer", "queue", "runs"], right: [0])
    for timer in shown(inspection.armed, page: Self.shortPage) {
      let due = timer.due.map { $0 < 0 ? "late by \(InspectionNames.time(-$0))" : InspectionNames.time($0) } ?? "?"
      let queue = names.queue(timer.queue).map { names.label($0) } ?? timer.queue
      let runs =
        timer.endsNothing
        ? "ends a sleep that is over" : timer.task.map { "wakes \(TaskTables(inspection, names).title($0))" }
      let function = names.places.function(timer.function, on: []) ?? ""
      // The task was not read, or has begun meanwhile.
      let isJob = timer.job != 0 && Self.jobRunners.contains(where: function.hasPrefix)
      table.add([due, timer.kind, queue, runs ?? (isJob ? "a job of Swift's tasks" : function)])
    }
    let all = max(inspection.timers ?? 0, inspection.armed.count)
    // Their clocks' lists were not to be had, but their number was.
    if inspection.armed.isEmpty { return all > 0 ? ["", "\(count(all, "timer")) armed"] : [] }
    // A core dump does not say what its clocks showed.
    let order = inspection.armed.allSatisfy { $0.due != nil } ? "the soonest first" : "the soonest of each clock first"
    return section("\(count(all, "timer")) armed, \(order)", table, left: all, page: Self.shortPage)
  }

  private func descriptors(_ inspection: Inspection) -> [String] {
    var table = TextTable(["descriptor", "until it is", "for"], right: [0])
    for descriptor in shown(inspection.monitored, page: Self.shortPage) {
      table.add(["\(descriptor.number)", descriptor.direction, descriptor.label])
    }
    let events = inspection.events ?? 0
    return section("descriptors that are monitored", table, left: inspection.monitored.count, page: Self.shortPage)
      + (events > 0 ? ["", "\(count(events, "other event")) monitored: signals, processes, files"] : [])
  }

  private func rest(_ inspection: Inspection) -> [String] { inspection.unread.map { "not read: \($0)" } }

  private func shown<Element>(_ all: [Element], page: Int = Self.page) -> [Element] {
    options.wantsAll ? all : Array(all.prefix(page))
  }

  /// `left`: how many rows there would be in all.
  private func section(_ title: String, _ table: TextTable, left: Int, page: Int = Self.page) -> [String] {
    if table.isEmpty { return [] }
    let more = options.wantsAll ? 0 : left - page
    return ["", title] + table.lines(width: width) + (more > 0 ? ["  and \(more) more: --all"] : [])
  }
}

extension Inspection.Queue {
  /// Whether something lies in it, runs in it, or is kept from running.
  var isTelling: Bool {
    !isCounted && kind != "global" || pending > 0 || owner != nil || running > 0 || suspended > 0 || isInactive
  }

  var stateText: String {
    let facts = [
      isInactive ? "not active" : nil, suspended > 0 ? "suspended" + (suspended > 1 ? " \(suspended) times" : "") : nil,
      owner.map { "thread \($0) has it" }, running > 0 ? "\(running)\(limit > 0 ? " of \(limit)" : "") running" : nil,
    ]
    return facts.compactMap { $0 }.joined(separator: ", ")
  }
}
