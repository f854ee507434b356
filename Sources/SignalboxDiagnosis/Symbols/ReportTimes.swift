// ReportTimes.swift: times as reports say them.

enum ReportTimes {
  /// When a wait ends that nobody ends: `it never ends`, or by its time.
  static func end(_ timeLeft: UInt64?) -> String {
    timeLeft.map { "it ends by its timeout only, \(decimals(Double($0) / 1e9)) s from then" } ?? "it never ends"
  }

  static func decimals(_ seconds: Double) -> String {
    let tenths = Int64((max(0, seconds) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
