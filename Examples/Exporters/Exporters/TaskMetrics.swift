// TaskMetrics.swift: Swift's tasks in Prometheus' text form: how many do what, in which functions most of them wait,
// which functions end the longest chains of awaits, and, after `Tasks.track()`, which keep the processors busy. The
// figures of queues are Prometheus.swift.
import Signalbox

/// The tasks of this moment.
///
/// - Parameter places: how many functions are shown in each list. A program has many; a metric may have few
///   labels.
public func prometheusTaskText(_ now: Tasks.Snapshot = Tasks.snapshot(withLines: false), places: Int = 5) -> String {
  let states: [Tasks.Task.State] = [.running, .queued, .suspended, .sleeping, .new]
  let byState = Dictionary(grouping: now.tasks, by: \.state)
  return states.map { "signalbox_tasks{state=\"\($0.rawValue)\"} \(byState[$0]?.count ?? 0)\n" }.joined()
    + crowds(now.tasks, places) + chains(now.tasks, places) + times(now.functions, places)
}

/// The tasks of the functions that ran longest: counters, for which a scraper shows rates.
private func times(_ functions: [Tasks.FunctionTimes], _ most: Int) -> String {
  functions.prefix(most).map { times in
    let label = "{function=\"\(escaped(times.function.name))\"}"
    return "signalbox_tasks_begun_total\(label) \(times.tasks)\nsignalbox_tasks_busy_seconds_total\(label) \(times.busy)\n"
      + "signalbox_tasks_queued_seconds_total\(label) \(times.queued)\n"
  }.joined()
}

/// The functions in which most tasks wait, each with what they wait for.
private func crowds(_ tasks: [Tasks.Task], _ most: Int) -> String {
  var counts: [Crowd: Int] = [:]
  for task in tasks {
    guard let function = task.awaits.first, let awaited = task.awaited else { continue }
    counts[Crowd(function: function.name, awaited: awaited.word), default: 0] += 1
  }
  // Of equal numbers the order is that of the names, so that it is the same in each scrape.
  let sorted = counts.sorted { ($1.value, $0.key.function, $0.key.awaited) < ($0.value, $1.key.function, $1.key.awaited) }
  return sorted.prefix(most).map { crowd, count in
    "signalbox_tasks_waiting{function=\"\(escaped(crowd.function))\",for=\"\(crowd.awaited)\"} \(count)\n"
  }.joined()
}

/// The longest chain of awaits that each function ends, in functions; the longest first.
private func chains(_ tasks: [Tasks.Task], _ most: Int) -> String {
  var lengths: [String: Int] = [:]
  for task in tasks {
    guard let function = task.awaits.first else { continue }
    lengths[function.name] = max(lengths[function.name] ?? 0, task.awaits.count)
  }
  return lengths.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(most).map { function, length in
    "signalbox_task_chain_length{function=\"\(escaped(function))\"} \(length)\n"
  }.joined()
}

/// Tasks that wait in one function for one kind of thing.
private struct Crowd: Hashable {
  var function: String, awaited: String
}

extension Tasks.Task.Awaited {
  /// In one word, for a label's value.
  fileprivate var word: String {
    switch self {
    case .task: "task"
    case .children: "children"
    case .continuation: "continuation"
    case .clock: "clock"
    case .executor: "executor"
    }
  }
}
