// ReportTimes.swift: times in the form that reports use.

enum ReportTimes {
  /// How a wait ends that no thread ends: never, or by its timeout.
  static func end(_ timeLeft: UInt64?) -> String {
    timeLeft.map { "only its timeout can end it, \(decimals(Double($0) / 1e9)) s later" } ?? "it never ends"
  }

  static func decimals(_ seconds: Double) -> String {
    let tenths = Int64((max(0, seconds) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
