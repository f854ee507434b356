// Findings.swift: expectations from any thread. They are kept until the test's own task reports them, because an issue
// recorded on a thread of the test's own belongs to no test. The threads are in Threads.swift.
import Testing

/// An expectation that did not hold, and where.
struct Finding: Sendable {
  let text: String
  let location: SourceLocation
}

private let findings = Monitor<[Finding]>([])

/// Keeps a failure for the running test.
func report(_ text: String, at location: SourceLocation) {
  findings.access { $0.append(Finding(text: text, location: location)) }
}

/// Every failure kept so far, which is kept no longer.
func takeFindings() -> [Finding] {
  findings.access { list in
    defer { list = [] }
    return list
  }
}

/// Hands every failure kept so far to the calling task's test.
func recordFindings() {
  let kept = takeFindings()
  for finding in kept.prefix(10) {
    Issue.record(Comment(rawValue: finding.text), sourceLocation: finding.location)
  }
  if kept.count > 10 { Issue.record("and \(kept.count - 10) more") }
}

/// States that `condition` holds.
func expect(_ condition: Bool, _ text: String = "does not hold", at location: SourceLocation = #_sourceLocation) {
  if !condition { report(text, at: location) }
}

/// States that a value is as it must be.
func expectEqual<Value: Equatable>(_ value: Value, _ wanted: Value, at location: SourceLocation = #_sourceLocation) {
  if value != wanted { report("\(value) instead of \(wanted)", at: location) }
}

/// States that `condition` comes to hold although nobody tells when.
func expectEventually(_ text: String, at location: SourceLocation = #_sourceLocation, _ condition: () -> Bool) {
  let start = Clock.uptime
  while !condition() {
    if Clock.uptime - start > UInt64(patience) * 1_000_000_000 { return report("never: \(text)", at: location) }
    briefPause()
  }
}
