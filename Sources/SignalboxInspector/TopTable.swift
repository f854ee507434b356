// TopTable.swift: what a process has done between two inspections, as one table: threads by what they do, who waits longest, queues by rate. How
// often, and where it is shown, is Top.swift.

/// One table of `signalbox top`.
package struct TopTable {
  private let inspections: [Inspection]
  private let before: [Inspection]?
  private let seconds: Double
  private let title: String
  private let width: Int
  private let oldest: OldestItems

  /// - Parameters:
  ///   - seconds: between the two inspections.
  ///   - oldest: what the tables before have had, of a process that does not note for how long items lie in its queues.
  ///   - width: of the terminal; 0: lines are not cut.
  package init(
    _ inspections: [Inspection], after before: [Inspection]?, seconds: Double, title: String, width: Int,
    oldest: OldestItems = OldestItems()
  ) {
    (self.inspections, self.before, self.seconds, self.title, self.width) = (inspections, before, seconds, title, width)
    self.oldest = oldest
  }

  package var lines: [String] {
    var lines = ["process \(title): \(states)"]
    for index in inspections.indices {
      let earlier = before.flatMap { index < $0.count ? $0[index] : nil }
      if inspections.count > 1 { lines += ["", "copy \(index + 1) of \(inspections.count), in \(inspections[index].copy)"] }
      lines += pools(inspections[index]) + waits(inspections[index]) + queues(inspections[index], earlier, copy: index)
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
    let cycles = inspections.reduce(0) { $0 + $1.cycles.count }
    let rest = threads.count - running - waits - idle.subtracting(waiting).count
    let sleep = max(0, rest)
    let text =
      "\(threads.count) threads: \(running) run, \(waits) wait, "
      + "\(idle.count) idle workers, \(sleep) sleep elsewhere"
    return cycles == 0 ? text : text + "; \(cycles) DEADLOCK\(cycles == 1 ? "" : "S"): signalbox inspect tells which"
  }

  private func pools(_ inspection: Inspection) -> [String] {
    inspection.pools.filter { $0.threads > 0 }.map {
      "pool \($0.name): \($0.running) of \($0.threads) threads run, \($0.idle) idle, limit \($0.limit)"
    }
  }

  private func waits(_ inspection: Inspection) -> [String] {
    let names = InspectionNames(inspection, PlaceNames(wantsLines: false))
    let waiting = inspection.threads.filter { $0.wait?.seconds != nil }.sorted {
      ($0.wait?.seconds ?? 0) > ($1.wait?.seconds ?? 0)
    }
    var table = TextTable(["waits", "thread", "for", "because"])
    for thread in waiting.prefix(5) {
      guard let wait = thread.wait, let seconds = wait.seconds else { continue }
      table.add([InspectionNames.time(seconds), names.thread(thread.id), names.object(wait), names.reason(wait)])
    }
    return table.isEmpty ? [] : [""] + table.lines(indent: 0)
  }

  private func queues(_ inspection: Inspection, _ earlier: Inspection?, copy: Int) -> [String] {
    let known = Dictionary((earlier?.queues ?? []).map { ($0.address + $0.label, $0) }, uniquingKeysWith: { $1 })
    // A queue that is new has done all of it since. Of one that was not counted nobody knows.
    let rated = inspection.queues.map { queue -> (queue: Inspection.Queue, rate: Double?) in
      let before = known[queue.address + queue.label]
      guard earlier != nil, queue.knowsDone, before?.knowsDone != false else { return (queue, nil) }
      return (queue, seconds > 0 ? Double(max(0, queue.done - (before?.done ?? 0))) / seconds : 0)
    }
    let sorted = rated.filter { ($0.rate ?? 0) > 0 || $0.queue.isTelling }.sorted {
      ($0.rate ?? 0, $0.queue.pending, $1.queue.label) > ($1.rate ?? 0, $1.queue.pending, $0.queue.label)
    }
    var table = TextTable(
      ["items/s", "pending", "oldest waits", "half waited up to", "95 % up to", "queue", "state"], right: [0, 1, 2, 3, 4])
    for (queue, rate) in sorted.prefix(20) {
      table.add([
        rate.map { Self.rate($0) } ?? "", queue.isCounted ? "\(queue.pending)" : "",
        (queue.oldest ?? oldest.seconds(queue, copy: copy)).map { InspectionNames.timeAtLeast($0) } ?? "",
        queue.p50.map { InspectionNames.time($0) } ?? "",
        queue.p95.map { InspectionNames.time($0) } ?? "", queue.label.isEmpty ? queue.address : queue.label, queue.stateText,
      ])
    }
    return table.isEmpty ? ["", "no queue has items"] : [""] + table.lines(indent: 0)
  }

  private static func rate(_ rate: Double) -> String {
    let whole = Int(exactly: rate.rounded()).map { "\($0)" } ?? "?"
    return rate >= 10 || rate == 0 ? whole : "\((rate * 10).rounded() / 10)"
  }
}
