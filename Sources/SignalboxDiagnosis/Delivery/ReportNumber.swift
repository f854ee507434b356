// ReportNumber.swift: the number of each report of the process, and its event in a recording: the moment in which something was found. What the
// report says, and who gets it, comes after.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// Numbers from 1 on.
enum ReportNumber {
  private static let last = Relaxed64(0)  // relaxed: hands out numbers

  /// Something was found that is now reported: the number of its report.
  static func next(_ kind: DiagnosticReport.Kind) -> UInt64 {
    let number = last.add(1) + 1
    Events.emit(.reported, UInt(recorded(kind).rawValue), number)
    return number
  }

  private static func recorded(_ kind: DiagnosticReport.Kind) -> RecordedReport {
    switch kind {
    case .deadlock: .deadlock
    case .stall: .stall
    case .lockOrder: .lockOrder
    case .longItem: .longItem
    case .misuse: .misuse
    }
  }
}
