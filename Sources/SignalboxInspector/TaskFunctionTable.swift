// TaskFunctionTable.swift: tasks by the function in which they begin, for people: how many there were, and for how long
// they ran, were queued, and waited. Tasks that are there are TaskTables.swift's.
import SignalboxCommandLine

struct TaskFunctionTable {
  private struct Row {
    var name: String
    var tasks = 0, parts = 0
    var busy = 0.0, queued = 0.0, between = 0.0

    /// Functions of several rows may have one name.
    mutating func add(_ function: Inspection.TaskFunction, times sign: Int) {
      (tasks, parts) = (tasks + sign * function.tasks, parts + sign * function.parts)
      let sign = Double(sign)
      busy += sign * (function.busy ?? 0)
      queued += sign * (function.queued ?? 0)
      between += sign * (function.between ?? 0)
    }
  }
  /// The one with most time first.
  private let rows: [Row]

  /// - Parameter before: what is taken off, of an earlier reading.
  init(_ functions: [Inspection.TaskFunction], after before: [Inspection.TaskFunction] = [], _ places: PlaceNames) {
    var rows: [String: Row] = [:]
    func add(_ functions: [Inspection.TaskFunction], times sign: Int) {
      for function in functions {
        let name =
          function.places.isEmpty
          ? "(begun before, or one function more than are counted)"
          : places.function(function.places, on: []) ?? places.places(function.places)
        rows[name, default: Row(name: name)].add(function, times: sign)
      }
    }
    add(functions, times: 1)
    add(before, times: -1)
    // A part counts when it has ended: so a function may have time and no part that has begun since. Seconds in a tick
    // are taken anew for each reading: less than a millisecond may be that alone.
    self.rows = rows.values.filter { $0.parts > 0 || $0.tasks > 0 || $0.busy > 0.001 }.sorted {
      ($0.busy, $1.name) > ($1.busy, $0.name)
    }
  }

  /// All of it, in seconds.
  var whole: TextTable {
    var table = TextTable(["tasks", "parts", "busy", "queued", "between parts", "function"], right: [0, 1, 2, 3, 4])
    for row in rows {
      table.add([
        "\(row.tasks)", "\(row.parts)", InspectionNames.time(row.busy), InspectionNames.time(row.queued),
        InspectionNames.time(row.between), row.name,
      ])
    }
    return table
  }

  /// The same a second: the share of one processor that parts had which have ended since, and how long a part was
  /// queued in the mean.
  func rates(over seconds: Double) -> TextTable {
    var table = TextTable(["tasks/s", "parts/s", "busy", "queued a part", "function"], right: [0, 1, 2, 3])
    if seconds <= 0 { return table }
    for row in rows {
      table.add([
        TopTable.rate(Double(max(0, row.tasks)) / seconds), TopTable.rate(Double(max(0, row.parts)) / seconds),
        "\(Int((max(0, row.busy) / seconds * 100).rounded())) %",
        row.parts > 0 ? InspectionNames.time(max(0, row.queued) / Double(row.parts)) : "", row.name,
      ])
    }
    return table
  }
}
