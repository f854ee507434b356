// TopTable.swift: what a process has done between two inspections, as one table: threads by what they do, the longest
// waits, queues by rate. How often, and where it is shown, is Top.swift.
import SignalboxCommandLine
import SignalboxWords

/// One table of `signalbox top`.
package struct TopTable {
  private let inspections: [Inspection]
  private let before: [Inspection]?
  private let seconds: Double
  private let title: String
  private let width: Int
  private let oldest: OldestItems
  private let places: PlaceNames

  /// How many rows of tasks a table has.
  private static let taskRows = 5

  /// - Parameters:
  ///   - seconds: between the two inspections.
  ///   - places: the names of places in them.
  ///   - oldest: what the tables before have had, of a process that does not note for how long items lie in its queues.
  ///   - width: of the terminal; 0: lines are not cut.
  package init(
    _ inspections: [Inspection], after before: [Inspection]?, seconds: Double, title: String, width: Int,
    oldest: OldestItems = OldestItems(), places: PlaceNames = PlaceNames(wantsLines: false)
  ) {
    (self.inspections, self.before, self.seconds, self.title, self.width) = (inspections, before, seconds, title, width)
    (self.oldest, self.places) = (oldest, places)
  }

  package var lines: [String] {
    var lines = ["process \(title): \(states)"]
    for index in inspections.indices {
      let earlier = before.flatMap { index < $0.count ? $0[index] : nil }
      if inspections.count > 1 { lines += ["", "copy \(index + 1) of \(inspections.count), in \(inspections[index].copy)"] }
      lines +=
        pools(inspections[index]) + tasks(inspections[index], earlier) + waits(inspections[index])
        + queues(inspections[index], earlier, copy: index)
      lines += inspections[index].unread.map { "not read: \($0)" }
    }
    return lines.map { line in
      let plain = TextTable.plain(line)
      return width > 0 && plain.count > width ? plain.prefix(width - 1) + "…" : plain
    }
  }

  /// Threads by what they do.
  private var states: String {
    let threads = inspections[0].threads.filter { !$0.isOwn }
    let waiting = inspections.flatMap { inspection in inspection.threads.filter { $0.wait != nil }.map(\.id) }
    let idle = Set(inspections.flatMap { $0.pools.flatMap { $0.workers.filter { $0.value == "idle" }.map(\.key) } })
    let running = threads.filter { $0.state == "runs" }.count, waits = Set(waiting).count
    let cycles = inspections.reduce(0) { $0 + $1.cycles.count + $1.tasks.cycles.count }
    let rest = threads.count - running - waits - idle.subtracting(waiting).count
    let sleep = max(0, rest)
    let text =
      "\(threads.count) threads: \(running) run, \(waits) wait, "
      + "\(idle.count) idle workers, \(sleep) sleep elsewhere"
    return cycles == 0 ? text : text + "; \(cycles) DEADLOCK\(cycles == 1 ? "" : "S"): signalbox inspect tells which"
  }

  private func pools(_ inspection: Inspection) -> [String] {
    inspection.pools.filter { $0.threads > 0 }.map {
      "pool \($0.name): \($0.running) of \($0.threads) threads run"
        + ($0.limit > 0 ? ", \($0.idle) idle, limit \($0.limit)" : "")
    }
  }

  /// How many tasks there are and were made and ended since the table before; then those that do the same at the same
  /// place, most first.
  private func tasks(_ inspection: Inspection, _ earlier: Inspection?) -> [String] {
    if inspection.tasks.all.isEmpty { return [] }
    let tables = TaskTables(inspection, InspectionNames(inspection, places))
    let functions = earlier.map {
      TaskFunctionTable(inspection.tasks.functions, after: $0.tasks.functions, places).rates(over: seconds)
    }
    return ["", tables.summary + rates(inspection.tasks.all, earlier?.tasks.all)]
      + rows(tables.shared) + rows(tables.executors) + (functions.map(rows) ?? [])
  }

  private func rows(_ table: TextTable) -> [String] {
    table.isEmpty ? [] : Array(table.lines(indent: 0, width: width).prefix(1 + Self.taskRows))
  }

  /// Tasks are numbered as they are made.
  private func rates(_ now: [Inspection.Task], _ before: [Inspection.Task]?) -> String {
    guard let before, seconds > 0, let last = now.last?.number, let then = before.last?.number else { return "" }
    let made = max(0, last - then), ended = max(0, made - (now.count - before.count))
    return "; \(Self.rate(Double(made) / seconds)) made a second, \(Self.rate(Double(ended) / seconds)) ended"
  }

  /// The longest waits; of those for which it is not known since when they last, first those for what a thread has.
  private func waits(_ inspection: Inspection) -> [String] {
    let names = InspectionNames(inspection, PlaceNames(wantsLines: false))
    func order(_ wait: Inspection.Wait) -> (Double, Int) { (wait.seconds ?? -1, wait.holders.isEmpty ? 0 : 1) }
    let waiting = inspection.threads.compactMap { thread in thread.wait.map { (thread: thread, wait: $0) } }
      .sorted { order($0.wait) > order($1.wait) }
    var table = TextTable(["waits", "thread", "for", "because"])
    for (thread, wait) in waiting.prefix(5) {
      table.add([
        wait.seconds.map { InspectionNames.time($0) } ?? "?", names.thread(thread.id), names.object(wait), names.reason(wait),
      ])
    }
    return table.isEmpty ? [] : [""] + table.lines(indent: 0, width: width)
  }

  private func queues(_ inspection: Inspection, _ earlier: Inspection?, copy: Int) -> [String] {
    let known = Dictionary((earlier?.queues ?? []).map { ($0.address + $0.label, $0) }, uniquingKeysWith: { $1 })
    // A queue that is new has done all of it since. Of one that was not counted it is not known.
    let rated = inspection.queues.map { queue -> (queue: Inspection.Queue, before: Inspection.Queue?, rate: Double?) in
      let before = known[queue.address + queue.label]
      guard earlier != nil, queue.knowsDone, before?.knowsDone != false else { return (queue, before, nil) }
      return (queue, before, seconds > 0 ? Double(max(0, queue.done - (before?.done ?? 0))) / seconds : 0)
    }
    let sorted = rated.filter { ($0.rate ?? 0) > 0 || $0.queue.isTelling }.sorted {
      ($0.rate ?? 0, $0.queue.pending, $1.queue.label) > ($1.rate ?? 0, $1.queue.pending, $0.queue.label)
    }
    var table = TextTable(
      ["items/s", "pending", "oldest waits", "half waited up to", "95 % up to", "queue", "state"], right: [0, 1, 2, 3, 4])
    let names = InspectionNames(inspection, PlaceNames(wantsLines: false))
    for (queue, before, rate) in sorted.prefix(20) {
      table.add([
        rate.map { Self.rate($0) } ?? "", queue.isCounted ? "\(queue.pending)" : "",
        (queue.oldest ?? oldest.seconds(queue, copy: copy)).map { InspectionNames.timeAtLeast($0) } ?? "",
        queue.waited(50, since: before).map { InspectionNames.time($0) } ?? "",
        queue.waited(95, since: before).map { InspectionNames.time($0) } ?? "", names.label(queue), names.state(queue),
      ])
    }
    return table.isEmpty ? ["", "no queue has items"] : [""] + table.lines(indent: 0, width: width)
  }

  static func rate(_ rate: Double) -> String {
    let whole = Int(exactly: rate.rounded()).map { "\($0)" } ?? "?"
    return rate >= 10 || rate == 0 ? whole : "\((rate * 10).rounded() / 10)"
  }
}

extension Inspection.Queue {
  /// How long sampled items have waited at most since `before`, in seconds: `percent` of a hundred, 50 or 95. Of the
  /// first table all that the queue has had; nil: none was sampled.
  func waited(_ percent: UInt64, since before: Inspection.Queue?) -> Double? {
    guard let now = waited, let then = before?.waited, then.counts.count == now.counts.count else {
      return percent == 50 ? p50 : p95
    }
    // A count that has gone back is another queue's.
    let between = zip(now.counts, then.counts).map { $0 >= $1 ? $0 - $1 : $0 }
    return WaitBucket.time(of: percent, in: between).map { Double($0) * now.tick }
  }
}
