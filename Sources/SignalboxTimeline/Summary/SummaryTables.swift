// SummaryTables.swift: the tables of a summary, each sorted by what hurts, from what was counted.
import SignalboxRecorder
import SignalboxSystem

struct SummaryTables {
  let counts: SummaryCounts
  var names: TimelineNames { counts.names }
  var start: ReadNumber { counts.recording.firstEvent }
  /// The recording's length, at least a nanosecond.
  var span: ReadNumber { max(1, counts.recording.end - min(counts.recording.end, start)) }

  init(_ counts: SummaryCounts) { self.counts = counts }

  // What was counted goes by numbers of names.
  func queue(_ number: Int) -> String { counts.queueNames.names[number] }
  func object(_ number: Int) -> String { counts.objectNames.names[number] }
  private func note(_ number: Int) -> String { counts.noteNames.names[number] }

  /// All of them, the worst moments first.
  var all: [SummaryTable] {
    [worstMoments, reports, mainThread, queues, waits, functions, pool, bounds, stalls, urgent] + ofTasks + ofActivities + [
      timers, intervals, threads,
    ]
  }

  /// In the order of what hurts, and of something else where that is equal.
  static func worstFirst<Row>(
    _ rows: some Sequence<Row>, by hurt: (Row) -> ReadNumber, then other: (Row) -> some Comparable
  ) -> [Row] {
    rows.sorted { (hurt($1), other($0)) < (hurt($0), other($1)) }
  }

  func moment(_ time: ReadNumber) -> SummaryTable.Cell { .moment(time - min(time, start)) }

  // MARK: queues and items

  private var queues: SummaryTable {
    let sorted = Self.worstFirst(counts.queues, by: \.value.waiting.longest) { queue($0.key) }
    return SummaryTable(
      "queues", "Queues, the one with the longest wait first", onPage: 8,
      [
        ("name", "queue"), ("items", "items"), ("greatestDepth", "depth"), ("share", "busy, of the time"),
        ("waiting", "waited: "),
        ("running", "ran: "), ("slowest", "slowest item"), ("place", ""), ("at", "at"),
      ],
      sorted.map { number, queue in
        let slowest = queue.longestRun.map { names.item($0.item) }
        return [
          .text(self.queue(number)), .count(queue.items), .count(queue.depth),
          .share(share(queue.busy)), .spread(queue.waiting.figures), .spread(queue.running.figures),
          .optional(slowest?.name), .place(slowest?.place), moment(queue.longestRun?.at ?? start),
        ]
      })
  }

  /// The part of the recording's time.
  func share(_ busy: BusyTime) -> Double { busy.total(until: max(counts.recording.end, start)).double / span.double }

  private var functions: SummaryTable {
    let sorted = Self.worstFirst(counts.functions.filter { $0.running.count > 0 }, by: \.running.total, then: \.name)
    return SummaryTable(
      "functions", "Items by function, the one that takes most time first", onPage: 5,
      [
        ("function", "function"), ("place", ""), ("items", "items"), ("total", "in all"), ("running", "ran: "),
        ("at", "longest at"),
      ],
      sorted.map {
        [
          .text($0.name), .place($0.place), .count($0.running.count), .time($0.running.total), .spread($0.running.figures),
          moment($0.longestAt),
        ]
      })
  }

  private var waits: SummaryTable {
    let sorted = Self.worstFirst(counts.waits, by: \.value.times.longest) { object($0.key) }
    return SummaryTable(
      "waits", "Waits, the longest first", onPage: 6,
      [
        ("name", "for"), ("count", "times"), ("times", "waited: "), ("holderAtLongest", "longest while it was had by"),
        ("waiter", "it waited in"), ("place", ""), ("endedBy", "ended by"), ("at", "at"),
      ],
      sorted.map { number, waits in
        let holder = waits.longest.map { names.holder($0.holder, at: $0.at) } ?? ""
        let waiter = waits.longest.map { who($0.item, $0.thread) }
        return [
          .text(object(number)), .count(waits.times.count), .spread(waits.times.figures),
          .optional(holder.isEmpty ? nil : holder), .optional(waiter?.name), .place(waiter?.place),
          .optional(waits.endedBy.map { names.waker($0) }),
          moment(waits.longest?.at ?? start),
        ]
      })
  }

  /// An item, or a thread that is in none.
  func who(_ item: TimelineItem?, _ thread: Int) -> (name: String, place: String?) {
    item.map { names.item($0) } ?? (names.thread(thread), nil)
  }

  // MARK: threads

  /// What a slice is, in words.
  func words(_ slice: TimelineSlice) -> (what: String, place: String?) {
    switch slice.kind {
    case .started:
      guard let item = slice.item else { return ("an item", nil) }
      let (name, place) = names.item(item)
      return ("\(name), an item of \"\(names.queue(item.queue, at: slice.begin))\"", place)
    case .turnBegan: return (names.turn(slice), nil)
    case .waitBegan:
      let holder = names.holder(slice.number, at: slice.begin)
      return ("a wait for \(names.object(slice.object, at: slice.begin))" + (holder.isEmpty ? "" : ", had by \(holder)"), nil)
    case .operationBegan:
      guard let operation = slice.operation else { return ("an operation", nil) }
      let (name, place) = names.operation(operation.name)
      return ("operation \(name)", place)
    case .loopPhase: return ("\(names.activity(slice)) of \(names.object(slice.object, at: slice.begin))", nil)
    case .onceBegan, .sourceBegan: return (names.activity(slice), names.function(slice.function)?.place)
    default: return (names.note(slice.object, at: slice.begin), nil)
    }
  }

  private var reports: SummaryTable {
    SummaryTable(
      "reports", "Reports of the diagnosis, in their order", onPage: 8,
      [("at", "at"), ("number", "number"), ("what", "what"), ("thread", "found by"), ("inside", "in"), ("place", "")],
      counts.reports.map { report in
        let item = report.item.map { names.item($0) }
        return [
          moment(report.at), .figure(report.number), .text(names.report(report.kind)), .text(names.thread(report.thread)),
          .optional(item?.name), .place(item?.place),
        ]
      })
  }

  private var mainThread: SummaryTable {
    SummaryTable(
      "mainThread", "The main thread, what kept it for more than 16 ms", onPage: 5,
      [("at", "at"), ("took", "took"), ("what", "what"), ("place", "")],
      Self.worstFirst(counts.held, by: \.took, then: \.slice.begin).map { held in
        let (what, place) = words(held.slice)
        return [moment(held.slice.begin), .time(held.took), .text(what), .place(place)]
      })
  }

  private var threads: SummaryTable {
    let shares = counts.threads.indices.map { place in
      (place, counts.threads[place], counts.threads[place].spent[.running, default: 0])
    }
    return SummaryTable(
      "threads", "Threads, the busiest first", onPage: 5,
      [
        ("name", "thread"), ("items", "items"), ("runningShare", "ran"), ("waitingShare", "waited"),
        ("parkedShare", "had nothing to do"),
      ],
      Self.worstFirst(shares, by: \.2, then: \.0).map { place, thread, _ in
        func share(_ doing: SummaryCounts.Doing) -> SummaryTable.Cell {
          .share(thread.spent[doing, default: 0].double / span.double)
        }
        return [.text(names.thread(place)), .count(thread.items), share(.running), share(.waiting), share(.parked)]
      })
  }

  private var pool: SummaryTable {
    let all = counts.pool.timeByRunning.values.reduce(0, +)
    return SummaryTable(
      "pool", "The pool: how many workers ran at once; \(counts.pool.most) were there at most", onPage: 8,
      [("runningWorkers", "running"), ("share", "of the time")],
      counts.pool.timeByRunning.sorted { $0.key < $1.key }.map {
        [.count($0.key), .share($0.value.double / max(1, all).double)]
      })
  }

  private var bounds: SummaryTable {
    SummaryTable(
      "bounds", "Workers of each class, and how many there may be: at that bound work waits until one returns", onPage: 3,
      [
        ("name", "pool"), ("most", "at most"), ("limit", "bound"), ("times", "times at the bound"), ("total", "in all"),
        ("longest", "longest"), ("at", "at"),
      ],
      Self.worstFirst(counts.pool.bounds, by: \.value.total, then: \.key).map { pool, bound in
        [
          .text(TimelineNames.pool(pool)), .count(bound.most), .figure(bound.limit), .count(bound.times), .time(bound.total),
          .time(bound.longest?.took ?? 0), moment(bound.longest?.at ?? start),
        ]
      })
  }

  private var stalls: SummaryTable {
    SummaryTable(
      "stalls", "All workers waited, and items with them", onPage: 5,
      [("at", "at"), ("took", "took"), ("workers", "workers"), ("for", "most of them for"), ("waiter", "in"), ("place", "")],
      Self.worstFirst(counts.pool.stalls, by: \.took, then: \.begin).map {
        let item = $0.cause?.item.map { names.item($0) }
        return [
          moment($0.begin), .time($0.took), .count($0.workers),
          .optional($0.cause.map { names.object($0.object, at: $0.since) }), .optional(item?.name), .place(item?.place),
        ]
      })
  }

  // MARK: classes, timers, the program's own

  private var urgent: SummaryTable {
    SummaryTable(
      "urgent", "Items that waited while a less urgent one ran", onPage: 5,
      [
        ("at", "at"), ("waited", "waited"), ("item", "item"), ("class", "class"), ("queue", "queue"), ("place", ""),
        ("behind", "behind"), ("behindItems", "items"), ("behindClass", "class"), ("behindPlace", ""),
      ],
      Self.worstFirst(counts.urgent.found, by: \.waited, then: \.began).map { found in
        let (name, place) = names.item(found.item), behind = names.item(found.other)
        return [
          moment(found.began - found.waited), .time(found.waited), .text(name),
          .text(found.serviceClass.words), .text(names.queue(found.item.queue, at: found.began)),
          .place(place), .text(behind.name), .count(found.others), .text(found.otherClass.words),
          .place(behind.place),
        ]
      })
  }

  private func named(_ all: [Int: SummaryCounts.Named], _ name: (Int) -> String) -> [(name: String, value: SummaryCounts.Named)]
  {
    Self.worstFirst(all.map { (name($0.key), $0.value) }, by: \.1.times.longest, then: \.0).map { (name: $0.0, value: $0.1) }
  }

  private var timers: SummaryTable {
    SummaryTable(
      "timers", "Timers, the latest first", onPage: 3,
      [("name", "on"), ("count", "times"), ("late", "late: "), ("at", "at")],
      named(counts.timers, queue).map {
        [.text($0.name), .count($0.value.count), .spread($0.value.times.figures), moment($0.value.longestAt)]
      })
  }

  private var intervals: SummaryTable {
    SummaryTable(
      "intervals", "The program's own intervals, the longest first", onPage: 5,
      [("name", "interval"), ("count", "times"), ("times", "took: "), ("at", "longest at")],
      named(counts.intervals, note).map {
        [.text($0.name), .count($0.value.count), .spread($0.value.times.figures), moment($0.value.longestAt)]
      })
  }
}
