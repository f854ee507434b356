// Tasks+JSON.swift: tasks as values (Tasks.swift) as JSON, with the fields that `signalbox inspect --json` has.
import SignalboxSystem

extension Tasks.Snapshot {
  /// The tasks as one JSON object on one line: `tasks`, `taskCycles` and `taskFunctions`, as `signalbox inspect --json`
  /// has them.
  public var json: String {
    let cycles = cycles.map { "[\($0.map { "\($0)" }.joined(separator: ","))]" }
    let lists = [("tasks", tasks.map(\.json)), ("taskCycles", cycles), ("taskFunctions", functions.map(\.json))]
    return "{\(lists.map { "\"\($0)\":[\($1.joined(separator: ","))]" }.joined(separator: ","))}"
  }
}

extension Tasks.Task {
  fileprivate var json: String {
    let awaits = awaits.map { function in
      let place = function.file.map { ",\"file\":\(JSONText.quoted($0))" } ?? ""
      return "{\"function\":\(JSONText.quoted(function.name))\(place)\(function.line.map { ",\"line\":\($0)" } ?? "")}"
    }
    let fields = [
      "\"number\":\(number)", "\"name\":\(JSONText.quoted(name))", "\"priority\":\(priority)",
      isRaised ? "\"raised\":true" : nil,
      isCancelled ? "\"cancelled\":true" : nil, isAsyncLet ? "\"asyncLet\":true" : nil, parent.map { "\"parent\":\($0)" },
      "\"state\":\"\(state.rawValue)\"", times?.json, awaited.map { "\"waitsFor\":\($0.json)" },
      "\"awaits\":[\(awaits.joined(separator: ","))]",
    ]
    return "{\(fields.compactMap { $0 }.joined(separator: ","))}"
  }
}

extension Tasks.Task.Times {
  fileprivate var json: String {
    "\"parts\":\(parts),\"began\":\(age),\"since\":\(since),\"busy\":\(busy),\"queued\":\(queued)"
  }
}

extension Tasks.FunctionTimes {
  fileprivate var json: String {
    let place = function.file.map { ",\"file\":\(JSONText.quoted($0)),\"line\":\(function.line ?? 0)" } ?? ""
    return "{\"function\":\(JSONText.quoted(function.name))\(place),\"tasks\":\(tasks),\"parts\":\(parts),"
      + "\"busy\":\(busy),\"queued\":\(queued),\"between\":\(between)}"
  }
}

extension Tasks.Task.Awaited {
  fileprivate var json: String {
    switch self {
    case .task(let number): "{\"kind\":\"task\"\(number.map { ",\"task\":\($0)" } ?? "")}"
    case .children(let left): "{\"kind\":\"group\",\"children\":[\(left.map { "\($0)" }.joined(separator: ","))]}"
    case .continuation: "{\"kind\":\"continuation\"}"
    case .clock: "{\"kind\":\"clock\"}"
    case .executor(let type): "{\"kind\":\"executor\"\(type.map { ",\"type\":\(JSONText.quoted($0))" } ?? "")}"
    }
  }
}
