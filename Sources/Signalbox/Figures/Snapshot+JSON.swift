// Snapshot+JSON.swift: the figures as one line of JSON.
import SignalboxDispatch
import SignalboxSystem

extension Snapshot {
  /// The figures as one JSON object on one line. Times are in seconds.
  public var json: String {
    Self.object([
      ("time", "\(time)"), ("queues", Self.list(queues.map(\.json))), ("pools", Self.list(pools.map(\.json))),
      ("timers", "\(armedTimers)"), ("locks", Self.list(locks.map(Self.json))),
    ])
  }

  private static func json(_ lock: LockStatistics.Usage) -> String {
    object([
      ("name", JSONText.quoted(lock.name)), ("acquisitions", "\(lock.acquisitions)"), ("contended", "\(lock.contended)"),
      ("waited", "\(Double(lock.totalWait) / 1e9)"), ("longest", "\(Double(lock.longestWait) / 1e9)"),
    ])
  }

  fileprivate static func list(_ texts: [String]) -> String { "[\(texts.joined(separator: ","))]" }
  fileprivate static func object(_ fields: [(String, String)]) -> String {
    "{\(fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
  }
}

extension Snapshot.Queue {
  fileprivate var json: String {
    let quantiles = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)].map { name, part in
      (name, waits.quantile(part).map { "\($0)" } ?? "null")
    }
    return Snapshot.object(
      [
        ("label", JSONText.quoted(label)), ("class", "\"\(qos)\""), ("pending", "\(pending)"), ("done", "\(done)"),
        ("oldest", oldestPending.map { "\($0)" } ?? "null"), ("samples", "\(waits.count)"),
      ] + quantiles)
  }
}

extension Snapshot.Pool {
  fileprivate var json: String {
    Snapshot.object([
      ("name", "\"\(name)\""), ("threads", "\(threads)"), ("running", "\(running)"), ("idle", "\(idle)"), ("limit", "\(limit)"),
    ])
  }
}
