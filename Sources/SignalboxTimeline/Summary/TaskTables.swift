// TaskTables.swift: the tables of a summary about Swift's tasks and actors. What is counted is TaskCounts.swift.
import SignalboxRecorder
import SignalboxSystem

extension SummaryTables {
  private var counted: TaskCounts { counts.tasks }

  /// All of them, in the order in which a page has them.
  var ofTasks: [SummaryTable] { [tasks, awaits, actors, chains] }

  private var tasks: SummaryTable {
    SummaryTable(
      "tasks", "Tasks by the function with which they began, the one that is busy longest first", onPage: 5,
      [
        ("function", "function"), ("place", ""), ("tasks", "tasks"), ("parts", "parts"), ("busy", "busy"),
        ("running", "ran: "), ("queued", "queued: "), ("suspended", "suspended: "), ("at", "longest at"),
      ],
      Self.worstFirst(counted.kinds, by: \.running.total, then: \.function.name).map {
        [
          .text($0.function.name), .place($0.function.place), .count($0.tasks), .count($0.running.count),
          .time($0.running.total), .spread($0.running.figures), .spread($0.queued.figures), .spread($0.suspended.figures),
          moment($0.suspended.count == 0 ? start : $0.longestAt),
        ]
      })
  }

  private var awaits: SummaryTable {
    SummaryTable(
      "awaits", "What tasks waited for: the functions that await, the one that waited longest in all first", onPage: 6,
      [
        ("function", "await in"), ("place", ""), ("task", "of tasks that began with"), ("count", "times"), ("total", "in all"),
        ("times", "waited: "), ("at", "longest at"),
      ],
      Self.worstFirst(counted.awaits, by: \.times.total, then: \.function.name).map {
        [
          .text($0.function.name), .place($0.function.place), .text(counted.kinds[$0.kind].function.name),
          .count($0.times.count), .time($0.times.total), .spread($0.times.figures), moment($0.longestAt),
        ]
      })
  }

  private var actors: SummaryTable {
    SummaryTable(
      "actors", "Actors, the one whose tasks waited longest for a thread first", onPage: 5,
      [
        ("name", "actor"), ("count", "times"), ("busy", "busy"), ("queued", "queued: "), ("running", "ran: "),
        ("at", "longest at"),
      ],
      Self.worstFirst(counted.actors, by: \.value.queued.longest, then: \.key).map { name, actor in
        [
          .text(name), .count(actor.running.count), .time(actor.running.total), .spread(actor.queued.figures),
          .spread(actor.running.figures), moment(actor.longestAt),
        ]
      })
  }

  private var chains: SummaryTable {
    let sorted = counted.chains.values.filter { $0.functions.functions.count > 1 }.sorted {
      ($1.functions.functions.count, $1.count, $0.functions.text) < ($0.functions.functions.count, $0.count, $1.functions.text)
    }
    return SummaryTable(
      "chains", "The longest chains of awaits", onPage: 3,
      [("depth", "functions"), ("count", "parts"), ("chain", "innermost first"), ("place", ""), ("at", "first at")],
      sorted.map {
        [
          .count($0.functions.functions.count), .count($0.count), .text($0.functions.text),
          .place($0.functions.functions.first?.place), moment($0.at),
        ]
      })
  }
}
