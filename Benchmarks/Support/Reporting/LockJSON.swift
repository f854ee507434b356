// LockJSON.swift: what the JSON report says of locks alone: the load of a row, and trials of evenness.
import SignalboxCommandLine

extension LockContest {
  var json: JSON {
    .object([
      ("lock", .string(lock)), ("opponent", .string(opponent)), ("threads", .number(Double(threads))),
      ("section", .string(section == .short ? "short" : "long")),
    ])
  }
}

extension LockTrial {
  /// The trial as a JSON object, before it has run.
  public var json: JSON {
    .object([
      ("name", .string(name)), ("operation", .string(operation)), ("bar", LockTrial.barJSON(longestWaitMilliseconds)),
    ])
  }

  static func barJSON(_ limit: Double) -> JSON { .object([("longestWaitMilliseconds", .number(limit))]) }
}

extension LockTrialResult {
  /// The trial as a JSON object; waits are milliseconds.
  var json: JSON {
    .object([
      ("name", .string(name)), ("operation", .string(operation)), ("entrants", .array(entrants.map(\.json))),
      ("bar", LockTrial.barJSON(limit)), ("verdict", .string(verdict.rawValue)),
    ])
  }
}

extension LockTrialResult.Entrant {
  fileprivate var json: JSON {
    .object([
      ("name", .string(name)), ("fewestOverMost", .number(evenness)), ("longestWait", longestWait.json),
      ("worstWait", .number(worstWait)), ("turns", .array(turns.map(\.json))),
    ])
  }
}

extension LockTurn {
  fileprivate var json: JSON {
    .object([
      ("counts", .array(counts.map { .number(Double($0)) })), ("longestWait", .number(longestWaitNanoseconds / 1e6)),
    ])
  }
}
