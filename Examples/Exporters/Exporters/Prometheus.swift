// Prometheus.swift: the figures in Prometheus' text form. What serves them is Scrapes.swift; those of tasks are
// TaskMetrics.swift.
import Signalbox

/// The figures of this moment; queues of one label are one.
public func prometheusText(_ now: Snapshot = .take()) -> String {
  var text = now.pools.map { "signalbox_threads{band=\"\($0.name)\"} \($0.threads)\n" }.joined()
  for (label, queues) in Dictionary(grouping: now.queues, by: { escaped($0.label) }).sorted(by: { $0.key < $1.key }) {
    let waits = queues.map(\.waits).reduce(Snapshot.Waits(), +)
    text += "signalbox_queue_pending{queue=\"\(label)\"} \(queues.map(\.pending).reduce(0, +))\n"
    text += "signalbox_queue_items_total{queue=\"\(label)\"} \(queues.map(\.done).reduce(0, +))\n"
    for part in [0.5, 0.95, 0.99] {
      if let wait = waits.quantile(part) {
        text += "signalbox_queue_wait_seconds{queue=\"\(label)\",quantile=\"\(part)\"} \(wait)\n"
      }
    }
  }
  return text
}

/// What stands between the quotes of a label's value.
func escaped(_ text: String) -> String {
  text.map { $0 == "\n" ? "\\n" : $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
}
