// DeadlockReport+Ring.swift: a cycle of things that wait for one another while no thread waits for them: operations.

extension Deadlock {
  /// Reports `ring`, whose things have each waited for the next to finish for `seconds`, unless it was reported. As suspected:
  /// whoever can take a dependency away can open it.
  package static func tell(ring: [DeadlockReport.Object], seconds: Double, hint: String) {
    let signature = ring.reduce(UInt64(1)) { ($0 &* 0x9E37_79B9_7F4A_7C15) ^ UInt64($1.address) }
    guard policy != .ignore, hasRoom(isCertain: false), claim(signature | 1) else { return }
    var report = DeadlockReport(suspected: [], hint: hint)
    (report.ring, report.ringSeconds) = (ring, seconds)
    tell(report)
  }
}

extension DeadlockReport {
  var ringText: String {
    let noun = ring[0].kind.noun
    let time = ringSeconds == 0 ? "now" : "for \(ReportTimes.decimals(ringSeconds)) s now"
    let who = ring.count == 1 ? "an \(noun) waits for itself" : "\(ring.count) \(noun)s wait for one another"
    var lines = ["suspected deadlock: \(time) \(who)"]
    for index in ring.indices {
      lines.append("  \(ring[index].name) waits for \(ring[(index + 1) % ring.count].name)")
    }
    lines.append("  fix: \(hint)")
    return lines.joined(separator: "\n") + "\n"
  }
}
